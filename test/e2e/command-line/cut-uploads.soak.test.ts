/** Uploads that are cut: the connection breaks in the middle of a part, the client is killed in the middle. Nothing is sent twice. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { webApp } from '../../support/instance/repository.ts';
import { useCommandLine } from '../../support/instance/use-command-line.ts';
import { useInstance } from '../../support/instance/use-instance.ts';

const longshore = useInstance();
const user = useCommandLine(longshore);
const partBytes = 64 * 2 ** 20;
const megabyte = 2 ** 20;

/** A proxy on the way to the control plane, which counts what it passes on. */
const proxy = {
  url: '',
  /** Bytes from the client to the control plane. */
  sent: 0,
  /** Each is a number of sent bytes at which every connection is cut, once. */
  cuts: [] as number[],
  /** Called with each change of `sent`. */
  watch: (_sent: number): void => {},
};
const sockets = new Set<Socket>();
let server: Server;

beforeAll(async () => {
  const { hostname, port } = new URL(user.url);
  server = createServer((client) => {
    const target = connect(Number(port), hostname);
    for (const socket of [client, target]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.once('close', () => {
        sockets.delete(socket);
        (socket === client ? target : client).destroy();
      });
    }
    target.pipe(client);
    client.on('data', (chunk) => {
      proxy.sent += chunk.length;
      if (!target.write(chunk)) {
        client.pause();
        target.once('drain', () => client.resume());
      }
      proxy.watch(proxy.sent);
      if (proxy.sent < (proxy.cuts[0] ?? Number.POSITIVE_INFINITY)) return;
      proxy.cuts.shift();
      for (const socket of sockets) socket.resetAndDestroy();
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  if (typeof address === 'object' && address) proxy.url = `http://127.0.0.1:${address.port}`;
  for (const [path, text] of Object.entries(webApp('uploaded'))) await writeFile(join(user.home, path), text);
  await writeFile(join(user.home, '.longshoreignore'), 'longshore.mjs\ncontexts.json\n');
});
afterAll(() => {
  for (const socket of sockets) socket.destroy();
  server.close();
});

/** Logs in through the proxy, and counts from here. */
async function through(): Promise<Record<string, string>> {
  const { contexts } = JSON.parse(await readFile(join(user.home, 'contexts.json'), 'utf8'));
  Object.assign(proxy, { sent: 0, cuts: [], watch: () => {} });
  return { LONGSHORE_URL: proxy.url, LONGSHORE_KEY: contexts.default.key };
}

test('a connection that breaks in the middle of parts is opened again, and only the broken part is sent again', async () => {
  // Random, so that it does not become smaller when it is packed: two parts.
  await writeFile(join(user.home, 'data.bin'), randomBytes(partBytes + 8 * megabyte));
  const env = await through();
  proxy.cuts = [20 * megabyte, 20 * megabyte + partBytes + 4 * megabyte];
  const { code, err } = await user.run(['up', '-s', 'shop/web', '-y'], { env });
  expect(code, err).toBe(0);
  expect(err.match(/Trying again/g)).toHaveLength(2);
  expect(proxy.cuts).toEqual([]);
  const wanted = partBytes + 8 * megabyte + 20 * megabyte + 4 * megabyte;
  expect(proxy.sent).toBeGreaterThan(wanted);
  expect(proxy.sent).toBeLessThan(wanted + 2 * megabyte);
  const { services } = await user.json('ps', '-p', 'shop');
  expect(await (await fetch(services[0].localUrl)).text()).toContain('uploaded');
});

test('after a client that was killed in the middle, the next one sends only the parts that are missing', async () => {
  await writeFile(join(user.home, 'data.bin'), randomBytes(partBytes + 8 * megabyte));
  const env = await through();
  const child = spawn(process.execPath, [user.program, 'up', '-s', 'shop/web', '-y'], {
    ...{ cwd: user.home, stdio: 'ignore' },
    env: { PATH: process.env.PATH, HOME: user.home, LONGSHORE_CONFIG_DIR: user.home, ...env },
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  // What the client has written before its end must not arrive: the kernel holds megabytes of it.
  proxy.cuts = [partBytes + 3 * megabyte];
  proxy.watch = (sent) => void (sent >= (proxy.cuts[0] ?? 0) && child.kill('SIGKILL'));
  await ended;
  expect(child.signalCode).toBe('SIGKILL');
  const again = await through();
  const { code, err } = await user.run(['up', '-s', 'shop/web', '-y'], { env: again });
  expect(code, err).toBe(0);
  expect(proxy.sent).toBeGreaterThan(8 * megabyte);
  expect(proxy.sent).toBeLessThan(10 * megabyte);
});
