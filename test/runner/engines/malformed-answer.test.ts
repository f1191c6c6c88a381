/** A server that is not what its image claims: what it sends fails the request that waits for it, and never ends the runner. */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { withServer } from '../../../runner/engines/clickhouse/archive/server.ts';
import type { EngineAddress } from '../../../runner/engines/engine.ts';
import { EngineError } from '../../../runner/engines/engine-error.ts';
import { mysql } from '../../../runner/engines/mysql.ts';
import { postgres } from '../../../runner/engines/postgres.ts';

/** A server that answers what it receives. @param greeting is sent first @param answers by what arrives; the last one is repeated */
async function answering(answers: readonly Buffer[], greeting = Buffer.alloc(0)): Promise<EngineAddress> {
  const server = createServer((socket) => {
    let at = 0;
    socket.on('error', () => {});
    socket.write(greeting);
    socket.on('data', () => socket.write(answers[at++] ?? answers.at(-1) ?? Buffer.alloc(0)));
    onTestFinished(() => void socket.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { host: '127.0.0.1', port: (server.address() as AddressInfo).port };
}

/** What the runner would not survive: it ends itself at an uncaught exception. */
function uncaught(): unknown[] {
  const found: unknown[] = [];
  const before = process.listeners('uncaughtException');
  const note = (error: unknown) => void found.push(error);
  process.removeAllListeners('uncaughtException').on('uncaughtException', note);
  onTestFinished(() => {
    process.removeAllListeners('uncaughtException');
    for (const listener of before) process.on('uncaughtException', listener);
  });
  return found;
}

const message = (type: string, body: readonly number[], length = body.length + 4) => {
  const head = Buffer.from(`${type}0000`);
  head.writeUInt32BE(length, 1);
  return Buffer.concat([head, Buffer.from(body)]);
};
const signedIn = Buffer.concat([message('R', [0, 0, 0, 0]), message('Z', [0x49])]);

test.each<[string, Buffer[]]>([
  ['an authentication request without a type', [message('R', [])]],
  ['an unknown type of authentication', [message('R', [0, 0, 0, 99])]],
  ['a message shorter than its length', [message('R', [], 0)]],
  ['a truncated cancellation key', [message('K', [1])]],
  ['a row without a number of columns', [signedIn, message('D', [0])]],
  ['more columns than are described', [signedIn, message('T', [0x7f, 0xff])]],
])(
  'postgres: %s fails the request and nothing else',
  async (_, answers) => {
    const found = uncaught();
    await expect(postgres.ping(await answering(answers), {})).rejects.toThrow(EngineError);
    expect(found).toEqual([]);
  },
  5_000,
);

const packet = (sequence: number, body: readonly number[]) =>
  Buffer.from([body.length, 0, 0, sequence, ...body]);
const text = (words: string) => [...Buffer.from(`${words}\0`)];
const zeros = (count: number) => Array<number>(count).fill(0);
const capabilities = [0xff, 0xf7, 33, 2, 0, 0xff, 0xdf, 21];
const greeting = packet(0, [
  ...[10, ...text('9.0.0'), ...zeros(4), ...text('12345678'), ...capabilities, ...zeros(10)],
  ...[...text('123456789012'), ...text('mysql_native_password')],
]);

test('mysql: a truncated error that nobody asked for fails the request and nothing else', async () => {
  const found = uncaught();
  const signedInAndMore = Buffer.concat([packet(2, [0, 0, 0, 2, 0, 0, 0]), packet(9, [0xff, 2])]);
  const address = await answering([signedInAndMore], greeting);
  await expect(mysql.ping(address, { MYSQL_ROOT_PASSWORD: 'x' })).rejects.toThrow(EngineError);
  expect(found).toEqual([]);
}, 5_000);

test('clickhouse: a summary that is no JSON counts as none', async () => {
  const found = uncaught();
  const answer = 'HTTP/1.1 200 OK\r\nX-ClickHouse-Summary: {\r\nContent-Length: 0\r\n\r\n';
  const address = await answering([Buffer.from(answer)]);
  const place = { address, env: {}, signal: AbortSignal.timeout(4_000) };
  async function* rows() {
    yield Buffer.from('x');
  }
  await expect(withServer(place, (server) => server.write('INSERT', rows()))).resolves.toBe(0);
  expect(found).toEqual([]);
}, 5_000);
