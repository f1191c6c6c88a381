import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { redis } from '../../../../runner/engines/redis.ts';

const stops: (() => void)[] = [];
afterEach(() => {
  vi.useRealTimers();
  for (const stop of stops.splice(0)) stop();
});

/** A server that answers each command of a client by its name. */
async function serverOf(replies: (words: string[]) => string) {
  const asked: string[][] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('data', (bytes) => {
      for (const command of bytes
        .toString()
        .split(/^\*\d+\r\n/m)
        .filter(Boolean)) {
        const words = command.split('\r\n').filter((_, at) => at % 2 === 1);
        asked.push(words);
        socket.write(replies(words));
      }
    });
    socket.on('error', () => {});
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  stops.push(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const { port } = server.address() as AddressInfo;
  return { asked, address: { host: '127.0.0.1', port } };
}

const env = { REDIS_PASSWORD: 'secret' };
const ok = '+OK\r\n';
const pong = '+PONG\r\n';
const version8 = (words: string[]) => (words[0] === 'HELLO' ? '%1\r\n$6\r\nserver\r\n$5\r\nredis\r\n' : pong);

describe('The ping of Redis', () => {
  test('signs in with the password and gets its answer', async () => {
    const { address, asked } = await serverOf(version8);
    await redis.ping(address, env);
    expect(asked).toEqual([['HELLO', '3', 'AUTH', 'default', 'secret'], ['PING']]);
  });

  test('sends no password where there is none', async () => {
    const { address, asked } = await serverOf(version8);
    await redis.ping(address, {});
    expect(asked).toEqual([['HELLO', '3'], ['PING']]);
  });

  test('signs in to a version without HELLO by AUTH', async () => {
    const answers: Record<string, string> = {
      HELLO: '-ERR unknown command `HELLO`, with args beginning with: `3`, `AUTH`\r\n',
      AUTH: ok,
    };
    let isIn = false;
    const { address, asked } = await serverOf(([name = '']) => {
      isIn ||= name === 'AUTH';
      return answers[name] ?? (isIn ? pong : '-NOAUTH Authentication required.\r\n');
    });
    await redis.ping(address, env);
    expect(asked.at(-2)).toEqual(['AUTH', 'secret']);
  });

  test.each([
    ['HELLO', '-WRONGPASS invalid username-password pair or user is disabled.\r\n', /^WRONGPASS/],
    ['PING', '-LOADING Redis is loading the dataset in memory\r\n', /^LOADING/],
    ['PING', '-MISCONF Errors writing to the AOF file\r\n', /^MISCONF/],
  ])('refused at %s with %j throws `unavailable` with the words of Redis', async (at, words, message) => {
    const { address } = await serverOf((command) => (command[0] === at ? words : version8(command)));
    const pinged = redis.ping(address, env);
    await expect(pinged).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(message),
    });
  });

  test('throws `unavailable` when nothing listens, and does not name the address', async () => {
    const { address } = await serverOf(() => ok);
    for (const stop of stops.splice(0)) stop();
    const pinged = redis.ping(address, env);
    await expect(pinged).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.not.stringContaining('127.0.0.1'),
    });
  });

  test('throws `unavailable` when the server stays silent for five seconds', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { address } = await serverOf(() => {
      vi.advanceTimersByTime(5_000);
      return '';
    });
    const pinged = redis.ping(address, env);
    await expect(pinged).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('its container may be overloaded or stopped'),
    });
  });

  test('throws `unavailable` when the server hangs up', async () => {
    const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    stops.push(() => server.close());
    const { port } = server.address() as AddressInfo;
    const pinged = redis.ping({ host: '127.0.0.1', port }, env);
    await expect(pinged).rejects.toMatchObject({ code: 'unavailable' });
  });
});
