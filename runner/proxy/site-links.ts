/**
 * Which static site a name serves: `<sites>/<name>` is a link to a publication, a directory with `current` (the release) and, if
 * unknown paths get index.html, `spa`. One rename moves both. The links follow the state file and can be made again from it.
 */
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { syncDirectory } from './replace-file.ts';
import { hostPortName, isHostName } from './route-names.ts';
import type { Route } from './traffic.ts';

/** Starts with a dot, so no Host header and no host port name can reach it. */
const publications = '.published';

export interface SiteLinks {
  /** Every name of the route serves its release when this returns. */
  publish(route: Route): void;
  /** Removes the links and publications that no route in `routes` has. */
  sweep(routes: Route[]): void;
}

export function siteLinks(sites: string): SiteLinks {
  mkdirSync(join(sites, publications), { recursive: true, mode: 0o700 });
  return {
    publish(route) {
      if (route.target.type !== 'site') return;
      const publication = writePublication(sites, route.target);
      for (const name of routeNames(route)) replaceLink(join(sites, name), publication);
      syncDirectory(sites);
    },
    sweep(routes) {
      const wanted = new Set(routes.filter((route) => route.target.type === 'site').flatMap(routeNames));
      const published = new Set<string>();
      for (const name of readdirSync(sites)) {
        const path = join(sites, name);
        if (!isRouteName(name) || !lstatSync(path).isSymbolicLink()) continue;
        if (wanted.has(name)) published.add(readlinkSync(path));
        else rmSync(path);
      }
      for (const name of readdirSync(join(sites, publications))) {
        const publication = join(publications, name);
        if (!published.has(publication)) rmSync(join(sites, publication), { recursive: true });
      }
      syncDirectory(sites);
    },
  };
}

/** The names under which Caddy looks for a route. */
const routeNames = ({ hostnames, hostPort }: Route) =>
  hostPort ? [...hostnames, hostPortName(hostPort)] : hostnames;

const isRouteName = (name: string) => isHostName(name) || /^_p\d+$/.test(name);

/** @returns the new publication, relative to `sites`. */
function writePublication(sites: string, target: { directory: string; spa: boolean }): string {
  const publication = join(publications, crypto.randomUUID());
  const path = join(sites, publication);
  mkdirSync(path, { mode: 0o700 });
  symlinkSync(target.directory, join(path, 'current'));
  if (target.spa) writeFileSync(join(path, 'spa'), '');
  syncDirectory(path);
  return publication;
}

function replaceLink(path: string, target: string): void {
  const beside = `${path}.new~`;
  rmSync(beside, { force: true });
  symlinkSync(target, beside);
  renameSync(beside, path);
}
