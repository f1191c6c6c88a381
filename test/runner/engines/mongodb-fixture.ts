/** What the contract asks of MongoDB. */
import { BSON, MongoClient } from 'mongodb';
import type { EngineAddress, EngineEnvironment } from '../../../runner/engines/engine.ts';
import { mongodb } from '../../../runner/engines/mongodb.ts';
import type { EngineFixture } from './engine-contract.ts';
import { mongodbNumbers } from './numbers/mongodb-numbers.ts';

const { Binary, BSONRegExp, Code, Decimal128, Double, Int32, Long, MaxKey, MinKey, ObjectId, Timestamp } =
  BSON;

const password = `it's "so" \\ zë @:/%`;
export const mongoImage = 'mongo:7';
export const mongoEnv = { MONGO_INITDB_ROOT_USERNAME: 'app', MONGO_INITDB_ROOT_PASSWORD: password };
const id = '65a0b1c2d3e4f5a6b7c8d9e0';
const oddName = `we-ird "t"; -- .ünï {a: 1}`;

export async function withMongo<T>(
  { port }: EngineAddress,
  env: EngineEnvironment,
  use: (client: MongoClient) => Promise<T>,
): Promise<T> {
  const { MONGO_INITDB_ROOT_USERNAME: username, MONGO_INITDB_ROOT_PASSWORD: password = '' } = env;
  const client = new MongoClient(`mongodb://127.0.0.1:${port}/?directConnection=true`, {
    ...(username && { auth: { username, password }, authSource: 'admin' }),
    serverMonitoringMode: 'poll',
    serverSelectionTimeoutMS: 20_000,
  });
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}

/** What is stored, and how it is read. */
const awkward: [stored: Record<string, unknown>, read: Record<string, unknown>, type: string][] = [
  [{ v: new Int32(1) }, { v: 1 }, 'int'],
  [{ v: new Double(1) }, { v: { $numberDouble: '1.0' } }, 'double'],
  [{ v: new Double(-0) }, { v: { $numberDouble: '-0.0' } }, 'double'],
  [{ v: new Double(0.1) }, { v: 0.1 }, 'double'],
  [{ v: new Double(Number.NaN) }, { v: { $numberDouble: 'NaN' } }, 'double'],
  [{ v: new Double(Number.NEGATIVE_INFINITY) }, { v: { $numberDouble: '-Infinity' } }, 'double'],
  [{ v: new Long(1) }, { v: { $numberLong: '1' } }, 'long'],
  [{ v: Long.MIN_VALUE }, { v: { $numberLong: '-9223372036854775808' } }, 'long'],
  [{ v: Decimal128.fromString('1.50') }, { v: { $numberDecimal: '1.50' } }, 'decimal'],
  [{ v: 'ünï "quoted" 💧' }, { v: 'ünï "quoted" 💧' }, 'string'],
  [{ v: '' }, { v: '' }, 'string'],
  [{ v: true }, { v: true }, 'bool'],
  [{ v: null }, { v: null }, 'null'],
  [{}, {}, ''],
  [{ v: new ObjectId(id) }, { v: { $oid: id } }, 'objectId'],
  [{ v: new Date('2026-11-21T10:00:00.123Z') }, { v: { $date: '2026-11-21T10:00:00.123Z' } }, 'date'],
  [{ v: new Date(-1) }, { v: { $date: { $numberLong: '-1' } } }, 'date'],
  [{ v: new Date(253_402_300_800_000) }, { v: { $date: { $numberLong: '253402300800000' } } }, 'date'],
  [
    { v: new Binary(Buffer.from([0, 255]), 0x80) },
    { v: { $binary: { base64: 'AP8=', subType: '80' } } },
    'binData',
  ],
  [
    { v: new BSONRegExp('^a/b\\d', 'im') },
    { v: { $regularExpression: { pattern: '^a/b\\d', options: 'im' } } },
    'regex',
  ],
  [
    { v: new Timestamp({ t: 4_294_967_295, i: 2 }) },
    { v: { $timestamp: { t: 4_294_967_295, i: 2 } } },
    'timestamp',
  ],
  [{ v: new MinKey() }, { v: { $minKey: 1 } }, 'minKey'],
  [{ v: new MaxKey() }, { v: { $maxKey: 1 } }, 'maxKey'],
  [{ v: new Code('x()') }, { v: { $code: 'x()' } }, 'javascript'],
  [
    { v: { a: [new Long(2), { b: null }], 'c.d': new Double(2) } },
    { v: { a: [{ $numberLong: '2' }, { b: null }], 'c.d': { $numberDouble: '2.0' } } },
    'object',
  ],
  [{ v: [] }, { v: [] }, 'array'],
];
const awkwardTypes = [...new Set(awkward.map(([, , type]) => type).filter(Boolean))].sort();

