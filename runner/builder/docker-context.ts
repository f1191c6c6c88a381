/** The files of a service root that a builder receives: everything except .git and what .dockerignore excludes. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import type { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import tar from 'tar-fs';
import { addEntry } from '../base/tar-entry.ts';
import { pathInside } from '../source/safe-path.ts';
import { type IgnoreFile, ignoreRules, noRules, refuseLargeRules } from './ignore-rules.ts';

/** Keeps all mode bits from the checkout: the runner's umask must not affect the image. */
const keepModes = { umask: 0 };

/** Never sent, even if the rules include it. */
const history = /(^|\/)\.git(\/|$)/;
/** Directories that an install creates: a committed or leftover directory would be in its way. */
const historyAndInstalled = /(^|\/)(\.git|node_modules)(\/|$)/;
/** The interval of pauses for other work while the files of a large repository are compared. */
const pauseEveryMs = 20;

/** The source for a plan of the analyzer, filtered by its own `.dockerignore`. @param ignored gets the paths that the file leaves out @returns paths like `contextEntries` */
export async function sourceEntries(root: string, ignored?: string[]): Promise<string[]> {
  return await listed(root, await ignoreFileOf(root), historyAndInstalled, { ignored });
}

/**
 * Lists the context. `<Dockerfile>.dockerignore` takes precedence over `.dockerignore` (docs.docker.com, "Build context").
 * The Dockerfile is sent even if it is ignored, and then `COPY . .` includes it: a tar context can't keep it separate.
 * @param root service root
 * @param dockerfile relative to it
 * @returns paths relative to the root: files, links, and empty directories
 */
export async function contextEntries(root: string, dockerfile: string): Promise<string[]> {
  const rules = (await readIgnoreFile(root, `${dockerfile}.dockerignore`)) ?? (await ignoreFileOf(root));
  return await listed(root, rules, history, { always: dockerfile });
}

async function listed(
  root: string,
  rules: IgnoreFile,
  never: RegExp,
  { always, ignored }: { always?: string; ignored?: string[] | undefined },
): Promise<string[]> {
  const isIgnored = ignoreRules(rules);
  const found = await readdir(root, { recursive: true, withFileTypes: true });
  const parents = new Set(found.map((entry) => entry.parentPath));
  const sent: string[] = [];
  let paused = performance.now();
  for (const entry of found) {
    if (performance.now() - paused > pauseEveryMs) {
      await setImmediate();
      paused = performance.now();
    }
    const path = join(entry.parentPath, entry.name);
    if (entry.isDirectory() && parents.has(path)) continue; // implied by its files
    if (!entry.isFile() && !entry.isSymbolicLink() && !entry.isDirectory()) continue;
    const inContext = relative(root, path).split(sep).join('/');
    if (inContext === always) sent.push(inContext);
    else if (never.test(inContext)) continue;
    else if (!isIgnored(inContext)) sent.push(inContext);
    else if (!entry.isDirectory()) ignored?.push(inContext);
  }
  return sent;
}

/** The checked Dockerfile, as a file in the build context. */
export interface SentDockerfile {
  /** Path in the context, with links resolved. */
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
      const { path, mode, text } = dockerfile;
      addEntry(archive, { name: path, mode }, Buffer.from(text)).catch(() => {}); // the reader of the stream reports the error
      archive.finalize();
    },
  });
  return pack as unknown as Readable;
}

/** `.containerignore` is the name that Podman and Buildah look for. */
const ignoreFileOf = async (root: string): Promise<IgnoreFile> =>
  (await readIgnoreFile(root, '.dockerignore')) ??
  (await readIgnoreFile(root, '.containerignore')) ??
  noRules;

async function readIgnoreFile(root: string, name: string): Promise<IgnoreFile | undefined> {
  const real = await pathInside(root, name, '.dockerignore');
  if (real === undefined) return undefined;
  refuseLargeRules(name, (await stat(real)).size);
  return { name, text: await readFile(real, 'utf8') };
}
