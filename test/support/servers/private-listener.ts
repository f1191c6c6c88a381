/** A private server on this host that counts connections. */

import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:net';
import { onTestFinished } from 'vitest';

/** Listens on loopback until the test has finished. @returns the port */
export async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

export async function privateListener() {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.on('error', () => undefined).destroy();
  });
  const port = await listening(server);
  return { address: `127.0.0.1:${port}`, url: `https://127.0.0.1:${port}/`, connections: () => connections };
}