/** Each of these takes as long as all of the ones inside it, for every document. */
const nested = (depth: number): object[] =>
  depth === 0
    ? []
    : [
        {
          $lookup: {
            from: 'many',
            let: { outer: '$_id' },
            pipeline: [
              { $match: { $expr: { $ne: ['$_id', { $add: ['$$outer', 0.5] }] } } },
              ...nested(depth - 1),
            ],
            as: `inner${depth}`,
          },
        },
        { $unwind: `$inner${depth}` },
        { $count: 'n' },
      ];

export const mongoFixture: EngineFixture = {
  engine: mongodb,
  image: mongoImage,
  env: mongoEnv,
  password,
  wrongEnv: { ...mongoEnv, MONGO_INITDB_ROOT_PASSWORD: 'wrong' },
  fill: (address, env) =>
    withMongo(address, env, async (client) => {
      const db = client.db('test');
      await db.collection('people').insertMany([
        { _id: 'z', name: 'text' },
        { _id: 3, name: 'three' },
        { _id: new ObjectId(id), name: 'object id' },
        { _id: 1, name: 'one', age: 30 },
        { _id: 2.5, name: 'between' },
        { _id: new Long(4), name: 'four' },
      ] as never[]);
      await db
        .collection('awkward')
        .insertMany(awkward.map(([stored], place) => ({ _id: place, ...stored })) as never[], {
          ignoreUndefined: false,
        });
      await db.collection(oddName).insertOne({ _id: 1 } as never);
      await db
        .collection('edit')
        .createIndex({ email: 1 }, { name: 'email_unique', unique: true, sparse: true });
      await db.collection('edit').insertMany([{ _id: 1, email: 'taken' }, { _id: 2 }] as never[]);
      await db.createCollection('numbers');
      await db.collection('changed').insertMany([{ _id: 1 }, { _id: 2 }, { _id: 3 }] as never[]);
      const many = Array.from({ length: 1_500 }, (_, at) => ({ _id: at }));
      await db.collection('many').insertMany(many as never[]);
      const large = Array.from({ length: 4 }, (_, at) => ({ _id: at, text: 'x'.repeat(400_000) }));
      await db.collection('large').insertMany(large as never[]);
      await db.createCollection('empty');
      await db.createCollection('adults', { viewOn: 'people', pipeline: [{ $match: { age: { $gt: 18 } } }] });
      await client
        .db('other')
        .collection('with.dots')
        .insertOne({ _id: 1 } as never);
    }),
  connections: (address, env) =>
    withMongo(address, env, async (client) => {
      const { connections } = await client.db('admin').command({ serverStatus: 1 });
      // One that asks, and one by which its driver watches the server.
      return connections.current - 2;
    }),

  ordered: {
    table: 'test.people',
    schema: 'test',
    columns: [
      { name: '_id', type: 'double | int | long | objectId | string', primary: true },
      { name: 'name', type: 'string', primary: false },
      { name: 'age', type: 'int', primary: false },
    ],
    // Numbers of all types by their value, then texts, then object ids.
    rows: [
      { _id: 1, name: 'one', age: 30 },
      { _id: 2.5, name: 'between' },
      { _id: 3, name: 'three' },
      { _id: { $numberLong: '4' }, name: 'four' },
      { _id: 'z', name: 'text' },
      { _id: { $oid: id }, name: 'object id' },
    ],
    total: 6,
  },
  awkward: {
    table: 'test.awkward',
    columns: [
      { name: '_id', type: 'int', primary: true },
      { name: 'v', type: awkwardTypes.join(' | '), primary: false },
    ],
    rows: awkward.map(([, read], place) => ({ _id: place, ...read })) as EngineFixture['awkward']['rows'],
  },
  odd: { table: `test.${oddName}`, rows: [{ _id: 1 }] },
  others: [
    { table: 'test.many', rowCount: 1_500 },
    { table: 'test.empty', rowCount: 0 },
    { table: 'test.adults', rowCount: 1 },
    { table: 'other.with.dots', rowCount: 1 },
  ],

  edit: {
    table: 'test.edit',
    insert: {
      values: {
        _id: { $oid: id },
        name: 'new',
        whole: { $numberDouble: '1.0' },
        list: [1, { $numberLong: '2' }],
      },
      id: JSON.stringify({ $oid: id }),
    },
    primaryKey: { _id: { $oid: id } },
    inserted: {
      _id: { $oid: id },
      name: 'new',
      whole: { $numberDouble: '1.0' },
      list: [1, { $numberLong: '2' }],
    },
    update: {
      values: { name: null, whole: 2 },
      reads: { _id: { $oid: id }, name: null, whole: 2, list: [1, { $numberLong: '2' }] },
    },
    // The same text is another key.
    missing: { _id: id },
    otherKey: { email: 'taken' },
    unknownColumn: undefined,
    conflict: { values: { email: 'taken' }, names: 'email_unique' },
  },

  numbers: mongodbNumbers,
  query: {
    read: {
      text: '{"find": "people", "filter": {"_id": {"$lte": 3}}, "sort": {"_id": 1}}',
      columns: [
        { name: '_id', type: 'double | int' },
        { name: 'name', type: 'string' },
        { name: 'age', type: 'int' },
      ],
      rows: [
        { _id: 1, name: 'one', age: 30 },
        { _id: 2.5, name: 'between' },
        { _id: 3, name: 'three' },
      ],
    },
    write: {
      text: '{"update": "changed", "updates": [{"q": {}, "u": {"$set": {"seen": true}}, "multi": true}]}',
      rowCount: 3,
    },
    wrong: { text: '{"find": "people", "filter": {"$nope": 1}}', says: /\$nope.*\(2 BadValue\)/ },
    several: '{"ping": 1} {"ping": 1}',
    manyRows: '{"find": "many"}',
    manyBytes: '{"find": "large"}',
    slow: JSON.stringify({ aggregate: 'many', pipeline: nested(3) }),
    denied: [
      '{"shutdown": 1}',
      '{"fsync": 1, "lock": true}',
      '{"createUser": "x", "pwd": "x", "roles": ["root"]}',
      '{"updateUser": "app", "pwd": "x"}',
      '{"usersInfo": 1}',
      '{"listDatabases": 1}',
      '{"getParameter": "*"}',
      '{"setParameter": 1, "logLevel": 5}',
      '{"replSetInitiate": {}}',
      '{"killOp": 1, "op": 1}',
      '{"renameCollection": "test.people", "to": "other.people"}',
      '{"mapReduce": "people", "map": "x", "reduce": "x", "out": {"inline": 1}}',
      '{"eval": "1"}',
      '{"getMore": {"$numberLong": "1"}, "collection": "people"}',
      '{"find": "system.users", "$db": "admin"}',
      '{"find": "people", "lsid": {}}',
      '{"find": "system.views"}',
      '{"find": "people", "filter": {"$where": "sleep(1000)"}}',
      '{"find": "people", "filter": {"$or": [{"$expr": {"$function": {"body": "", "args": [], "lang": "js"}}}]}}',
      '{"explain": {"shutdown": 1}}',
      '{"explain": {"explain": {"find": "people"}}}',
      '{"explain": {"find": "people", "filter": {"$where": "1"}}}',
      '{"aggregate": 1, "pipeline": [{"$currentOp": {"allUsers": true}}]}',
      '{"aggregate": "people", "pipeline": [{"$out": {"db": "admin", "coll": "x"}}]}',
      '{"aggregate": "people", "pipeline": [{"$merge": {"into": {"db": "other", "coll": "x"}}}]}',
      '{"aggregate": "people", "pipeline": [{"$facet": {"a": [{"$lookup": {"from": {"db": "other", "coll": "x"}, "as": "y"}}]}}]}',
      '{"create": "v", "viewOn": "people", "pipeline": [{"$match": {"$where": "1"}}]}',
      '[{"ping": 1}]',
      '{}',
      '"ping"',
      'null',
    ],
  },
};
