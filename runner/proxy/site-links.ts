/**
 * The static site of a name: `<sites>/<name>` is a link to a publication, a directory with `current` (the release), `live` (requests use
 * the site and not an app) and, if unknown paths get index.html, `spa`. One rename switches all of them. The links follow the state file
 * and can be recreated from it.
 */
import {
  existsSync,
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
import { syncDirectory } from '../base/replace-file.ts';
import { fileNameOf, hostPortName, isServedName, nameOfFile } from './route-names.ts';
import type { Route } from './traffic.ts';

/** Starts with a dot, so that no Host header and no host port name can reach it. */
const publications = '.published';

export interface SiteLinks {
  /** Makes every name of the route serve its release before it returns. */
  publish(route: Route): void;
  /** Sites without a route in `routes` get no new requests; running ones still find their files. */
  retire(routes: Route[]): void;
  /** Removes the links and publications without a route in `routes`. */
  sweep(routes: Route[]): void;
  /** Publishes sites again whose links another program has changed. @returns the paths of the changed links */
  repair(routes: Route[]): string[];
}

export function siteLinks(sites: string): SiteLinks {
  mkdirSync(join(sites, publications), { recursive: true, mode: 0o700 });
  function publish(route: Route): void {
    if (route.target.type !== 'site') return;
    const publication = writePublication(sites, route.target);
    for (const name of routeNames(route)) replaceLink(join(sites, name), publication);
    syncDirectory(sites);
  }
  return {
    publish,
    repair(routes) {
      return routes.flatMap((route) => {
        const paths = routeNames(route).map((name) => join(sites, name));
        const wrong = paths.filter((path) => !isPublished(path, route.target));
        if (wrong.length === 0) return [];
        mkdirSync(join(sites, publications), { recursive: true, mode: 0o700 });
        publish(route);
        return wrong;
      });
    },
    retire(routes) {
      for (const { path, wanted } of siteLinksOf(sites, routes)) {
        // A publication belongs to one switch, so no wanted name links to it.
        if (!wanted) rmSync(join(path, 'live'), { force: true });
      }
    },
    sweep(routes) {
      const published = new Set<string>();
      for (const { path, wanted } of siteLinksOf(sites, routes)) {
        if (wanted) published.add(readlinkSync(path));
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

function isPublished(path: string, target: Route['target']): boolean {
  if (target.type !== 'site') return true;
  try {
    return (
      readlinkSync(join(path, 'current')) === target.directory &&
      existsSync(join(path, 'live')) &&
      existsSync(join(path, 'spa')) === target.spa
    );
  } catch {
    return false;
  }
}

/** Every link of a name; `wanted` if a site of `routes` has that name. */
function siteLinksOf(sites: string, routes: Route[]): { path: string; wanted: boolean }[] {
  const wanted = new Set(routes.filter((route) => route.target.type === 'site').flatMap(routeNames));
  return readdirSync(sites)
    .filter(isRouteName)
    .map((name) => ({ path: join(sites, name), wanted: wanted.has(name) }))
    .filter(({ path }) => lstatSync(path).isSymbolicLink());
}

/** The names of a route's files for Caddy. */
export const routeNames = ({ hostnames, hostPort }: Route) => [
  ...hostnames.map(fileNameOf),
  ...(hostPort ? [hostPortName(hostPort)] : []),
];

const isRouteName = (name: string) => isServedName(nameOfFile(name)) || /^_p\d+$/.test(name);

/** @returns the new publication, relative to `sites` */
function writePublication(sites: string, target: { directory: string; spa: boolean }): string {
  const publication = join(publications, crypto.randomUUID());
  const path = join(sites, publication);
  mkdirSync(path, { mode: 0o700 });
  symlinkSync(target.directory, join(path, 'current'));
  writeFileSync(join(path, 'live'), '');
  if (target.spa) writeFileSync(join(path, 'spa'), '');
  syncDirectory(path);
  return publication;
}

function replaceLink(path: string, target: string): void {
  const temporary = `${path}.new~`;
  rmSync(temporary, { force: true });
  symlinkSync(target, temporary);
  renameSync(temporary, path);
}
