/** Imports into ClickHouse by the runner's own job: two real servers, of which one is only read. */
import { connect, createServer, type Server, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Database, useDatabases } from '../../../../support/docker/use-databases.ts';
import { asked, fixture as filled, image, env as sourceEnv } from '../../../engines/clickhouse-fixture.ts';
import { importContract } from './import-contract.ts';

const targetEnv = { CLICKHOUSE_DB: 'app', CLICKHOUSE_USER: 'owner', CLICKHOUSE_PASSWORD: 'own-password' };
const { target, source } = useDatabases({
  source: { engine: 'clickhouse', image, env: sourceEnv },
  target: {
    ...{ engine: 'clickhouse', image, env: targetEnv },
    beside: (): Promise<string[]> =>
      lines(target, "SELECT name FROM system.databases WHERE name LIKE 'longshore_%'"),
  },
});
let sourceAddress: string;
let before: string[];

/** Everything that refers to something else by its name. */
const entangled = (database: string) =>
  [
    'CREATE TABLE %.kept (answer Int32) ENGINE = MergeTree ORDER BY answer',
    'INSERT INTO %.kept VALUES (42)',
    'CREATE TABLE %.source (id UInt32, n UInt32) ENGINE = MergeTree ORDER BY id',
    'CREATE TABLE %.target (id UInt32) ENGINE = MergeTree ORDER BY id',
    'CREATE MATERIALIZED VIEW %.passing TO %.target AS SELECT id FROM %.source',
    'CREATE MATERIALIZED VIEW %.summed ENGINE = SummingMergeTree ORDER BY id AS SELECT id, n FROM %.source',
    'INSERT INTO %.source VALUES (1, 10), (2, 20)',
    'INSERT INTO %.source VALUES (1, 5)',
    'CREATE VIEW %.next AS SELECT k.answer + 1 AS next FROM %.kept AS k',
    'CREATE TABLE %.many (n UInt64, text String) ENGINE = MergeTree ORDER BY n',
    'INSERT INTO %.many SELECT number, hex(sipHash128(number)) FROM numbers(400000)',
  ].map((text) => text.replaceAll('%', database));

beforeAll(async () => {
  const { address, env } = await source.place();
  sourceAddress = address.host;
  await filled.fill(address, env);
  await run(source, ...entangled('app'), 'CREATE DATABASE plain', ...entangled('plain'));
  before = await everything(source, 'app');
  expect(before.length).toBeGreaterThan(15);
});

const on = <T>(of: Database, use: Parameters<typeof asked<T>>[2]) =>
  asked(
    { host: '127.0.0.1', port: of.port },
    { ...(of === source ? sourceEnv : targetEnv), CLICKHOUSE_DB: 'system' },
    use,
  );
const run = (of: Database, ...statements: string[]) =>
  on(of, async (client) => {
    for (const query of statements) await client.command({ query });
  });
const lines = (of: Database, query: string): Promise<string[]> =>
  on(of, async (client) => {
    const text = await (await client.query({ query, format: 'TabSeparated' })).text();
    return text.split('\n').filter((line) => line !== '');
  });

const urlTo = ({
  host = sourceAddress,
  password = sourceEnv.CLICKHOUSE_PASSWORD ?? '',
  database = 'app',
  port = 8123,
} = {}) => `http://app:${encodeURIComponent(password)}@${host}:${port}/${database}`;
const importFrom = (sourceUrl: string) =>
  target.run(target.importSpec({ source: 'clickhouse-url' }), { sourceUrl });
const tables = () => lines(target, "SELECT name FROM system.tables WHERE database = 'app' ORDER BY 1");

const servers: Server[] = [];
afterAll(() => servers.forEach((server) => void server.close()));

/** Listens at an address of this machine that is no loopback one. @returns the URL of `plain` there */
async function served(take: (socket: Socket) => void): Promise<string> {
  const addresses = Object.values(networkInterfaces()).flatMap((found) => found ?? []);
  const own = addresses.find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '';
  const server = createServer(take);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, own, resolve));
  const { port } = server.address() as { port: number };
  return urlTo({ host: own, database: 'plain', port });
}

/** Every object of a database with its statement and its rows, without what is made anew: the ids. */
async function everything(of: Database, database: string): Promise<string[]> {
  const objects = await on(of, async (client) => {
    const query = `SELECT name, create_table_query AS statement, engine FROM system.tables WHERE database = '${database}'`;
    return (await client.query({ query, format: 'JSONEachRow' })).json<Record<string, string>>();
  });
  const found: string[] = [];
  for (const { name = '', statement = '', engine = '' } of objects) {
    const table = [database, name].map((one) => `\`${one.replace(/[\\`]/g, '\\$&')}\``).join('.');
    const rows = await lines(of, `SELECT cityHash64(formatRow('RowBinary', *)) FROM ${table} ORDER BY ALL`);
    const there = statement.replaceAll('`app`.', 'app.').replaceAll(`${database}.`, 'app.');
    found.push([name, engine, there, rows.length, rows.sort()].join(' | '));
  }
  return found.map((text) => text.replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'id')).sort();
}

