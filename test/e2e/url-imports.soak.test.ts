/** Imports from one running database into another of the same engine, through the real Worker and a real runner. */
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { beforeAll, describe, expect, test } from 'vitest';
import type { EngineName } from '../../protocol/database.ts';
import { containerOf, type DatabasePair, databasePair } from '../support/instance/database-pair.ts';
import type { Json } from '../support/instance/longshore.ts';
import { useInstance } from '../support/instance/use-instance.ts';
import { filesBelow, findSecrets } from '../support/instance/written-secrets.ts';

const count = 50_000;
const password = 'tell-nobody/of this';
const encoded = encodeURIComponent(password);
const expiresAt = Date.now() + 86_400_123;
const longshore = useInstance();
let pair: DatabasePair;

interface Case {
  engine: EngineName;
  /** Fills the source. @returns its URL, of a user who may only read, and what the list of imports shows of it */
  fill(): Promise<{ sourceUrl: string; sourceLabel: string }>;
  /** How many rows or keys it holds. */
  count(of: Json): Promise<number>;
  /** Asserts what else has arrived. */
  expectMore(): Promise<void>;
  /** A program that is seen while it copies; undefined: the runner copies by itself. */
  tool: string | undefined;
  /** Leaves so many rows in the target, and what the refusal says of them. */
  leave(): Promise<unknown>;
  left: { rows: number; words: RegExp };
  wrongPassword: RegExp;
}

const value = async (of: Json, command: string, database = 0) =>
  (await pair.query(of, command, { database }))[0]?.value;

const cases: Case[] = [
  {
    engine: 'postgres',
    async fill() {
      const { source, query } = pair;
      await query(source, 'create table notes (id int primary key, text text)');
      await query(source, `insert into notes select n, md5(n::text) from generate_series(1, ${count}) n`);
      await query(source, `create role reader login password '${password}' in role pg_read_all_data`);
      const { host, env } = await containerOf(source);
      const sourceUrl = `postgres://reader:${encoded}@${host}:5432/${env.POSTGRES_DB}`;
      return { sourceUrl, sourceLabel: `${host}/${env.POSTGRES_DB}` };
    },
    count: async (of) => (await pair.query(of, 'select count(*)::int as n from notes'))[0]?.n,
    async expectMore() {
      const rows = await pair.query(pair.target, 'select text = md5(id::text) as ok from notes where id = 7');
      expect(rows).toEqual([{ ok: true }]);
    },
    tool: 'pg_dump',
    leave: () => pair.query(pair.target, 'delete from notes where id > 10'),
    left: { rows: 10, words: /not empty: it has notes/ },
    wrongPassword: /password authentication failed.*Nothing was changed/,
  },
  {
    engine: 'redis',
    async fill() {
      const { host, env } = await containerOf(pair.source);
      const client = new Redis({ host, password: env.REDIS_PASSWORD ?? '' });
      const permissions = ['+select', '+scan', '+dump', '+pttl', '+pexpiretime', '+dbsize'];
      try {
        await client.call('ACL', 'SETUSER', 'reader', 'on', `>${password}`, '~*', ...permissions);
        await client.mset(Array.from({ length: count }, (_, at) => [`key:${at}`, `value ${at}`]).flat());
        await client.pexpireat('key:7', expiresAt);
        await client.select(5);
        await client.hset('five', { a: '1', b: '2' });
      } finally {
        client.disconnect();
      }
      return { sourceUrl: `redis://reader:${encoded}@${host}`, sourceLabel: `${host}/*` };
    },
    count: async (of) => Number(await value(of, 'DBSIZE')),
    async expectMore() {
      expect(await value(pair.target, 'GET key:49999')).toBe('value 49999');
      expect(await value(pair.target, 'PEXPIRETIME key:7')).toBe(String(expiresAt));
      expect(await value(pair.target, 'HGET five b', 5)).toBe('2');
    },
    tool: undefined,
    // The key in another logical database stays.
    leave: () => pair.query(pair.target, 'FLUSHDB', { database: 0 }),
    left: { rows: 1, words: /not empty: it has the logical database 5 \(keys: 1\)\./ },
    wrongPassword: /WRONGPASS.*Nothing was changed/,
  },
];

