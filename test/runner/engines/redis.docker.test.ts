import type { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EngineSession } from '../../../runner/engines/engine.ts';
import { redis } from '../../../runner/engines/redis.ts';
import { type EngineHost, startEngine } from '../../support/docker/engine-container.ts';
import { engineContract } from './engine-contract.ts';
import { caps, env, id, image, redisFixture, withClient } from './redis-fixture.ts';

describe('Redis keeps the contract of the engines:', () => engineContract(redisFixture));

describe('Redis', () => {
  let host: EngineHost;
  let session: EngineSession;
  const client = <T>(use: (client: Redis) => Promise<T>) => withClient(host.address, env, use);
  const ask = (text: string, database?: number) =>
    session.query({ action: 'query', text, ...(database !== undefined && { database }) }, caps);
  const page = (table: string, limit = 50, offset = 0) =>
    session.rows({ action: 'rows', table, limit, offset });
  const rowsOf = async (table: string) => (await page(table)).rows;

  beforeAll(async () => {
    host = await startEngine(redis, image, env);
    session = await redis.connect(host.address, env);
  });
  afterAll(async () => {
    await session?.close();
    await host?.remove();
  });

  describe('keys', () => {
    test('20,000 keys are all listed in pages of at most 2,000, and a pattern filters them', async () => {
      await client(async (client) => {
        for (let first = 0; first < 20_000; first += 5_000) {
          const pairs = Array.from({ length: 5_000 }, (_, at) => [`many:${first + at}`, 'x']).flat();
          await client.call('MSET', '-1', 'x', ...pairs);
        }
      });
      const names = new Set<string>();
      let cursor: string | null | undefined;
      do {
        const answer = await session.tables({ action: 'tables', match: 'many:*', ...(cursor && { cursor }) });
        expect(answer.tables.length).toBeLessThanOrEqual(2_000);
        for (const { name } of answer.tables) names.add(name);
        cursor = answer.cursor;
      } while (cursor);
      expect(names.size).toBe(20_000);

      const one = await session.tables({ action: 'tables', match: 'many:1234?' });
      expect(one.tables).toHaveLength(10);
      expect(one.cursor).toBeNull();
    });

    test('an invalid cursor is refused', async () => {
      const asked = session.tables({ action: 'tables', cursor: '1; FLUSHALL' });
      await expect(asked).rejects.toMatchObject({ code: 'invalid_request' });
    });

    test('a logical database shows its own keys, and its ids lead there alone', async () => {
      await client(async (client) => {
        await client.select(3);
        await client.hset('there', 'a', '1');
      });
      const { tables } = await session.tables({ action: 'tables', database: 3 });
      expect(tables).toEqual([{ id: id('there', 3), name: 'there', schema: 'hash', rowCount: 1 }]);
      expect(await rowsOf(id('there', 3))).toEqual([{ field: 'a', value: '1' }]);
      await session.insert({ action: 'insert', table: id('there', 3), values: { field: 'b', value: '2' } });
      expect((await ask('HGET there b', 3)).rows).toEqual([{ value: '2' }]);
      expect((await ask('EXISTS there')).rows).toEqual([{ value: '0' }]);
      const other = session.rows({ action: 'rows', table: id('there', 3), limit: 1, offset: 0, database: 2 });
      await expect(other).rejects.toMatchObject({ code: 'invalid_request' });
    });

    test('a logical database that the server lacks is refused', async () => {
      for (const database of [16, -1, 4_000_000_000]) {
        const asked = session.tables({ action: 'tables', database });
        await expect(asked, String(database)).rejects.toMatchObject({ code: 'invalid_request' });
      }
    });
  });

  describe('rows', () => {
    test('rows of a set and of a hash too large to be sorted come once each, page by page', async () => {
      await client(async (client) => {
        const members = Array.from({ length: 12_000 }, (_, at) => `m${at}`);
        await client.sadd('large set', ...members);
        await client.hset('large hash', ...members.flatMap((member) => [member, member]));
      });
      for (const [key, column] of [
        ['large set', 'member'],
        ['large hash', 'field'],
      ] as const) {
        const seen = new Set<unknown>();
        for (let offset = 0; offset < 12_000; offset += 500) {
          for (const row of (await page(id(key), 500, offset)).rows) seen.add(row[column]);
        }
        expect([key, seen.size]).toEqual([key, 12_000]);
      }
    });

    test('rows of a stream are entered at any number, also with repeated fields', async () => {
      await client(async (client) => {
        for (let at = 1; at <= 30; at++) await client.xadd('stream', `${at}-0`, 'a', String(at), 'a', '2');
      });
      expect((await page(id('stream'), 2, 25)).rows).toEqual([
        {
          id: '26-0',
          fields: [
            ['a', '26'],
            ['a', '2'],
          ],
        },
        {
          id: '27-0',
          fields: [
            ['a', '27'],
            ['a', '2'],
          ],
        },
      ]);
    });

    test('rows of a sorted set have scores that JSON has numbers for, and those that it has none for', async () => {
      await client((client) => client.zadd('scores', '-inf', 'a', '0.1', 'b', '1e300', 'c', 'inf', 'd'));
      expect((await rowsOf(id('scores'))).map(({ score }) => score)).toEqual(['-inf', 0.1, 1e300, 'inf']);
    });

    test('rows come with the seconds that the key has left', async () => {
      await client((client) => client.set('going', 'x', 'EX', 1_000));
      const { ttl } = await page(id('going'));
      expect(ttl).toBeGreaterThan(900);
      expect(ttl).toBeLessThanOrEqual(1_000);
      await ask('SET staying x');
      expect((await page(id('staying'))).ttl).toBeNull();
    });

    test('rows that are too large to show are refused, not read', async () => {
      await ask('SETRANGE huge 50000000 x');
      await expect(page(id('huge'))).rejects.toMatchObject({ code: 'invalid_request' });
      expect((await ask('GET huge')).truncated).toBe(true);
      expect((await ask('STRLEN huge')).rows).toEqual([{ value: '50000001' }]);
    });
  });

  describe('edit', () => {
    const insert = (table: string, values: Parameters<EngineSession['insert']>[0]['values']) =>
      session.insert({ action: 'insert', table, values });

    test('a string changes from the value that was read, and keeps its time', async () => {
      await ask('SET value before EX 1000');
      const table = id('value');
      const update = (from: string, to: string) =>
        session.update({ action: 'update', table, primaryKey: { value: from }, values: { value: to } });
      await expect(update('other', 'after')).rejects.toMatchObject({ code: 'not_found' });
      await update('before', 'after');
      expect(await page(table)).toMatchObject({ rows: [{ value: 'after' }], ttl: expect.any(Number) });
      await expect(insert(table, { value: 'x' })).rejects.toMatchObject({ code: 'conflict' });
      await session.delete({ action: 'delete', table, primaryKey: { value: 'after' } });
      await expect(page(table)).rejects.toMatchObject({ code: 'not_found' });
    });

    test('a list takes a new value at its end, changes any index, and removes one of several equal values', async () => {
      await ask('RPUSH list a b a');
      const table = id('list');
      expect(await insert(table, { value: 'c' })).toEqual({ id: 3 });
      await session.update({ action: 'update', table, primaryKey: { index: 1 }, values: { value: 'B' } });
      await session.delete({ action: 'delete', table, primaryKey: { index: '2' } });
      expect((await rowsOf(table)).map(({ value }) => value)).toEqual(['a', 'B', 'c']);
      for (const [index, code] of [
        [3, 'not_found'],
        [-1, 'invalid_request'],
        ['x', 'invalid_request'],
      ] as const) {
        const asked = session.delete({ action: 'delete', table, primaryKey: { index } });
        await expect(asked, String(index)).rejects.toMatchObject({ code });
      }
    });

    test('a set holds each member once, and a member can be changed into a new one', async () => {
      await ask('SADD members a b');
      const table = id('members');
      expect(await insert(table, { member: '\\xff' })).toEqual({ id: '\\xff' });
      await expect(insert(table, { member: 'a' })).rejects.toMatchObject({ code: 'conflict' });
      const update = (from: string, to: string) =>
        session.update({ action: 'update', table, primaryKey: { member: from }, values: { member: to } });
      await expect(update('a', 'b')).rejects.toMatchObject({ code: 'conflict' });
      await update('a', 'z');
      await session.delete({ action: 'delete', table, primaryKey: { member: 'b' } });
      expect(await rowsOf(table)).toEqual([{ member: 'z' }, { member: '\\xff' }]);
    });

    test('a sorted set changes scores, holds each member once, and refuses a score that is not a number', async () => {
      await ask('ZADD board 1 a');
      const table = id('board');
      expect(await insert(table, { member: 'b', score: 2.5 })).toEqual({ id: 'b' });
      await expect(insert(table, { member: 'b', score: 1 })).rejects.toMatchObject({ code: 'conflict' });
      await expect(insert(table, { member: 'c', score: 'much' })).rejects.toMatchObject({
        code: 'invalid_request',
      });
      await session.update({
        action: 'update',
        table,
        primaryKey: { member: 'a' },
        values: { score: '-inf' },
      });
      expect(await rowsOf(table)).toEqual([
        { member: 'a', score: '-inf' },
        { member: 'b', score: 2.5 },
      ]);
    });

    test("a stream's entries are added and removed, and never changed", async () => {
      await ask('XADD events 1-0 a 1');
      const table = id('events');
      expect(await insert(table, { id: '2-0', fields: { b: '2' } })).toEqual({ id: '2-0' });
      await expect(insert(table, { fields: [] })).rejects.toMatchObject({ code: 'invalid_request' });
      const primaryKey = { id: '1-0' };
      const asked = session.update({ action: 'update', table, primaryKey, values: { fields: { a: '2' } } });
      await expect(asked).rejects.toMatchObject({ code: 'unsupported' });
      await session.delete({ action: 'delete', table, primaryKey });
      await expect(session.delete({ action: 'delete', table, primaryKey })).rejects.toMatchObject({
        code: 'not_found',
      });
      expect(await rowsOf(table)).toEqual([{ id: '2-0', fields: [['b', '2']] }]);
    });

    test('twenty simultaneous changes of one key are each made once or refused, and none is lost', async () => {
      await ask('RPUSH race x');
      const asked = Array.from({ length: 20 }, (_, at) => insert(id('race'), { value: String(at) }));
      const done = (await Promise.allSettled(asked)).filter(({ status }) => status === 'fulfilled');
      expect((await page(id('race'))).total).toBe(1 + done.length);
      expect(done.length).toBeGreaterThan(0);
    });

    test('text that begins with \\x and is not hexadecimal is refused by its column', async () => {
      await ask('SADD bytes a');
      for (const member of ['\\xf', '\\xzz', '\ud800']) {
        await expect(insert(id('bytes'), { member })).rejects.toMatchObject({
          code: 'invalid_request',
          message: expect.stringContaining('`member`'),
        });
      }
    });
  });
});
