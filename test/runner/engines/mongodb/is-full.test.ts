/** The stand-in of MongoDB has no limit, so a server does here to the socket what `mongod` does: it says nothing. */
import { createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { ConnectionsFull } from '../../../../runner/engines/connections-full.ts';
import { fullOf } from '../../../../runner/engines/mongodb/is-full.ts';
import { mongodb } from '../../../../runner/engines/mongodb.ts';
import { freePorts } from '../../../support/free-ports.ts';

async function serverWith(accept: (socket: Socket) => void) {
  const [port = 0] = await freePorts(1);
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    accept(socket);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { host: '127.0.0.1', port };
}

test('a server that closes each new connection is full, and the error says so', {
  tags: 'slow',
}, async () => {
  const address = await serverWith((socket) => socket.end());
  await expect(mongodb.ping(address, {})).rejects.toThrow(
    /^All connections of this database are in use: .* raise maxConns in "engineSettings"\.$/,
  );
});

test('a server that resets each new connection is full, too', async () => {
  const address = await serverWith((socket) => socket.resetAndDestroy());
  expect(await fullOf(address, new Error('x'))).toBeInstanceOf(ConnectionsFull);
});

test('a server that waits for its client, and one that is down, are not full', async () => {
  expect(await fullOf(await serverWith(() => {}), new Error('x'))).toBeUndefined();
  const [port = 0] = await freePorts(1);
  expect(await fullOf({ host: '127.0.0.1', port }, new Error('x'))).toBeUndefined();
});
