/**
 * The platform's own image for work on volumes: a shell, GNU tar and a few coreutils with the libraries that they need, copied from the host,
 * which is Debian or Ubuntu. So backups and restores need no registry, and no program of a tenant's image touches the files.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { archiveOf } from '../../base/tar-entry.ts';
import { call, type DockerHost } from '../client.ts';
import { imageId } from '../images.ts';
import { streamedJson } from '../streamed-json.ts';

const programs = [
  'chmod',
  'chown',
  'cp',
  'find',
  'mkdir',
  'mv',
  'rm',
  'rmdir',
  'sh',
  'sleep',
  'sync',
  'tar',
  'touch',
];
const directories = ['/usr/bin', '/bin'];
const lddTimeoutMs = 30_000;
const importTimeoutMs = 120_000;
/** The absolute paths in the output of ldd: `libacl.so.1 => /lib/libacl.so.1 (0x...)` and `/lib64/ld-linux-x86-64.so.2 (0x...)`. */
const libraryPath = /(?:=>|^)\s*(\/\S+)\s+\(0x/gm;

/**
 * The id of the image, which is built if the host has none of its present programs.
 * @throws DockerError; Error with the name of a program that the host lacks
 */
export async function helperImage(host: DockerHost): Promise<string> {
  const files = await filesOf(programs);
  const hash = createHash('sha256');
  for (const [path, bytes] of files) hash.update(`${path}\n${bytes.length}\n`).update(bytes);
  const [repository, tag] = ['longshore-helper', hash.digest('hex').slice(0, 16)];
  const name = `${repository}:${tag}`;
  const found = await imageId(host, name);
  if (found !== undefined) return found;
  const bytes = await archiveOf(
    Array.from(files, ([path, bytes]) => ({
      header: { name: path.slice(1), mode: 0o755, mtime: new Date(0) },
      bytes,
    })),
  );
  await call(
    'make the image for work on volumes',
    async (signal) => {
      // stream errors: an array in memory has none
      const from = Readable.from([bytes]) as unknown as string; // the types know only the path of a file
      const answer = await host.engine.importImage(from, { repo: repository, tag });
      for await (const event of streamedJson<{ error?: string }>(answer, signal)) {
        if (event.error) throw new Error(event.error);
      }
    },
    { timeoutMs: importTimeoutMs },
  );
  return (await imageId(host, name)) ?? name;
}

/** The programs, in `/bin`, and their libraries at the paths that the loader uses. */
async function filesOf(names: readonly string[]): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>();
  for (const name of names) {
    const { path, bytes } = await programOf(name);
    files.set(`/bin/${name}`, bytes);
    const { stdout } = await promisify(execFile)('ldd', [path], { timeout: lddTimeoutMs });
    for (const [, library = ''] of stdout.matchAll(libraryPath)) {
      if (!files.has(library)) files.set(library, await readFile(library));
    }
  }
  return files;
}

async function programOf(name: string): Promise<{ path: string; bytes: Buffer }> {
  for (const directory of directories) {
    const path = `${directory}/${name}`;
    const bytes = await readFile(path).catch(() => undefined);
    if (bytes) return { path, bytes };
  }
  throw new Error(
    `The host has no program "${name}" in ${directories.join(' or ')}, which backups of volumes need.`,
  );
}
