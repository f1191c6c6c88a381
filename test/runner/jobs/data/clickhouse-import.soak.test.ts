/** Imports into ClickHouse by the runner's own job: two real servers, of which one is only read. */
import { connect, createServer, type Server, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { JobResult } from '../../../../protocol/job-report.ts';
import type { DeploySpec, ImportSpec } from '../../../../protocol/job-spec.ts';
import { findLive } from '../../../../runner/jobs/data/data-attempt.ts';
import { createJobs } from '../../../../runner/jobs/index.ts';
import { ensureTestImage } from '../../../stand-ins/ensure-test-image.ts';
import { freePorts } from '../../../support/free-ports.ts';
import { asked, fixture as filled, image, env as sourceEnv } from '../../engines/clickhouse-fixture.ts';
import { type DeployFixture, deployFixture } from '../../support/deploy-fixture.ts';
import { testId } from '../../support/docker-host.ts';
import { type TestContext, testContext } from '../../support/job-context.ts';

const targetEnv = { CLICKHOUSE_DB: 'app', CLICKHOUSE_USER: 'owner', CLICKHOUSE_PASSWORD: 'own-password' };

let fixture: DeployFixture;
let target: DeploySpec;
let source: DeploySpec;
let sourceAddress: string;

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
  await ensureTestImage(image);
  fixture = await deployFixture();
  const [first = 0, second = 0] = await freePorts(2);
  target = await deployed(first, targetEnv);
  source = await deployed(
    second,
    Object.fromEntries(Object.entries(sourceEnv).map(([key, value]) => [key, value ?? ''])),
  );
  const live = await findLive(fixture.parts, source.serviceId);
  sourceAddress = live.address.host;
  await filled.fill({ host: '127.0.0.1', port: source.hostPort ?? 0 }, sourceEnv);
  await run(source, ...entangled('app'), 'CREATE DATABASE plain', ...entangled('plain'));
});
afterAll(() => fixture?.remove());
beforeEach(async () => {
  const names = await lines(target, "SELECT name FROM system.databases WHERE name LIKE 'longshore_%'");
  for (const name of [...names.filter((one) => one !== ''), 'app'])
    await run(target, `DROP DATABASE ${name} SYNC`);
  await run(target, 'CREATE DATABASE app');
});

async function deployed(hostPort: number, env: Record<string, string>): Promise<DeploySpec> {
  const database = {
    type: 'database',
    engine: 'clickhouse',
    imageRef: image,
    publicAddress: '127.0.0.1',
    logicalReplication: false,
  } as const;
  const serviceId = testId('service');
  const serviceSlug = serviceId.replace('_', '-');
  const spec = fixture.spec({ serviceId, serviceSlug, source: database, hostPort });
  expect((await fixture.deploy(spec, { secrets: { env } })).result).toMatchObject({ outcome: 'succeeded' });
  return spec;
}

const on = <T>(of: DeploySpec, use: Parameters<typeof asked<T>>[2]) =>
  asked(
    { host: '127.0.0.1', port: of.hostPort ?? 0 },
    { ...(of === source ? sourceEnv : targetEnv), CLICKHOUSE_DB: 'system' },
    use,
  );
const run = (of: DeploySpec, ...statements: string[]) =>
  on(of, async (client) => {
    for (const query of statements) await client.command({ query });
  });
const lines = (of: DeploySpec, query: string) =>
  on(of, async (client) =>
    (await (await client.query({ query, format: 'TabSeparated' })).text()).trimEnd().split('\n'),
  );

const urlTo = (
  host: string,
  { password = sourceEnv.CLICKHOUSE_PASSWORD ?? '', database = 'app', port = 8123 } = {},
) => `http://app:${encodeURIComponent(password)}@${host}:${port}/${database}`;

const importSpec = (more: Partial<ImportSpec> = {}): ImportSpec => ({
  kind: 'import',
  projectId: target.projectId,
  serviceId: target.serviceId,
  engine: 'clickhouse',
  importId: testId('import'),
  source: 'clickhouse-url',
  safetyBackupId: null,
  ...more,
});

