import type { MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EngineSession } from '../../../runner/engines/engine.ts';
import { mongodb } from '../../../runner/engines/mongodb.ts';
import { type EngineHost, startEngine } from '../../support/docker/engine-container.ts';
import { engineContract } from './engine-contract.ts';
import { mongoEnv, mongoFixture, mongoImage, withMongo } from './mongodb-fixture.ts';

engineContract(mongoFixture);

const caps = { timeoutMs: 15_000, rowsMax: 1_000, bytesMax: 1_000_000 };
const hex = '65a0b1c2d3e4f5a6b7c8d9e0';

describe('MongoDB only', () => {
  let host: EngineHost;
  let session: EngineSession;

  beforeAll(async () => {
    host = await startEngine(mongodb, mongoImage, mongoEnv);
    session = await mongodb.connect(host.address, mongoEnv);
  });
  afterAll(async () => {
    await session?.close();
    await host?.remove();
  });

  const client = <T>(use: (client: MongoClient) => Promise<T>) => withMongo(host.address, mongoEnv, use);
  const ask = (command: object) => session.query({ action: 'query', text: JSON.stringify(command) }, caps);
  const insert = (table: string, values: Record<string, never>) =>
    session.insert({ action: 'insert', table, values });
  /** Makes an empty collection and gives its table id. */
  async function made(name: string): Promise<string> {
    await ask({ create: name });
    return `test.${name}`;
  }
  const all = async (table: string) =>
    (await session.rows({ action: 'rows', table, limit: 500, offset: 0 })).rows;
  const json = (value: unknown) => value as never;

  describe('documents', () => {
    test('a document that is read can be sent back and stays the same', async () => {
      const table = await made('copied');
      const { rows } = mongoFixture.awkward;
      // A shell's undefined has no way in; what is deprecated is read alone.
      for (const row of rows) await insert(table, json(row));
      expect(await all(table)).toEqual(rows);
    });

    test('a key that the server makes is in the answer as it is read', async () => {
      const table = await made('generated');
      const { id } = await insert(table, json({ a: 1 }));
      expect(await all(table)).toEqual([{ _id: JSON.parse(String(id)), a: 1 }]);
    });

    test('a text, a number and an object id of the same letters are three keys', async () => {
      const table = await made('keys');
      for (const _id of ['1', 1, { $oid: hex }, hex]) await insert(table, json({ _id }));
      const remove = (_id: unknown) => session.delete({ action: 'delete', table, primaryKey: json({ _id }) });
      await remove(hex);
      expect(await all(table)).toEqual([{ _id: 1 }, { _id: '1' }, { _id: { $oid: hex } }]);
      await remove('1');
      await remove({ $oid: hex });
      expect(await all(table)).toEqual([{ _id: 1 }]);
      await expect(remove('1')).rejects.toMatchObject({ code: 'not_found' });
    });

    test('a condition in a key is a value: it matches nothing', async () => {
      const table = await made('conditions');
      await insert(table, json({ _id: 1 }));
      for (const _id of [{ $gt: 0 }, { $ne: null }, { $exists: true }, { $in: [1] }]) {
        const primaryKey = json({ _id });
        await expect(session.delete({ action: 'delete', table, primaryKey })).rejects.toMatchObject({
          code: 'not_found',
        });
        const update = session.update({ action: 'update', table, primaryKey, values: json({ a: 1 }) });
        await expect(update).rejects.toMatchObject({ code: 'not_found' });
      }
      expect(await all(table)).toEqual([{ _id: 1 }]);
    });

    test('a change touches the fields that it names, and keeps the type of the others', async () => {
      const table = await made('untouched');
      const before = {
        _id: 1,
        long: { $numberLong: '1' },
        whole: { $numberDouble: '1.0' },
        inner: { a: 1, b: 2 },
      };
      await insert(table, json(before));
      const values = json({ inner: { b: { $numberDecimal: '2.50' } }, added: null });
      await session.update({ action: 'update', table, primaryKey: { _id: 1 }, values });
      expect(await all(table)).toEqual([
        { ...before, inner: { b: { $numberDecimal: '2.50' } }, added: null },
      ]);
    });

    test.each(['a.b', '$set', '', 'a\u0000b'])('the field %j is refused by its name', async (name) => {
      const table = 'test.untouched';
      const values = json({ [name]: 1 });
      const refusal = { code: 'invalid_request', message: expect.stringContaining(JSON.stringify(name)) };
      await expect(session.insert({ action: 'insert', table, values })).rejects.toMatchObject(refusal);
      const update = session.update({ action: 'update', table, primaryKey: { _id: 1 }, values });
      await expect(update).rejects.toMatchObject(refusal);
    });

    test('the key of a document cannot be changed', async () => {
      const table = await made('fixed');
      await insert(table, json({ _id: 1 }));
      const update = session.update({ action: 'update', table, primaryKey: { _id: 1 }, values: { _id: 2 } });
      await expect(update).rejects.toMatchObject({
        code: 'invalid_request',
        message: expect.stringMatching(/_id/),
      });
    });

    test.each([
      ['a rounded number', 2 ** 53, /rounded: write/],
      ['a broken object id', { $oid: 'x' }, /"values.v" is not Extended JSON/],
      ['a date that is none', { $date: 'tomorrow' }, /not a date/],
      ['too many levels', JSON.parse('['.repeat(200) + ']'.repeat(200)), /100 levels/],
    ])('%s is refused, not stored as something else', async (_, v, words) => {
      const table = await made('refused');
      await expect(insert(table, json({ v }))).rejects.toMatchObject({
        code: 'invalid_request',
        message: expect.stringMatching(words),
      });
      expect(await all(table)).toEqual([]);
    });

    test('a view whose pipeline fails is listed with the others', async () => {
      await insert(await made('listed'), { n: json(1) });
      const pipeline = [{ $match: { $expr: { $eq: [{ $divide: ['$n', 0] }, 1] } } }];
      await ask({ create: 'failing', viewOn: 'listed', pipeline });
      const { tables } = await session.tables({ action: 'tables' });
      const counts = new Map(tables.map(({ id, rowCount }) => [id, rowCount]));
      expect([counts.get('test.listed'), counts.get('test.failing')]).toEqual([1, 0]);
      await expect(all('test.failing')).rejects.toThrow();
    });

    test('a view is read, and refuses changes in the words of the server', async () => {
      await ask({ create: 'seen', viewOn: 'untouched', pipeline: [] });
      expect(await all('test.seen')).toHaveLength(1);
      await expect(insert('test.seen', json({ _id: 9 }))).rejects.toMatchObject({ code: 'invalid_request' });
    });
  });

  describe('commands', () => {
    test('commands give a distinct value, a count and a changed document as rows', async () => {
      const table = await made('answers');
      for (const _id of [1, 2, 3]) await insert(table, json({ _id, group: _id % 2 }));
      expect(await ask({ distinct: 'answers', key: 'group' })).toMatchObject({
        columns: [{ name: 'group', type: 'int' }],
        rows: [{ group: 0 }, { group: 1 }],
      });
      expect(await ask({ count: 'answers', query: { group: 1 } })).toMatchObject({ rows: [{ n: 2 }] });
      const change = { findAndModify: 'answers', query: { _id: 1 }, update: { $set: { a: 1 } }, new: true };
      expect(await ask(change)).toMatchObject({ rows: [{ _id: 1, group: 1, a: 1 }], rowCount: 1 });
      expect(await ask({ ping: 1 })).toEqual({ columns: [], rows: [], rowCount: 0, truncated: false });
    });

    test('insert, update and delete say how many documents they changed', async () => {
      // In what is stored, an operator's name is a name.
      const documents = [{ _id: 1, stored: { $where: 'x' } }, { _id: 2 }];
      expect((await ask({ insert: 'counted', documents })).rowCount).toBe(2);
      expect(
        (await ask({ update: 'counted', updates: [{ q: { _id: 1 }, u: { $set: { a: 1 } } }] })).rowCount,
      ).toBe(1);
      expect((await ask({ delete: 'counted', deletes: [{ q: {}, limit: 0 }] })).rowCount).toBe(2);
    });

    test('a write that fails half way is a conflict that says how many were changed before', async () => {
      const documents = [{ _id: 1 }, { _id: 1 }, { _id: 2 }];
      await expect(ask({ insert: 'half', documents })).rejects.toMatchObject({
        code: 'conflict',
        message: expect.stringMatching(/_id_.*\(11000\); 1 documents were changed before/),
      });
    });

    test("expressions and values come typed, in the user's order of fields", async () => {
      const pipeline = [
        { $match: { _id: { $oid: hex } } },
        {
          $project: {
            _id: 0,
            z: { $add: [{ $numberLong: '1' }, 1] },
            a: { $literal: { $numberDouble: '2.0' } },
          },
        },
      ];
      await insert(await made('typed'), json({ _id: { $oid: hex } }));
      expect(await ask({ aggregate: 'typed', pipeline })).toMatchObject({
        columns: [
          { name: 'z', type: 'long' },
          { name: 'a', type: 'double' },
        ],
        rows: [{ z: { $numberLong: '2' }, a: { $numberDouble: '2.0' } }],
      });
    });

    test("commands run in the database that drivers use by default, or in the one that $db names, but for the server's own", async () => {
      await ask({ insert: 'placed', documents: [{ _id: 1 }] });
      await ask({ insert: 'placed', documents: [{ _id: 2 }], $db: 'shop' });
      expect(await all('test.placed')).toEqual([{ _id: 1 }]);
      expect(await all('shop.placed')).toEqual([{ _id: 2 }]);
      expect(await ask({ find: 'placed', $db: 'shop' })).toMatchObject({ rows: [{ _id: 2 }] });
      const merge = {
        aggregate: 'placed',
        pipeline: [{ $merge: { into: { db: 'test', coll: 'placed' } } }],
        $db: 'shop',
      };
      await expect(ask(merge)).rejects.toMatchObject({ code: 'unsupported' });
      for (const $db of ['admin', 'config', 'local', '', 1, null, 'a.b', 'a b', '$x', 'x\u0000admin']) {
        const refused = { code: expect.stringMatching(/^(unsupported|invalid_request)$/) };
        await expect(ask({ insert: 'placed', documents: [{}], $db }), String($db)).rejects.toMatchObject(
          refused,
        );
      }
      const inAnother = await mongodb.connect(host.address, { ...mongoEnv, MONGO_INITDB_DATABASE: 'shop' });
      const found = await inAnother.query({ action: 'query', text: '{"find": "placed"}' }, caps);
      await inAnother.close();
      expect(found.rows).toEqual([{ _id: 2 }]);
    });

    test('a shorter time limit of the user is respected', async () => {
      await client((one) =>
        one
          .db('test')
          .collection('many')
          .insertMany(Array.from({ length: 1_500 }, (_, at) => json({ _id: at }))),
      );
      const slow = JSON.parse(mongoFixture.query.slow ?? '');
      await expect(ask({ ...slow, maxTimeMS: 300 })).rejects.toMatchObject({
        message: expect.stringContaining('0.3 s'),
      });
    });
  });

  describe('a password', () => {
    const changed = { ...mongoEnv, MONGO_INITDB_ROOT_PASSWORD: 'än"other\\' };

    test('a password is changed in the data: the new one holds, the old one is refused, and back', async () => {
      await mongodb.changeCredentials(host.address, mongoEnv, changed);
      await mongodb.ping(host.address, changed);
      await expect(mongodb.ping(host.address, mongoEnv)).rejects.toMatchObject({ code: 'unavailable' });
      await mongodb.changeCredentials(host.address, changed, mongoEnv);
      await mongodb.ping(host.address, mongoEnv);
    });

    test('a password of another user is refused: the data knows only the first user', async () => {
      const other = { ...changed, MONGO_INITDB_ROOT_USERNAME: 'other' };
      await expect(mongodb.changeCredentials(host.address, mongoEnv, other)).rejects.toMatchObject({
        code: 'unsupported',
        message: expect.stringContaining('MONGO_INITDB_ROOT_USERNAME'),
      });
      await mongodb.ping(host.address, mongoEnv);
    });

    test('a password is required: nobody reads without one', async () => {
      const nobody = withMongo(host.address, {}, (one) => one.db('test').collection('many').findOne());
      await expect(nobody).rejects.toThrow(/authentication/i);
    });
  });
});
