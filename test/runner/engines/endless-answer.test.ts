/** The server in a database's container is whatever the tenant's image starts. It can't fill the runner's memory with an answer. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { clickhouse } from '../../../runner/engines/clickhouse.ts';
import { postgres } from '../../../runner/engines/postgres.ts';
import { redis } from '../../../runner/engines/redis.ts';

const piece = Buffer.alloc(1024 * 1024, 'a');
/** Where a server without a limit gives up: far above what a ping needs, and well below what would hurt this machine. */
const sentMax = 200 * piece.length;

/** A server that begins its answer and never ends it. @returns how many bytes its client has taken */
async function endless(begin: Buffer) {
  const taken = { bytes: 0 };
  const sockets = new Set<Socket>();
  const answer = async (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    await once(socket, 'data').catch(() => {});
    socket.write(begin);
    while (!socket.destroyed && taken.bytes < sentMax) {
      if (!socket.write(piece))
        await Promise.race([once(socket, 'drain'), once(socket, 'close')]).catch(() => {});
      taken.bytes += piece.length;
    }
    socket.destroy();
  };
  const server = createServer((socket) => void answer(socket)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return { taken, address: { host: '127.0.0.1', port: (server.address() as AddressInfo).port } };
}

const message = (type: string, length: number) => {
  const head = Buffer.from(`${type}0000`);
  head.writeUInt32BE(length, 1);
  return head;
};
test.each([
  {
    engine: postgres,
    begin: Buffer.concat([message('R', 8), Buffer.alloc(4), message('S', 0x7fffffff)]),
  },
  {
    engine: postgres,
    // Signed in and ready for queries: the answer to the first one does not end.
    begin: Buffer.concat([
      message('R', 8),
      Buffer.alloc(4),
      message('Z', 5),
      Buffer.from('I'),
      message('D', 0x7fffffff),
    ]),
  },
  { engine: redis, begin: Buffer.from('$2000000000\r\n') },
  { engine: clickhouse, begin: Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 2000000000\r\n\r\n') },
])('$engine.name: an answer without end is cut', async ({ engine, begin }) => {
  const { taken, address } = await endless(begin);
  await expect(engine.ping(address, {})).rejects.toThrow();
  expect(taken.bytes).toBeLessThan(32 * piece.length);
});

test('postgres: a browsing session is cut off from a server whose first answer does not end', async () => {
  const { taken, address } = await endless(
    Buffer.concat([message('R', 8), Buffer.alloc(4), message('S', 0x7fffffff)]),
  );
  const browse = async () => {
    const session = await postgres.connect(address, {});
    try {
      await session.tables({ action: 'tables' });
    } finally {
      await session.close();
    }
  };
  await expect(browse()).rejects.toThrow();
  expect(taken.bytes).toBeLessThan(32 * piece.length);
});