type Ended = JobResult | { outcome: 'threw'; code?: string; message: string };
const outcome = (running: Promise<JobResult>): Promise<Ended> =>
  running.catch(({ code, message }: { code?: string; message: string }) => ({
    outcome: 'threw' as const,
    ...(code === undefined ? {} : { code }),
    message,
  }));

function imported(
  spec: ImportSpec,
  {
    url = urlTo(sourceAddress),
    context = testContext(),
    isAllowed = true,
  }: { url?: string; context?: TestContext; isAllowed?: boolean } = {},
): Promise<Ended> {
  const jobs = createJobs({ ...fixture.parts, allowPrivateImports: isAllowed });
  return outcome(jobs.import.run(spec, { env: {}, gitToken: null, sourceUrl: url }, context));
}

const tables = () => lines(target, "SELECT name FROM system.tables WHERE database = 'app' ORDER BY 1");
const leftovers = () => lines(target, "SELECT name FROM system.databases WHERE name LIKE 'longshore_%'");
const nothing = [''];

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
  return urlTo(own, { database: 'plain', port });
}

/** Every object of a database with its statement and its rows, without what is made anew: the ids. */
async function everything(of: DeploySpec, database: string): Promise<string[]> {
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

describe('an import', () => {
  test('brings every object and every row, and leaves the source as it was', async () => {
    const before = await everything(source, 'app');
    const context = testContext();
    expect(await imported(importSpec(), { context })).toMatchObject({ outcome: 'succeeded' });
    expect(before.length).toBeGreaterThan(15);
    expect(await everything(target, 'app')).toEqual(before);
    expect(await everything(source, 'app')).toEqual(before);
    await run(target, 'INSERT INTO app.source VALUES (9, 9)');
    expect(await lines(target, 'SELECT count() FROM app.target WHERE id = 9')).toEqual(['1']);
  });

  test('of a database with another name lands in the database of the service, views and all', async () => {
    expect(await imported(importSpec(), { url: urlTo(sourceAddress, { database: 'plain' }) })).toMatchObject({
      outcome: 'succeeded',
    });
    expect(await everything(target, 'app')).toEqual(await everything(source, 'plain'));
    expect(await lines(target, 'SELECT next FROM app.next')).toEqual(['43']);
    expect(await lines(target, "SELECT count() FROM system.databases WHERE name = 'plain'")).toEqual(['0']);
  });

  test('asks by GET alone, by which ClickHouse lets nothing be changed, and its password is in no address', async () => {
    const requests: string[] = [];
    const url = await served((socket) => {
      const upstream = connect({ host: sourceAddress, port: 8123 });
      const at = requests.push('') - 1;
      socket.on('data', (chunk) => (requests[at] += chunk.toString('latin1'))).on('error', () => {});
      upstream.on('error', () => {});
      socket.pipe(upstream).pipe(socket);
    });
    expect(await imported(importSpec(), { url })).toMatchObject({ outcome: 'succeeded' });
    const addresses = requests.map((text) => text.split('\r\n')[0]);
    expect(addresses.length).toBeGreaterThan(5);
    expect(addresses.filter((line) => !line?.startsWith('GET /?'))).toEqual([]);
    expect(addresses.join()).not.toContain(encodeURIComponent('pä"s'));
  });

  test('into a server that holds a table is refused, with what is there', async () => {
    await run(target, 'CREATE TABLE app.mine (v Int8) ENGINE = Log', 'INSERT INTO app.mine VALUES (1), (2)');
    expect(await imported(importSpec())).toMatchObject({
      code: 'import_refused',
      message: expect.stringMatching(/holds 2 rows in 1 tables.*"replace": true/),
    });
    expect(await tables()).toEqual(['mine']);
  });

  test('that may replace backs up what is there first', async () => {
    await run(target, 'CREATE TABLE app.mine (v Int8) ENGINE = Log', 'INSERT INTO app.mine VALUES (1), (2)');
    const url = urlTo(sourceAddress, { database: 'plain' });
    const ended = await imported(importSpec({ safetyBackupId: testId('backup') }), { url });
    expect(ended).toMatchObject({ outcome: 'succeeded', facts: { archive: { tables: 1, rows: 2 } } });
    expect(await tables()).toContain('kept');
    expect(await tables()).not.toContain('mine');
  });

  test('from a private address is refused where the operator has not allowed it', async () => {
    expect(await imported(importSpec(), { isAllowed: false })).toMatchObject({
      code: 'import_refused',
      message: expect.stringMatching(/private address.*LONGSHORE_ALLOW_PRIVATE=import/),
    });
  });

  test('with a wrong password says what the server said, and never the password', async () => {
    const password = 'tell-nobody/this';
    const ended = await imported(importSpec(), { url: urlTo(sourceAddress, { password }) });
    expect(ended).toMatchObject({
      code: 'import_failed',
      message: expect.stringMatching(/says: Code: 516.*Nothing was changed/s),
    });
    expect(JSON.stringify(ended)).not.toMatch(/tell-nobody/);
    expect([await tables(), await leftovers()]).toEqual([nothing, nothing]);
  });

  test('of a database that is not there says so', async () => {
    expect(
      await imported(importSpec(), { url: urlTo(sourceAddress, { database: 'nowhere' }) }),
    ).toMatchObject({ code: 'import_refused', message: expect.stringMatching(/holds nothing/) });
  });

  test.each(['127.0.0.1', '[::1]', '0.0.0.0', '169.254.169.254'])(
    'from %s is refused always: what listens there belongs to the host',
    async (host) => {
      expect(await imported(importSpec(), { url: urlTo(host) })).toMatchObject({
        code: 'import_refused',
        message: expect.stringMatching(/another machine for everybody/),
      });
    },
  );

  test('from a server that speaks something else says so', async () => {
    const url = await served((socket) =>
      socket.end('HTTP/1.1 404 Not Found\r\ncontent-length: 5\r\nconnection: close\r\n\r\nhello'),
    );
    expect(await imported(importSpec(), { url })).toMatchObject({
      code: 'import_failed',
      message: expect.stringMatching(/is no ClickHouse/),
    });
  });

  test('by https is refused where nobody vouches for the certificate, or there is none', async () => {
    const url = urlTo(sourceAddress).replace('http:', 'https:');
    expect(await imported(importSpec(), { url })).toMatchObject({
      code: 'import_failed',
      message: expect.stringMatching(/could not be read/),
    });
  });

  test('whose source breaks off in the middle says so, and leaves nothing', async () => {
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
    expect(await imported(importSpec(), { url })).toMatchObject({
      code: 'import_failed',
      message: expect.stringMatching(/could not be read.*Nothing was changed\.$/),
    });
    expect(cut).toBe(1);
    expect([await tables(), await leftovers()]).toEqual([nothing, nothing]);
  });

  test('that is aborted in the middle leaves nothing', async () => {
    const context = testContext();
    const entered = context.enter;
    context.enter = (phase, facts) => {
      entered(phase, facts);
      if (phase === 'load') setImmediate(() => context.abort());
    };
    expect((await imported(importSpec(), { context })).outcome).toBe('threw');
    expect([await tables(), await leftovers()]).toEqual([nothing, nothing]);
  });

  test('without permission changes nothing', async () => {
    const url = urlTo(sourceAddress, { database: 'plain' });
    expect(await imported(importSpec(), { url, context: testContext({ grant: () => false }) })).toMatchObject(
      { code: 'switch_denied' },
    );
    expect([await tables(), await leftovers()]).toEqual([nothing, nothing]);
  });

  test('whose runner dies before the exchange has changed nothing; after it, it ends as succeeded', async () => {
    const url = urlTo(sourceAddress, { database: 'plain' });
    const recover = (spec: ImportSpec) =>
      outcome(createJobs(fixture.parts).import.recover(spec, {}, testContext()));
    const spec = importSpec();
    const reached = Promise.withResolvers<void>();
    void imported(spec, {
      url,
      context: testContext({
        grant() {
          reached.resolve();
          return new Promise<never>(() => {});
        },
      }),
    });
    await reached.promise;
    expect(await recover(spec)).toMatchObject({ code: 'runner_restarted' });
    expect([await tables(), await leftovers()]).toEqual([nothing, nothing]);
    const again = importSpec();
    expect(await imported(again, { url })).toMatchObject({ outcome: 'succeeded' });
    expect(await recover(again)).toMatchObject({ outcome: 'succeeded' });
    expect(await tables()).toContain('kept');
  });
});
