import { beforeAll, expect, test } from 'vitest';
import { labels } from '../../protocol/names.ts';
import { putFiles } from '../../runner/docker/container-files.ts';
import { useTestHost } from '../support/docker/use-scenes.ts';
import { freePorts } from '../support/free-ports.ts';
import { until } from '../support/runner/until.ts';
import { ensureTestImage } from './ensure-test-image.ts';

const image = 'clickhouse/clickhouse-server:26.7';
const credentials = { CLICKHOUSE_USER: 'app', CLICKHOUSE_DB: 'app' };
const firstStartMs = 180_000;

const host = useTestHost();

beforeAll(async () => {
  await ensureTestImage(image);
});

interface Server {
  ask(text: string, user?: string, password?: string): Promise<{ status: number; text: string }>;
  /** By SIGTERM. @returns the exit code */
  stop(): Promise<number>;
}

/** @param password who can sign in when it is ready */
async function server(
  env: Record<string, string>,
  password: string,
  { volume, files = {} }: { volume?: string; files?: Record<string, string> } = {},
): Promise<Server> {
  const [port = 0] = await freePorts(1);
  const container = await host.docker.engine.createContainer({
    Image: image,
    Env: Object.entries(env).map(([key, value]) => `${key}=${value}`),
    Labels: { [labels.instance]: host.docker.instance },
    ExposedPorts: { '8123/tcp': {} },
    HostConfig: {
      PortBindings: { '8123/tcp': [{ HostIp: '127.0.0.1', HostPort: String(port) }] },
      ...(volume !== undefined && {
        Mounts: [{ Type: 'volume', Source: volume, Target: '/var/lib/clickhouse' }],
      }),
    },
  });
  await putFiles(host.docker, container.id, files);
  await container.start();
  const ask: Server['ask'] = async (text, user = 'app', key = password) => {
    const authorization = `Basic ${Buffer.from(`${user}:${key}`).toString('base64')}`;
    const url = `http://127.0.0.1:${port}/?database=app`;
    const answer = await fetch(url, { method: 'POST', body: text, headers: { authorization } });
    return { status: answer.status, text: (await answer.text()).trim() };
  };
  const isReady = () =>
    ask('SELECT 1').then(
      ({ status }) => status === 200,
      () => false,
    );
  await until('a server that answers', isReady, firstStartMs);
  return {
    ask,
    async stop() {
      await container.stop({ t: 30 });
      return (await container.inspect()).State.ExitCode;
    },
  };
}

test('data survives its container, buffered rows are written when it stops, and each start reads the password again', async () => {
  const volume = await host.docker.engine.createVolume({
    Labels: { [labels.instance]: host.docker.instance },
  });
  const first = await server({ ...credentials, CLICKHOUSE_PASSWORD: 'one' }, 'one', { volume: volume.name });
  await first.ask('CREATE TABLE kept (n Int8) ENGINE = MergeTree ORDER BY n');
  await first.ask(
    'CREATE TABLE late AS kept ENGINE = Buffer(app, kept, 1, 100, 1000, 10000, 100000, 100000, 1000000)',
  );
  await first.ask('INSERT INTO late VALUES (42)');
  expect((await first.ask('SELECT count() FROM kept')).text).toBe('0');
  expect(await first.stop()).toBe(0);

  const password = `tw"o's \\ <&]]>`;
  const second = await server({ ...credentials, CLICKHOUSE_PASSWORD: password }, password, {
    volume: volume.name,
  });
  expect((await second.ask('SELECT n FROM kept')).text).toBe('42');
  expect((await second.ask('SELECT 1', 'app', 'one')).status).toBe(403);
  expect(await second.stop()).toBe(0);
});

test('sign-in without the password is refused, not even as "default"', async () => {
  const running = await server({ ...credentials, CLICKHOUSE_PASSWORD: 'right' }, 'right');
  for (const [user, password] of [
    ['app', ''],
    ['app', 'wrong'],
    ['default', ''],
    ['default', 'right'],
  ] as const)
    expect([user, (await running.ask('SELECT 1', user, password)).status]).toEqual([
      user,
      expect.toBeOneOf([401, 403]),
    ]);
});

test('a password may come from a file, and a setting decides who may manage users', async () => {
  const files = { '/run/password': 'from a file' };
  const env = { ...credentials, CLICKHOUSE_PASSWORD_FILE: '/run/password' };
  const plain = await server(env, 'from a file', { files });
  expect((await plain.ask('CREATE USER other')).text).toContain('ACCESS_DENIED');
  const manager = await server({ ...env, CLICKHOUSE_DEFAULT_ACCESS_MANAGEMENT: '1' }, 'from a file', {
    files,
  });
  // A stand-in has no place to keep users; it no longer says that this one may not.
  expect((await manager.ask('CREATE USER other')).text).not.toContain('ACCESS_DENIED');
});