importContract({
  ...{ target, source: 'clickhouse-url', url: urlTo },
  async empty() {
    const names = await lines(target, "SELECT name FROM system.databases WHERE name LIKE 'longshore_%'");
    for (const name of [...names, 'app']) await run(target, `DROP DATABASE ${name} SYNC`);
    await run(target, 'CREATE DATABASE app');
  },
  putMine: () =>
    run(target, 'CREATE TABLE app.mine (v Int8) ENGINE = Log', 'INSERT INTO app.mine VALUES (1), (2)'),
  holds: tables,
  mine: ['mine'],
  imported: ['kept', 'many', 'summed'],
  async expectImported() {
    expect(await everything(target, 'app')).toEqual(before);
    expect(await everything(source, 'app')).toEqual(before);
    await run(target, 'INSERT INTO app.source VALUES (9, 9)');
    expect(await lines(target, 'SELECT count() FROM app.target WHERE id = 9')).toEqual(['1']);
  },
  refusedHosts: ['127.0.0.1', '[::1]', '0.0.0.0', '169.254.169.254'],
  wrongPassword: { code: 'import_failed', words: /answered: Code: 516.*Nothing was changed/s },
  emptyUrl: () => urlTo({ database: 'nowhere' }),
});

test('a database with another name lands in the database of the service, views and all', async () => {
  expect(await importFrom(urlTo({ database: 'plain' }))).toMatchObject({ outcome: 'succeeded' });
  expect(await everything(target, 'app')).toEqual(await everything(source, 'plain'));
  expect(await lines(target, 'SELECT next FROM app.next')).toEqual(['43']);
  expect(await lines(target, "SELECT count() FROM system.databases WHERE name = 'plain'")).toEqual(['0']);
});

test('an import sends GET requests alone, by which ClickHouse lets nothing be changed, without the password in any address', async () => {
  const requests: string[] = [];
  const url = await served((socket) => {
    const upstream = connect({ host: sourceAddress, port: 8123 });
    const at = requests.push('') - 1;
    socket.on('data', (chunk) => (requests[at] += chunk.toString('latin1'))).on('error', () => {});
    upstream.on('error', () => {});
    socket.pipe(upstream).pipe(socket);
  });
  expect(await importFrom(url)).toMatchObject({ outcome: 'succeeded' });
  const addresses = requests.map((text) => text.split('\r\n')[0]);
  expect(addresses.length).toBeGreaterThan(5);
  expect(addresses.filter((line) => !line?.startsWith('GET /?'))).toEqual([]);
  expect(addresses.join()).not.toContain(encodeURIComponent('pä"s'));
});

test('a server that speaks something else is reported as not ClickHouse', async () => {
  const url = await served((socket) =>
    socket.end('HTTP/1.1 404 Not Found\r\ncontent-length: 5\r\nconnection: close\r\n\r\nhello'),
  );
  expect(await importFrom(url)).toMatchObject({
    code: 'import_failed',
    message: expect.stringMatching(/is not the HTTP interface of ClickHouse/),
  });
});

test('a source without the TLS that its URL asks for fails the import', async () => {
  const url = urlTo().replace('http:', 'https:');
  expect(await importFrom(url)).toMatchObject({
    code: 'import_failed',
    message: expect.stringMatching(/could not be read/),
  });
});

test('a source that breaks off in the middle fails the import, and nothing is left', async () => {
  let cut = 0;
  const url = await served((socket) => {
    const upstream = connect({ host: sourceAddress, port: 8123 });
    let passed = 0;
    upstream.on('data', (chunk) => {
      passed += chunk.length;
      if (passed < 2_000_000) return void socket.write(chunk);
      cut++;
      socket.destroy();
      upstream.destroy();
    });
    upstream.on('end', () => socket.end()).on('error', () => {});
    socket.on('data', (chunk) => upstream.write(chunk)).on('error', () => {});
  });
  // The server's own words about the broken line may come first.
  expect(await importFrom(url)).toMatchObject({
    code: 'import_failed',
    message: expect.stringMatching(
      /(could not be read|NETWORK_ERROR|QUERY_WAS_CANCELLED).*Nothing was changed\.$/,
    ),
  });
  expect(cut).toBe(1);
  expect(await tables()).toEqual([]);
  expect(await target.belongings()).toEqual(target.alone());
});
