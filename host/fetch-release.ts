/** Downloads a release and its Node, verifies both, and puts each into its place in one step. */
import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readdir, readlink, rm, symlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-fs';
import { StartError } from '../local/start-error.ts';
import { publishDirectory, renameDurably } from '../runner/base/replace-file.ts';
import { currentLink, nodeDirectory, type Places, processor, releaseDirectory } from './places.ts';
import { type HostRelease, hostReleaseSchema, releaseFile } from './release.ts';
import { isWhole, nodeVersion } from './whole-release.ts';

const downloadLimitMs = 300_000;
/** A release is 3 MB, Node 50 MB. */
const bytesMax = 200 * 1024 * 1024;

/** What the control plane offers. @throws StartError */
export async function offeredRelease(url: string): Promise<HostRelease> {
  const address = new URL('host/release.json', url);
  const parsed = hostReleaseSchema.safeParse(JSON.parse((await download(address)).toString('utf8')));
  if (parsed.success) return parsed.data;
  throw new StartError('install_failed', `${address} does not describe a release of Longshore.`);
}

/**
 * Makes the release's directory and that of its Node. What is there already and whole is not downloaded again.
 * @returns the release's directory
 * @throws StartError
 */
export async function fetchRelease(places: Places, url: string, release: HostRelease): Promise<string> {
  const { name, version, sha512 } = release.node[processor()];
  const node = nodeDirectory(places, version);
  if ((await nodeVersion(node)) !== `v${version}`) {
    const registry = process.env.LONGSHORE_NPM_REGISTRY ?? release.node.registry;
    const archive = await download(
      new URL(`${registry.replace(/\/$/, '')}/${name}/-/${name}-${version}.tgz`),
    );
    verify(archive, 'sha512', sha512, name);
    await unpack(
      archive,
      node,
      (path) => path === 'package/bin/node',
      2,
      async (scratch) => {
        await chmod(join(scratch, 'node'), 0o755);
      },
    );
  }
  const directory = releaseDirectory(places, release);
  if (await isWhole(directory)) return directory;
  const archive = await download(new URL(`host/${releaseFile}`, url));
  verify(archive, 'sha256', release.sha256, releaseFile);
  await unpack(
    archive,
    directory,
    () => true,
    0,
    async (scratch) => {
      await symlink(join(node, 'node'), join(scratch, 'node'));
      if (!(await isWhole(scratch)))
        throw new StartError(
          'install_failed',
          `${releaseFile} does not contain what its list says. Nothing was changed.`,
        );
    },
  );
  return directory;
}

/** Makes a release the one that runs at the next start. @returns the directory of the one before */
export async function switchTo(places: Places, directory: string): Promise<string | undefined> {
  const link = currentLink(places);
  const before = await readlink(link).catch(() => undefined);
  await mkdir(dirname(link), { recursive: true });
  const scratch = `${link}.new`;
  await rm(scratch, { force: true });
  await symlink(directory, scratch);
  await renameDurably(scratch, link);
  return before;
}

/** Removes all releases but these. Programs of a removed one that still run keep their files open. */
export async function keepOnly(places: Places, directories: readonly (string | undefined)[]): Promise<void> {
  const kept = new Set(directories.flatMap((one) => one ?? []).map((one) => basename(one)));
  const releases = join(places.home, 'releases');
  for (const name of await readdir(releases).catch(() => [])) {
    if (!kept.has(name)) await rm(join(releases, name), { recursive: true, force: true });
  }
}

async function download(url: URL): Promise<Buffer> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(downloadLimitMs) });
    if (!response.ok || !response.body) throw new Error(`it answers with status ${response.status}`);
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of response.body) {
      bytes += chunk.length;
      if (bytes > bytesMax) throw new Error(`it is larger than ${bytesMax / 2 ** 20} MB`);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } catch (cause) {
    const { message, cause: reason } = cause as Error;
    const why = reason instanceof Error && reason.message !== '' ? reason.message : message;
    throw new StartError('install_failed', `${url.href} could not be downloaded: ${why}.`, { cause });
  }
}

function verify(bytes: Buffer, algorithm: 'sha256' | 'sha512', wanted: string, name: string): void {
  const found = createHash(algorithm).update(bytes).digest('hex');
  if (found === wanted) return;
  throw new StartError(
    'install_failed',
    `The download of ${name} is damaged: its ${algorithm} is ${found}, not ${wanted}. Nothing was changed; try again.`,
  );
}

/** Unpacks beside the target and moves it into place, so that it is never half there. */
async function unpack(
  archive: Buffer,
  target: string,
  wanted: (path: string) => boolean,
  strip: number,
  finish: (scratch: string) => Promise<void> = async () => {},
): Promise<void> {
  await mkdir(dirname(target), { recursive: true });
  const scratch = await mkdtemp(join(dirname(target), '.unpacking-'));
  try {
    const files = extract(scratch, { strip, ignore: (_, header) => !wanted(header?.name ?? '') });
    await pipeline(Readable.from([archive]), createGunzip(), files);
    await finish(scratch);
    await chmod(scratch, 0o755);
    // One that is damaged, for example by a power cut.
    await rm(target, { recursive: true, force: true });
    await publishDirectory(scratch, target);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
