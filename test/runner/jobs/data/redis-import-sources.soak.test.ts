/** Sources of imports into Redis: what is taken, by whom, and what is refused in which words. */
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../../../runner/base/clock.ts';
import { createDatabaseTls } from '../../../../runner/database-tls/database-tls.ts';
import { freePorts } from '../../../support/free-ports.ts';
import { type RedisImportScene, redisImportScene } from '../../support/redis-import-scene.ts';
import type { RedisSource } from '../../support/redis-source.ts';

const password = 'tell-nobody/this';
const reader = 'user reader on >reads-only ~* +select +dbsize +scan +dump +pttl';

let scene: RedisImportScene;
let plain: RedisSource;

beforeAll(async () => {
  scene = await redisImportScene();
  plain = await scene.started([`requirepass ${password}`], { login: { password } });
  await plain.use((client) => client.mset('kept', '42', 'other', 'x'));
});
afterAll(() => scene?.remove());
beforeEach(() => scene.reset());

const answer = () => scene.onTarget((client) => client.get('kept'));
const plainUrl = (host: string, secret = password) => `redis://:${encodeURIComponent(secret)}@${host}`;

describe('a source with TLS', () => {
  let secured: RedisSource;
  let authority: string;
  const at = (host: string, query = '') => `rediss://reader:reads-only@${host}:${secured.port}${query}`;

  beforeAll(async () => {
    const { dataDirectory, docker } = scene.fixture.host;
    const publicAddress = async () => '192.0.2.7'; // RFC 5737: an address of nobody
    const tls = createDatabaseTls({
      dataDirectory,
      runnerId: docker.instance,
      clock: systemClock,
      publicAddress,
    });
    const { key, certificate } = await tls.issue(scene.target.serviceId, ['localhost']);
    authority = tls.authority()?.toString() ?? '';
    secured = await scene.started(
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

  test('is read by a user who may only read, with its certificate verified for the name in the URL', async () => {
    const known = getCACertificates('default');
    setDefaultCACertificates([...known, authority]);
    try {
      expect(await scene.run({ url: at('localhost') })).toMatchObject({ outcome: 'succeeded' });
    } finally {
      setDefaultCACertificates(known);
    }
    expect(await answer()).toBe('42');
    const ends = (use: typeof secured.use) => use((client) => client.pexpiretime('kept'));
    const [there, here] = [await ends(secured.use), await ends(scene.onTarget)];
    // This user may ask only for the time that is left.
    expect(Math.abs(there - here)).toBeLessThan(60_000);
    expect(await scene.onTarget((client) => client.get('two'), { db: 2 })).toBe('2');
  });

  test('whose certificate nobody vouches for is refused, unless any is taken', async () => {
    expect(await scene.run({ url: at('localhost') })).toMatchObject({
      code: 'import_failed',
      message: expect.stringMatching(/could not be opened: .*certificate.*"\?sslmode=require" in the URL/),
    });
    expect(await scene.run({ url: at('127.0.0.1', '/2?sslmode=require') })).toMatchObject({
      outcome: 'succeeded',
    });
    expect(await scene.onTarget((client) => client.get('two'), { db: 2 })).toBe('2');
  });

  test('is asked for by its scheme: the refusal names the other one', async () => {
    expect(await scene.run({ url: at('localhost').replace('rediss:', 'redis:') })).toMatchObject({
      message: expect.stringMatching(/was lost.*needs a URL with rediss:/),
    });
    expect(await scene.run({ url: `rediss://127.0.0.1:${plain.port}` })).toMatchObject({
      message: expect.stringMatching(/could not be opened.*needs a URL with redis:/),
    });
  });
});

describe('a source', () => {
  test('at a private address is refused where the operator has not allowed it', async () => {
    for (const host of [plain.address, '127.0.0.1', 'localhost', '[::ffff:10.0.0.1]'])
      expect(await scene.run({ url: plainUrl(host), isAllowed: false })).toMatchObject({
        code: 'import_refused',
        message: expect.stringMatching(/private address.*LONGSHORE_ALLOW_PRIVATE=import/),
      });
  });

  test.each(['169.254.169.254', '[::ffff:169.254.169.254]', '[fe80::1]', '0.0.0.0', '[::]'])(
    'at %s is refused always',
    async (host) => {
      expect(await scene.run({ url: plainUrl(host) })).toMatchObject({
        code: 'import_refused',
        message: expect.stringMatching(/another machine for everybody/),
      });
    },
  );

  test('that refuses the password is quoted, the password never', async () => {
    const ended = await scene.run({ url: plainUrl(plain.address, 'wrong-and-secret') });
    expect(ended).toMatchObject({
      code: 'import_failed',
      message: expect.stringMatching(/WRONGPASS[^.]*\. Nothing was changed\.$/),
    });
    expect(JSON.stringify(ended)).not.toMatch(/wrong-and-secret/);
  });

  test('that asks for a password where the URL has none is told of', async () => {
    expect(await scene.run({ url: `redis://${plain.address}` })).toMatchObject({
      code: 'import_refused',
      message: expect.stringMatching(/asks for a password: redis:/),
    });
  });

  test('that nobody answers for fails with its name', async () => {
    const [port = 0] = await freePorts(1);
    expect(await scene.run({ url: `redis://127.0.0.1:${port}` })).toMatchObject({
      code: 'import_failed',
      message: expect.stringMatching(/source 127\.0\.0\.1:\d+ could not be opened: .*ECONNREFUSED/),
    });
  });

  test('of a cluster is refused', async () => {
    const cluster = await scene.started(['cluster-enabled yes']);
    expect(await scene.run({ url: `redis://${cluster.address}` })).toMatchObject({
      code: 'import_refused',
      message: expect.stringMatching(/part of a cluster/),
    });
  });

  test('that keeps a command or a key from its user, or a command from all, is refused by the name of it', async () => {
    const kept = await scene.started([
      'user blind on >blind ~* +select +dbsize +scan +pttl',
      'user narrow on >narrow ~many:* +@all',
    ]);
    await kept.use((client) => client.mset('many:1', 'x', 'other', 'x'));
    const cut = await scene.started(['rename-command DUMP ""']);
    await cut.use((client) => client.set('a', 'x'));
    const told = async (url: string) => {
      const ended = await scene.run({ url });
      return 'message' in ended ? ended : undefined;
    };
    const refused = (words: RegExp) => ({ code: 'import_refused', message: expect.stringMatching(words) });
    expect(await told(`redis://blind:blind@${kept.address}`)).toMatchObject(
      refused(/may not use DUMP.*\+dump/),
    );
    expect(await told(`redis://narrow:narrow@${kept.address}`)).toMatchObject(
      refused(/may not read every key/),
    );
    expect(await told(`redis://${cut.address}`)).toMatchObject(refused(/does not offer DUMP/));
    expect(await scene.thereIs()).toEqual(scene.alone());
  });

  test('with keys in a logical database that is not there on this side, or without the one that is named, is refused', async () => {
    const wide = await scene.started(['databases 40']);
    await wide.use((client) => client.set('far', 'x'), { db: 33 });
    expect(await scene.run({ url: `redis://${wide.address}` })).toMatchObject({
      code: 'import_refused',
      message: expect.stringMatching(/no logical database 33 in the database that is filled/),
    });
    expect(await scene.run({ url: `redis://${wide.address}/77` })).toMatchObject({
      code: 'import_refused',
      message: expect.stringMatching(/no logical database 77 in the source/),
    });
  });
});
