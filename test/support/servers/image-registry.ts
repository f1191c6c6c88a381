/** A real registry: Debian's docker-registry, unpacked for the tests if it is missing, and images of a few bytes for it. */
import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import { freePorts } from '../free-ports.ts';
import { until } from '../runner/until.ts';
import { unpackedLibraries, unpackMissing } from '../unpack-missing.ts';

const installed = '/usr/bin/docker-registry';
const tools = fileURLToPath(new URL('../../../.longshore/tools/docker-registry', import.meta.url));

export const imageType = 'application/vnd.docker.distribution.manifest.v2+json';
export const digestOf = (bytes: Buffer | string) =>
  `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

/** The only login of a private registry. */
export const registryUser = { username: 'ada', password: 'hunter2-secret' };
const passwordHash = '$2b$05$abcdefghijklmnopqrstuuco6HW5qgMYWmvqwt2HG533btIvodevS';

/** Starts the registry. @param directory for its files @param isPrivate whether it requires `registryUser` */
export async function startRegistry(
  directory: string,
  isPrivate = false,
): Promise<{ url: string; stop(): Promise<void> }> {
  if (!existsSync(installed)) await unpackMissing(['docker-registry'], tools);
  const [port = 0] = await freePorts(1);
  const storage = { filesystem: { rootdirectory: join(directory, 'images') } };
  const config = join(directory, 'registry.yml'); // JSON is YAML
  const http = { addr: `127.0.0.1:${port}` };
  const users = join(directory, 'users');
  writeFileSync(users, `${registryUser.username}:${passwordHash}\n`);
  const auth = isPrivate ? { auth: { htpasswd: { realm: 'team', path: users } } } : {};
  writeFileSync(config, JSON.stringify({ version: '0.1', log: { level: 'error' }, storage, http, ...auth }));
  const program = existsSync(installed) ? installed : join(tools, installed);
  const env = { ...process.env, LD_LIBRARY_PATH: unpackedLibraries(tools), OTEL_TRACES_EXPORTER: 'none' };
  const child = spawn(program, ['serve', config], { env, stdio: 'ignore' });
  const url = `http://127.0.0.1:${port}`;
  await until(
    'the registry answers',
    async () => (await fetch(`${url}/v2/`).catch(() => undefined))?.status !== undefined,
  );
  return {
    url,
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}

export interface MadeImage {
  manifest: string;
  digest: string;
  blobs: Map<string, Buffer>;
  /** Digest of its only layer. */
  layer: string;
}

/** Creates an image with a unique layer. @param layerBytes of incompressible content */
export async function makeImage(layerBytes = 1000): Promise<MadeImage> {
  const archive = pack();
  archive.entry({ name: 'content' }, randomBytes(layerBytes));
  archive.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of archive) chunks.push(chunk as Buffer);
  const tar = Buffer.concat(chunks);
  const layer = gzipSync(tar, { level: 1 });
  const rootfs = { type: 'layers', diff_ids: [digestOf(tar)] };
  const config = Buffer.from(JSON.stringify({ architecture: 'amd64', os: 'linux', config: {}, rootfs }));
  const blob = (mediaType: string, bytes: Buffer) => ({
    mediaType,
    size: bytes.length,
    digest: digestOf(bytes),
  });
  const manifest = JSON.stringify({
    schemaVersion: 2,
    mediaType: imageType,
    config: blob('application/vnd.docker.container.image.v1+json', config),
    layers: [blob('application/vnd.docker.image.rootfs.diff.tar.gzip', layer)],
  });
  const blobs = new Map([config, layer].map((bytes) => [digestOf(bytes), bytes]));
  return { manifest, digest: digestOf(manifest), blobs, layer: digestOf(layer) };
}

/** Uploads an image to a registry, and an index for it whose only platform is this one. */
export async function pushImage(url: string, repository: string, image: MadeImage): Promise<void> {
  const base = `${url}/v2/${repository}`;
  for (const [digest, bytes] of image.blobs) {
    const begun = await fetch(`${base}/blobs/uploads/`, { method: 'POST' });
    const target = new URL(begun.headers.get('location') ?? '', base);
    target.searchParams.set('digest', digest);
    await put(target.href, 'application/octet-stream', bytes);
  }
  await put(`${base}/manifests/1`, imageType, image.manifest);
  const platform = { architecture: 'amd64', os: 'linux' };
  const one = { mediaType: imageType, digest: image.digest, size: image.manifest.length, platform };
  const type = 'application/vnd.docker.distribution.manifest.list.v2+json';
  await put(
    `${base}/manifests/index`,
    type,
    JSON.stringify({ schemaVersion: 2, mediaType: type, manifests: [one] }),
  );
}

async function put(url: string, type: string, body: Buffer | string): Promise<void> {
  const answer = await fetch(url, { method: 'PUT', headers: { 'content-type': type }, body: body as string });
  if (answer.status !== 201) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`);
}
