/** The files of a service root that a builder receives: everything except .git and what .dockerignore excludes. */
import { readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import type { Readable } from 'node:stream';
import dockerignore from '@balena/dockerignore';
import tar from 'tar-fs';
import { pathInside } from '../source/safe-path.ts';

/** Keeps all mode bits from the checkout: the runner's umask must not affect the image. */
const keepModes = { umask: 0 };

/** Directories that an install creates: a committed or leftover one would be in its way. */
const installed = ['**/node_modules'];

/** The source for a plan of the analyzer, filtered by its own `.dockerignore`. @returns as `contextEntries` */
export const sourceEntries = async (root: string): Promise<string[]> =>
  await listed(root, (await readIgnoreFile(root, '.dockerignore')) ?? '', installed);

/**
 * Lists the context. `<Dockerfile>.dockerignore` takes precedence over `.dockerignore` (docs.docker.com, "Build context").
 * The Dockerfile is sent even if it is ignored, and then `COPY . .` includes it: a tar context can't keep it separate.
 * @param root service root
 * @param dockerfile relative to it
 * @returns paths relative to the root: files, links, and empty directories
 */
export async function contextEntries(root: string, dockerfile: string): Promise<string[]> {
  const rules =
    (await readIgnoreFile(root, `${dockerfile}.dockerignore`)) ??
    (await readIgnoreFile(root, '.dockerignore')) ??
    '';
  return await listed(root, rules, [], dockerfile);
}

async function listed(root: string, rules: string, more: string[], always?: string): Promise<string[]> {
  const matcher = dockerignore({ ignorecase: false })
    .add(rules)
    .add(['.git', '**/.git', ...more]);
  const found = await readdir(root, { recursive: true, withFileTypes: true });
  const parents = new Set(found.map((entry) => entry.parentPath));
  return found.flatMap((entry) => {
    const path = join(entry.parentPath, entry.name);
    if (entry.isDirectory() && parents.has(path)) return []; // implied by its files
    const inContext = relative(root, path).split(sep).join('/');
    const sent = inContext === always || !matcher.ignores(inContext);
    return sent && (entry.isFile() || entry.isSymbolicLink() || entry.isDirectory()) ? [inContext] : [];
  });
}

/** The name that the judged Dockerfile has in the build context. */
export interface SentDockerfile {
  /** In the context, links resolved. */
  path: string;
  mode: number;
  text: string;
}

/** A tar stream of these entries of the service root. Links stay links: the builder resolves them inside its own copy. */
export function packContext(root: string, entries: string[], dockerfile: SentDockerfile): Readable {
  const pack = tar.pack(root, {
    ...keepModes,
    entries: entries.filter((entry) => entry !== dockerfile.path),
    finalize: false,
    finish(archive) {
      archive.entry({ name: dockerfile.path, mode: dockerfile.mode }, dockerfile.text);
      archive.finalize();
    },
  });
  return pack as unknown as Readable;
}

async function readIgnoreFile(root: string, path: string): Promise<string | undefined> {
  const real = await pathInside(root, path, '.dockerignore');
  return real === undefined ? undefined : await readFile(real, 'utf8');
}