/** What every process of this machine was called with. */
async function allArguments(): Promise<string> {
  const processes = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = processes.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => ''));
  return (await Promise.all(lines)).join('\n');
}

describe.each(cases)('$engine', (one) => {
  const { engine } = one;
  const source = `${engine}-url`;
  let filled: Awaited<ReturnType<Case['fill']>>;

  beforeAll(async () => {
    pair = await databasePair(longshore, engine);
    filled = await one.fill();
  });

  const begin = (more: Json = {}) =>
    pair.call(pair.target, 'POST', `/import/${source}`, { sourceUrl: filled.sourceUrl, ...more });
  const ended = async (id: string) => await pair.ended(pair.imports, id);

  test('an import brings everything, and its password appears in no answer, argument or file', async () => {
    const { status, body } = await begin();
    const createdAt = expect.stringMatching(/Z$/);
    const result = { id: expect.stringMatching(/^imp_/), status: 'running', source, createdAt };
    expect([status, body.result]).toEqual([200, result]);
    const seen: string[] = [];
    let isOver = false;
    const looking = (async () => {
      for (; !isOver; await pause(20)) seen.push(await allArguments());
    })();
    const done = await ended(body.result.id).finally(() => {
      isOver = true;
    });
    await looking;
    const { sourceLabel } = filled;
    expect(done).toMatchObject({ status: 'succeeded', error: null, engine, source, sourceLabel });
    expect([await one.count(pair.target), await one.count(pair.source)]).toEqual([count, count]);
    await one.expectMore();
    if (one.tool) expect(seen.join('\n'), 'looked while it was copied').toContain(one.tool);
    const output = `${seen.join('\n')}${JSON.stringify([body, done])}`;
    for (const secret of [password, encoded]) expect(output).not.toContain(secret);
    const secrets = { password, sourceUrl: filled.sourceUrl };
    expect(await findSecrets(await filesBelow(longshore.dataDirectory), secrets)).toEqual([]);
  });

  test('an import into a filled database is refused unless it may replace the data, which is then backed up', async () => {
    await one.leave();
    const { rows, words } = one.left;
    const { status, body } = await begin();
    expect([status, body.code, body.error]).toEqual([409, 'conflict', expect.stringMatching(words)]);
    const done = await ended((await begin({ replace: true })).body.result.id);
    expect(done).toMatchObject({ status: 'succeeded', safetyBackupId: expect.stringMatching(/^bak_/) });
    expect(await one.count(pair.target)).toBe(count);
    const { backups } = (await pair.call(pair.target, 'GET', '/backups')).body;
    const safety = { id: done.safetyBackupId, status: 'succeeded', trigger: 'pre-restore', rows };
    expect(backups).toMatchObject([safety]);
  });

  test("an import with a wrong password fails with the server's words and changes nothing", async () => {
    const sourceUrl = filled.sourceUrl.replace(encoded, 'not-the-password');
    const done = await ended((await begin({ sourceUrl, replace: true })).body.result.id);
    expect(done).toMatchObject({ status: 'failed', error: expect.stringMatching(one.wrongPassword) });
    expect(JSON.stringify(done)).not.toContain('not-the-password');
    expect(await one.count(pair.target)).toBe(count);
  });
});

test('an import from an invalid URL, or into another engine, is 400', async () => {
  const { status, body } = await pair.call(pair.target, 'POST', '/import/redis-url', {
    sourceUrl: 'redis://:tell-nobody@host/x',
  });
  expect([status, body.code, body.error]).toEqual([
    400,
    'invalid_request',
    expect.stringMatching(/^The field "sourceUrl" is wrong: .*number of one logical database/),
  ]);
  expect(JSON.stringify(body)).not.toContain('tell-nobody');
  const other = await pair.call(pair.target, 'POST', '/import/postgres-url', {
    sourceUrl: 'postgres://u:p@h/d',
  });
  expect([other.status, other.body.code]).toEqual([400, 'unsupported']);
});
