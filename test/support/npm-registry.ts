/** An npm registry with a few packages of ours that forwards all other requests to the machine's registry. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** @param tarballs created by `npm pack` @returns its address, and a function that ends it */
export async function npmRegistry(tarballs: readonly string[]): Promise<{ url: string; end(): void }> {
  const { stdout } = await run('npm', ['config', 'get', 'registry']);
  const others = stdout.trim().replace(/\/$/, '');
  const files = new Map<string, Buffer>();
  const packages = new Map<string, { manifest: { version: string }; file: string; integrity: string }>();
  for (const path of tarballs) {
    const bytes = await readFile(path);
    const { stdout } = await run('tar', ['-xzOf', path, 'package/package.json']);
    const manifest = JSON.parse(stdout) as { name: string; version: string };
    const file = `/tarballs/${basename(path)}`;
    files.set(file, bytes);
    const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
    packages.set(manifest.name, { manifest, file, integrity });
  }
  const server = createServer(({ url = '/', headers }, response) => {
    const tarball = files.get(url);
    if (tarball !== undefined) return response.end(tarball);
    const name = decodeURIComponent(url.slice(1));
    const found = packages.get(name);
    if (found === undefined) return response.writeHead(302, { location: `${others}${url}` }).end();
    const { manifest, file, integrity } = found;
    const dist = { tarball: `http://${headers.host}${file}`, integrity };
    const versions = { [manifest.version]: { ...manifest, dist } };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ name, 'dist-tags': { latest: manifest.version }, versions }));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, end: () => void server.close() };
}
