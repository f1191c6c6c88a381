/** Sources of imports into Redis: what is taken, by whom, and what is refused in which words. */
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../../../../runner/base/clock.ts';
import { createDatabaseTls } from '../../../../../runner/database-tls/database-tls.ts';
import {
  type Login,
  type RedisSource,
  startRedisSource,
  withRedis,
} from '../../../../support/docker/redis-source.ts';
import { useDatabase } from '../../../../support/docker/use-databases.ts';
import { freePorts } from '../../../../support/free-ports.ts';

const password = 'tell-nobody/this';
const reader = 'user reader on >reads-only ~* +select +dbsize +scan +dump +pttl';

const env = { REDIS_PASSWORD: `it's "so" \\ zë` };
const target = useDatabase({ engine: 'redis', image: 'redis:8', env, limits: { memoryLimitMb: 256 } });
const sources: RedisSource[] = [];
let plain: RedisSource;

beforeAll(async () => {
  plain = await started([`requirepass ${password}`], { login: { password } });
  await plain.use((client) => client.mset('kept', '42', 'other', 'x'));
});
afterAll(async () => {
  for (const one of sources) await one.remove();
});
beforeEach(async () => {
  await target.removeOldData();
  await onTarget((client) => client.flushall());
});

async function started(...of: Parameters<typeof startRedisSource>): Promise<RedisSource> {
  const source = await startRedisSource(...of);
  sources.push(source);
  return source;
}
const onTarget = <T>(use: (client: Redis) => Promise<T>, login: Login = {}) =>
  withRedis({ port: target.port, password: env.REDIS_PASSWORD, ...login }, use);
const importFrom = (sourceUrl: string) =>
  target.run(target.importSpec({ source: 'redis-url' }), { sourceUrl });
const answer = () => onTarget((client) => client.get('kept'));

describe('TLS', () => {
  let secured: RedisSource;
  let authority: string;
  const at = (host: string, query = '') => `rediss://reader:reads-only@${host}:${secured.port}${query}`;

  beforeAll(async () => {
    const { dataDirectory, docker } = target.fixture.host;
    const publicAddress = async () => '192.0.2.7'; // RFC 5737: an address of nobody
    const tls = createDatabaseTls({
      dataDirectory,
      runnerId: docker.instance,
      clock: systemClock,
      publicAddress,
    });
    const { key, certificate } = await tls.issue(target.live.serviceId, ['localhost']);
    authority = tls.authority()?.toString() ?? '';
    secured = await started(
      [
        'port 0',
        'tls-port 6379',
        'tls-auth-clients no',
        'tls-cert-file /etc/source.crt',
        'tls-key-file /etc/source.key',
        reader,
        'user default on >owner ~* +@all',
      ],
      {
        login: { password: 'owner', tls: { rejectUnauthorized: false } },
        files: { '/etc/source.crt': certificate, '/etc/source.key': key },
      },
    );
    await secured.use(async (client) => {
      await client.set('kept', '42', 'EX', 3_600);
      await client.select(2);
      await client.set('two', '2');
    });
  });

  test('a source with TLS is read by a user who may only read, with its certificate verified for the name in the URL', async () => {
    const known = getCACertificates('default');
    setDefaultCACertificates([...known, authority]);
    try {
      expect(await importFrom(at('localhost'))).toMatchObject({ outcome: 'succeeded' });
    } finally {
      setDefaultCACertificates(known);
    }
    expect(await answer()).toBe('42');
    const ends = (use: typeof secured.use) => use((client) => client.pexpiretime('kept'));
    const [there, here] = [await ends(secured.use), await ends(onTarget)];
    // This user may ask only for the time that is left.
    expect(Math.abs(there - here)).toBeLessThan(60_000);
    expect(await onTarget((client) => client.get('two'), { db: 2 })).toBe('2');
  });

  test('an untrusted certificate is refused, unless the URL accepts any', async () => {
    expect(await importFrom(at('localhost'))).toMatchObject({
      code: 'import_failed',
      message: expect.stringMatching(/could not be opened: .*certificate.*"\?sslmode=require" in the URL/),
    });
    expect(await importFrom(at('127.0.0.1', '/2?sslmode=require'))).toMatchObject({
      outcome: 'succeeded',
    });
    expect(await onTarget((client) => client.get('two'), { db: 2 })).toBe('2');
  });

  test('a source that needs the other scheme is refused with its name', async () => {
    expect(await importFrom(at('localhost').replace('rediss:', 'redis:'))).toMatchObject({
      message: expect.stringMatching(/was lost.*needs a URL with rediss:/),
    });
    expect(await importFrom(`rediss://127.0.0.1:${plain.port}`)).toMatchObject({
      message: expect.stringMatching(/could not be opened.*needs a URL with redis:/),
    });
  });
});

test('a source that asks for a password is refused when the URL has none', async () => {
  expect(await importFrom(`redis://${plain.address}`)).toMatchObject({
    code: 'import_refused',
    message: expect.stringMatching(/asks for a password: redis:/),
  });
});

test('a source that does not answer fails the import with its name', async () => {
  const [port = 0] = await freePorts(1);
  expect(await importFrom(`redis://127.0.0.1:${port}`)).toMatchObject({
    code: 'import_failed',
    message: expect.stringMatching(/source 127\.0\.0\.1:\d+ could not be opened: .*ECONNREFUSED/),
  });
});

test('a part of a cluster is refused', async () => {
  const cluster = await started(['cluster-enabled yes']);
  expect(await importFrom(`redis://${cluster.address}`)).toMatchObject({
    code: 'import_refused',
    message: expect.stringMatching(/part of a cluster/),
  });
});

test('a source that denies a command or a key is refused with the name of the command', async () => {
  const kept = await started([
    'user blind on >blind ~* +select +dbsize +scan +pttl',
    'user narrow on >narrow ~many:* +@all',
  ]);
  await kept.use((client) => client.mset('many:1', 'x', 'other', 'x'));
  const cut = await started(['rename-command DUMP ""']);
  await cut.use((client) => client.set('a', 'x'));
  const outcomeOf = async (url: string) => {
    const ended = await importFrom(url);
    return 'message' in ended ? ended : undefined;
  };
  const refused = (words: RegExp) => ({ code: 'import_refused', message: expect.stringMatching(words) });
  expect(await outcomeOf(`redis://blind:blind@${kept.address}`)).toMatchObject(
    refused(/may not use DUMP.*\+dump/),
  );
  expect(await outcomeOf(`redis://narrow:narrow@${kept.address}`)).toMatchObject(
    refused(/may not read every key/),
  );
  expect(await outcomeOf(`redis://${cut.address}`)).toMatchObject(refused(/does not offer DUMP/));
  expect(await target.belongings()).toEqual(target.alone());
});

test('a logical database that the target or the source does not have is refused by its number', async () => {
  const wide = await started(['databases 40']);
  await wide.use((client) => client.set('far', 'x'), { db: 33 });
  expect(await importFrom(`redis://${wide.address}`)).toMatchObject({
    code: 'import_refused',
    message: expect.stringMatching(/no logical database 33 in the database of this service/),
  });
  expect(await importFrom(`redis://${wide.address}/77`)).toMatchObject({
    code: 'import_refused',
    message: expect.stringMatching(/no logical database 77 in the source/),
  });
});
