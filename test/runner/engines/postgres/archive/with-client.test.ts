/** Connections to a server that is full, against a server of the test that answers as PostgreSQL does. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { withClients } from '../../../../../runner/engines/postgres/archive/with-client.ts';

/** https://www.postgresql.org/docs/current/protocol-message-formats.html */
const message = (type: string, ...parts: Buffer[]) => {
  const body = Buffer.concat(parts);
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(type), length, body]);
};
const refusal = (code: string) =>
  message('E', Buffer.from(`SFATAL\0VFATAL\0C${code}\0Msorry, too many clients already\0\0`));
const ready = message('Z', Buffer.from('I'));

/** Refuses the database `away`, and `full` in the same moment because it has no connection left; takes connections for replication. */
async function fullServer() {
  const replications = new Set<Socket>();
  const asked = new Map<string, Socket>();
  const server = createServer((socket) => {
    socket.on('error', () => {}).on('close', () => replications.delete(socket));
    socket.once('data', (startup) => {
      const said = startup.toString('latin1');
      if (said.includes('replication')) {
        replications.add(socket);
        // Answers each query with nothing.
        socket.on('data', () =>
          socket.write(Buffer.concat([message('C', Buffer.from('SELECT 0\0')), ready])),
        );
        return void socket.write(Buffer.concat([message('R', Buffer.alloc(4)), ready]));
      }
      asked.set(said.includes('away') ? 'away' : 'full', socket);
      if (asked.size < 2) return;
      asked.get('away')?.end(refusal('3D000'));
      asked.get('full')?.end(refusal('53300'));
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  return { replications, port: (server.address() as AddressInfo).port };
}

test('no connection stays open when one database refuses and another is found full after that', async () => {
  const { replications, port } = await fullServer();
  const place = {
    address: { host: '127.0.0.1', port },
    env: { POSTGRES_PASSWORD: 'x' },
    signal: new AbortController().signal,
  };
  await expect(withClients(place, ['away', 'full'], async () => {})).rejects.toThrow();
  await delay(500); // the second one is refused by then
  expect(replications.size).toBe(0);
});
