/** A server that offers releases to hosts like the control plane, with changes by the test. */
import { createHash } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import { extract, pack } from 'tar-fs';
import type { HostRelease } from '../../host/release.ts';
import { writeDigests } from '../../host/whole-release.ts';

export interface OfferedReleases {
  url: string;
  /** Offers the bundle with these files replaced. @returns the offered release */
  offer(version: string, files: Record<string, string>): Promise<HostRelease>;
  /** From now on, sent files do not match their digest. */
  damage(): void;
  close(): Promise<void>;
}

/** @param given.archive `longshore-host.tgz`; absent: a release contains only the offered files @param scratch a directory for its files */
export async function offerReleases(
  given: { archive?: Buffer; node: HostRelease['node'] },
  scratch: string,
): Promise<OfferedReleases> {
  let release: HostRelease | undefined;
  let archive: Buffer = Buffer.alloc(0);
  const server = createServer((request, response) => {
    if (request.url === '/host/release.json') return response.end(JSON.stringify(release));
    if (request.url === '/host/longshore-host.tgz') return response.end(archive);
    response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async offer(version, files) {
      const directory = join(scratch, version);
      await mkdir(directory, { recursive: true });
      if (given.archive) await pipeline(Readable.from([gunzipSync(given.archive)]), extract(directory));
      for (const [name, text] of Object.entries(files)) await writeFile(join(directory, name), text);
      await writeDigests(directory);
      archive = gzipSync(await buffer(Readable.from(pack(directory))));
      await rm(directory, { recursive: true });
      const sha256 = createHash('sha256').update(archive).digest('hex');
      release = { version, sha256, node: given.node };
      return release;
    },
    damage() {
      archive = Buffer.concat([archive, Buffer.from('x')]);
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** The archive and the Node that an instance offers. */
export async function offeredBy(url: string): Promise<{ archive: Buffer; node: HostRelease['node'] }> {
  const { node } = (await (await fetch(new URL('host/release.json', url))).json()) as HostRelease;
  const archive = await (await fetch(new URL('host/longshore-host.tgz', url))).arrayBuffer();
  return { archive: Buffer.from(archive), node };
}
