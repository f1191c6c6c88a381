/** Real Redis servers as sources of imports, with settings that the runner's own servers do not have. */
import { connect, createServer, type Socket } from 'node:net';
import { Redis } from 'ioredis';
import { onTestFinished } from 'vitest';
import { labels } from '../../../protocol/names.ts';
import { connectDocker } from '../../../runner/docker/client.ts';
import { putFiles } from '../../../runner/docker/container-files.ts';
import { ensureTestImage } from '../../stand-ins/ensure-test-image.ts';
import { freePorts } from '../free-ports.ts';
import { testId } from './docker-host.ts';

export interface Login {
  port?: number;
  username?: string;
  password?: string;
  db?: number;
  tls?: { rejectUnauthorized: boolean };
}

const configFile = '/etc/source.conf';

export interface RedisSource {
  /** Address on a network of Docker. */
  address: string;
  /** Port on 127.0.0.1. */
  port: number;
  /** Runs a function with a client, by default as the user who filled the server. */
  use<T>(use: (client: Redis) => Promise<T>, login?: Login): Promise<T>;
  remove(): Promise<void>;
}

/**
 * Starts a Redis that belongs to no runner, so that a restarting runner does not remove it.
 * @param settings lines of its configuration
 * @param options.login of the user who fills it
 * @param options.files next to its settings, by path
 */
export async function startRedisSource(
  settings: readonly string[],
  { login = {}, files = {} }: { login?: Login; files?: Record<string, string> } = {},
): Promise<RedisSource> {
  await ensureTestImage('redis:8');
  const docker = connectDocker(testId('runner'));
  const [port = 0] = await freePorts(1);
  const container = await docker.engine.createContainer({
    Image: 'redis:8',
    Cmd: ['redis-server', configFile],
    Labels: { [labels.instance]: docker.instance },
    ExposedPorts: { '6379/tcp': {} },
    HostConfig: { PortBindings: { '6379/tcp': [{ HostIp: '127.0.0.1', HostPort: String(port) }] } },
  });
  const all = ['protected-mode no', 'save ""', ...settings].join('\n');
  await putFiles(docker, container.id, { ...files, [configFile]: `${all}\n` });
  await container.start();
  const { NetworkSettings } = await container.inspect();
  const use: RedisSource['use'] = (work, more = {}) => withRedis({ port, ...login, ...more }, work);
  await use((client) => client.ping());
  return {
    address: Object.values(NetworkSettings.Networks)[0]?.IPAddress ?? '',
    ...{ port, use },
    remove: async () => void (await container.remove({ force: true, v: true })),
  };
}

/** Connects on 127.0.0.1, and waits until the server answers. */
export async function withRedis<T>(options: Login, use: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis(options);
  client.on('error', () => {});
  try {
    return await use(client);
  } finally {
    client.disconnect();
  }
}

export interface HeldWay {
  port: number;
  /** Resolves when this many bytes have passed. */
  reached: Promise<void>;
  /** Closes every connection. */
  cut(): void;
}

/**
 * A connection to a server on 127.0.0.1 that passes this many bytes of its answers, over all connections, and holds the rest. It closes with the
 * test.
 */
export async function heldWay(port: number, bytes: number): Promise<HeldWay> {
  const reached = Promise.withResolvers<void>();
  const sockets = new Set<Socket>();
  let left = bytes;
  const server = createServer((client) => {
    const up = connect({ port, host: '127.0.0.1' });
    for (const one of [client, up]) sockets.add(one.on('error', () => {}));
    client.pipe(up);
    client.on('close', () => up.destroy());
    up.on('data', (chunk) => {
      if (left > 0) client.write(chunk);
      left -= chunk.length;
      if (left > 0) return;
      up.pause();
      reached.resolve();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cut = () => {
    for (const one of sockets) one.destroy();
  };
  onTestFinished(() => {
    cut();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { port: address.port, reached: reached.promise, cut };
}

type Words = [string, ...(Buffer | string)[]];

/** The command that reads a whole value of each type. */
const readers: Readonly<Record<string, (key: Buffer) => Words>> = {
  string: (key) => ['GET', key],
  list: (key) => ['LRANGE', key, '0', '-1'],
  hash: (key) => ['HGETALL', key],
  set: (key) => ['SMEMBERS', key],
  zset: (key) => ['ZRANGE', key, '0', '-1', 'WITHSCORES'],
  stream: (key) => ['XRANGE', key, '-', '+'],
};
const hasNoOrder = ['hash', 'set'];

/** Every key of every logical database as a line: database number, key bytes, type, expiry time and value. */
export async function everyKey(client: Redis): Promise<string[]> {
  const lines: string[] = [];
  for (let database = 0; database < 16; database++) {
    await client.select(database);
    const keys = await client.keysBuffer('*');
    lines.push(...(await Promise.all(keys.map(async (key) => lineOf(client, database, key)))));
  }
  return lines.sort();
}

async function lineOf(client: Redis, database: number, key: Buffer): Promise<string> {
  const type = await client.type(key);
  const read = readers[type];
  if (!read) throw new Error(`no reader of ${type}`);
  const value = plain(await client.callBuffer(...read(key)));
  const shown = hasNoOrder.includes(type) && Array.isArray(value) ? value.sort() : value;
  return JSON.stringify([database, plain(key), type, await client.pexpiretime(key), shown]);
}

function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  return Buffer.isBuffer(value) ? value.toString('latin1') : value;
}
