/** Imports into MySQL by the runner's own job: two real servers, of which one is only read. */
import { createConnection } from 'mysql2/promise';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { JobResult } from '../../../../protocol/job-report.ts';
import type { DeploySpec, ImportSpec } from '../../../../protocol/job-spec.ts';
import { findLive } from '../../../../runner/jobs/data/data-attempt.ts';
import { createJobs } from '../../../../runner/jobs/index.ts';
import { freePorts } from '../../../support/free-ports.ts';
import { mysqlFixture } from '../../engines/mysql-fixture.ts';
import { type DeployFixture, deployFixture } from '../../support/deploy-fixture.ts';
import { testId } from '../../support/docker-host.ts';
import { type TestContext, testContext } from '../../support/job-context.ts';

const reader = { user: "read er's", password: `pä"s/s@\\ '1` };
const sourceEnv = mysqlFixture.env;
const targetEnv = {
  MYSQL_ROOT_PASSWORD: `ro"ot's \\ zë`,
  MYSQL_DATABASE: 'shop',
  MYSQL_USER: 'owner',
  MYSQL_PASSWORD: `it's "own"`,
};

let fixture: DeployFixture;
let target: DeploySpec;
let source: DeploySpec;
/** The source by an address that containers reach too. */
let sourceAddress: string;

beforeAll(async () => {
  fixture = await deployFixture();
  const [first = 0, second = 0] = await freePorts(2);
  target = await deployed(first, targetEnv);
  source = await deployed(second, sourceEnv);
  const live = await findLive(fixture.parts, source.serviceId);
  sourceAddress = live.address.host;
  await mysqlFixture.fill(live.address, live.env);
  for (const statement of filled) await sql(source, statement);
});
afterAll(() => fixture?.remove());
beforeEach(async () => {
  for (const statement of ['DROP DATABASE shop', 'CREATE DATABASE shop'])
    await sql(target, statement, { database: 'mysql' });
});

/** Whoever defined these is not there on the other side. */
const filled = [
  // `mysqldump` writes a negative zero as 0.
  'UPDATE awkward SET single = 0 WHERE id = 2',
  'CREATE TABLE kept (answer INT PRIMARY KEY)',
  'INSERT INTO kept VALUES (42)',
  'CREATE TABLE log (at DATETIME(6), what VARCHAR(99))',
  'CREATE TABLE many (id INT PRIMARY KEY, fill TEXT)',
  "INSERT /*+ SET_VAR(cte_max_recursion_depth = 30000) */ INTO many WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) SELECT i, REPEAT('x', 500) FROM n",
  "CREATE USER gone@'10.0.0.0/255.0.0.0'",
  "GRANT ALL ON app.* TO gone@'10.0.0.0/255.0.0.0'",
  "CREATE DEFINER = gone@'10.0.0.0/255.0.0.0' VIEW next AS SELECT answer + 1 AS next FROM kept",
  "CREATE DEFINER = gone@'10.0.0.0/255.0.0.0' TRIGGER noted AFTER DELETE ON kept FOR EACH ROW INSERT INTO log VALUES (NOW(6), 'CREATE DEFINER=`x`@`y` ')",
  'CREATE PROCEDURE put(IN n INT)\nBEGIN\nINSERT INTO `log`\nVALUES (NOW(6), n);\nEND',
  'CREATE FUNCTION plus(n INT) RETURNS INT DETERMINISTIC RETURN n + 1',
  "CREATE EVENT often ON SCHEDULE EVERY 1 YEAR STARTS '2099-01-01' DO DELETE FROM log",
  'CREATE ROLE readers',
  'GRANT SELECT, SHOW VIEW, TRIGGER, EVENT ON app.* TO readers',
  'GRANT SHOW_ROUTINE ON *.* TO readers',
  `CREATE USER 'read er''s'@'%' IDENTIFIED BY 'pä"s/s@\\\\ ''1' DEFAULT ROLE readers`,
  "CREATE USER poor@'%' IDENTIFIED BY 'poor'",
  "GRANT SELECT, SHOW VIEW, EVENT ON app.* TO poor@'%'",
];

async function deployed(hostPort: number, env: Record<string, string>): Promise<DeploySpec> {
  const database = {
    type: 'database',
    engine: 'mysql',
    imageRef: 'mysql:9',
    publicAddress: '127.0.0.1',
    logicalReplication: false,
  } as const;
  const serviceId = testId('service');
  const serviceSlug = serviceId.replace('_', '-');
  const spec = fixture.spec({ serviceId, serviceSlug, source: database, hostPort });
  expect((await fixture.deploy(spec, { secrets: { env } })).result.outcome).toBe('succeeded');
  return spec;
}

async function sql(
  of: DeploySpec,
  text: string,
  login: { user?: string; password?: string; database?: string } = {},
) {
  const env = of === source ? sourceEnv : targetEnv;
  const connection = await createConnection({
    host: '127.0.0.1',
    port: of.hostPort,
    user: 'root',
    password: env.MYSQL_ROOT_PASSWORD,
    database: env.MYSQL_DATABASE,
    charset: 'utf8mb4',
    rowsAsArray: true,
    ...login,
  });
  connection.on('error', () => {});
  return await connection
    .query(text)
    .then(([rows]) => rows as unknown[][])
    .finally(() => connection.destroy());
}

const urlTo = (
  host: string,
  { user = reader.user, password = reader.password, query = '', database = 'app' } = {},
) => {
  const [name, secret] = [user, password].map(encodeURIComponent);
  return `mysql://${name}:${secret}@${host}:3306/${database}${query}`;
};

const importSpec = (more: Partial<ImportSpec> = {}): ImportSpec => ({
  kind: 'import',
  projectId: target.projectId,
  serviceId: target.serviceId,
  engine: 'mysql',
  importId: testId('import'),
  source: 'mysql-url',
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

function run(
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

const tables = async () =>
  (
    await sql(
      target,
      "SELECT table_name FROM information_schema.tables WHERE table_schema = 'shop' AND table_type = 'BASE TABLE' ORDER BY 1",
    )
  ).flat();
const volumes = async () => (await fixture.host.volumes()).sort();
/** Every table with what its rows add up to, whatever the order in which they lie. */
const sums = async (of: DeploySpec, database: string) => {
  const found = await sql(
    of,
    `SELECT table_name FROM information_schema.tables WHERE table_schema = '${database}' AND table_type = 'BASE TABLE' ORDER BY 1`,
  );
  const names = found.map(([name]) => `\`${database}\`.\`${String(name).replaceAll('`', '``')}\``);
  const list = await sql(of, `CHECKSUM TABLE ${names.join(', ')}`);
  return list.map(([name, sum]) => [String(name).replace(/^\w+\./, ''), sum]);
};

describe('an import', () => {
  test('brings every row into the database of the service, defined by its user, and leaves the source as it was', async () => {
    const before = await sums(source, 'app');
    const context = testContext();
    expect(await run(importSpec(), { context })).toMatchObject({ outcome: 'succeeded' });
    expect(context.phases.map(({ phase }) => phase)).toEqual(
      expect.arrayContaining(['safeguard', 'load', 'prove', 'switch']),
    );
    expect(before.length).toBeGreaterThan(10);
    expect(await sums(target, 'shop')).toEqual(before);
    expect(await sums(source, 'app')).toEqual(before);
    const owner = { user: 'owner', password: targetEnv.MYSQL_PASSWORD };
    expect(await sql(target, 'SELECT next FROM next', owner)).toEqual([[43]]);
    expect(await sql(target, 'SELECT plus(1)', owner)).toEqual([[2]]);
    await sql(target, 'CALL put(7)', owner);
    await sql(target, 'DELETE FROM kept', owner);
    expect(await sql(target, 'SELECT what FROM log ORDER BY at', owner)).toEqual([
      ['7'],
      ['CREATE DEFINER=`x`@`y` '],
    ]);
    expect(
      await sql(
        target,
        `SELECT definer FROM information_schema.views WHERE table_schema = 'shop' UNION
          SELECT definer FROM information_schema.triggers WHERE trigger_schema = 'shop' UNION
          SELECT definer FROM information_schema.routines WHERE routine_schema = 'shop' UNION
          SELECT definer FROM information_schema.events WHERE event_schema = 'shop'`,
      ),
    ).toEqual([['owner@%']]);
    expect(await sql(target, "SELECT COUNT(*) FROM mysql.user WHERE user IN ('gone', 'poor')")).toEqual([
      [0],
    ]);
  });

  test('takes a database of any name, and keeps the accounts of the server that is filled', async () => {
    await sql(target, "CREATE USER IF NOT EXISTS mine@'%' IDENTIFIED BY 'theirs'");
    await sql(target, "GRANT SELECT ON shop.* TO mine@'%'");
    const root = { user: 'root', password: sourceEnv.MYSQL_ROOT_PASSWORD ?? '', database: 'dotted.one' };
    expect(await run(importSpec(), { url: urlTo(sourceAddress, root) })).toMatchObject({
      outcome: 'succeeded',
    });
    expect(await sql(target, 'SELECT id FROM t', { user: 'mine', password: 'theirs' })).toEqual([[1]]);
  });

  test('into a server that holds a table is refused, with what is there', async () => {
    await sql(target, 'CREATE TABLE mine (v INT)');
    await sql(target, 'INSERT INTO mine VALUES (1), (2)');
    expect(await run(importSpec())).toMatchObject({
      code: 'import_refused',
      message: expect.stringMatching(/holds 2 rows in 1 tables.*"replace": true/),
    });
    expect(await tables()).toEqual(['mine']);
  });

  test('that may replace backs up what is there first', async () => {
    await sql(target, 'CREATE TABLE mine (v INT)');
    await sql(target, 'INSERT INTO mine VALUES (1), (2)');
    const ended = await run(importSpec({ safetyBackupId: testId('backup') }));
    expect(ended).toMatchObject({ outcome: 'succeeded', facts: { archive: { tables: 1, rows: 2 } } });
    expect(await tables()).toEqual(expect.arrayContaining(['kept', 'many']));
    expect(await tables()).not.toContain('mine');
  });

  test('from a private address is refused where the operator has not allowed it', async () => {
    expect(await run(importSpec(), { isAllowed: false })).toMatchObject({
      code: 'import_refused',
      message: expect.stringMatching(/private address.*LONGSHORE_ALLOW_PRIVATE=import/),
    });
  });

  test.each(['127.0.0.1', '[::ffff:127.0.0.1]', '0.0.0.0'])(
    'from %s is refused always: each machine means itself by it',
    async (host) => {
      expect(await run(importSpec(), { url: urlTo(host) })).toMatchObject({
        code: 'import_refused',
        message: expect.stringMatching(/another machine for everybody/),
      });
    },
  );

  test('with a wrong password says what the server said, and never the password; nothing is left', async () => {
    const before = await volumes();
    const password = 'tell-nobody/this';
    const ended = await run(importSpec(), { url: urlTo(sourceAddress, { password }) });
    expect(ended).toMatchObject({
      code: 'import_failed',
      message: expect.stringMatching(/could not be opened: Access denied.*Nothing was changed/),
    });
    expect(JSON.stringify(ended)).not.toMatch(/tell-nobody/);
    expect(await volumes()).toEqual(before);
  });

  test('without TLS brings the same', async () => {
    expect(
      await run(importSpec(), { url: urlTo(sourceAddress, { query: '?ssl-mode=DISABLED' }) }),
    ).toMatchObject({
      outcome: 'succeeded',
    });
    expect(await sums(target, 'shop')).toEqual(await sums(source, 'app'));
  });

  test('by a user who may not see triggers is refused, and says which grant is missing', async () => {
    expect(
      await run(importSpec(), { url: urlTo(sourceAddress, { user: 'poor', password: 'poor' }) }),
    ).toMatchObject({ code: 'import_refused', message: expect.stringMatching(/triggers.*grant it TRIGGER/) });
  });

  test('of a table whose rows are elsewhere names it', async () => {
    await sql(source, 'CREATE DATABASE strange');
    await sql(source, 'CREATE TABLE strange.one (v INT) ENGINE = MyISAM');
    await sql(source, 'CREATE TABLE strange.both (v INT) ENGINE = MERGE UNION = (strange.one)');
    const root = { user: 'root', password: sourceEnv.MYSQL_ROOT_PASSWORD ?? '', database: 'strange' };
    try {
      expect(await run(importSpec(), { url: urlTo(sourceAddress, root) })).toMatchObject({
        code: 'import_refused',
        message: expect.stringMatching(/table both .*engine MRG_MYISAM/),
      });
    } finally {
      await sql(source, 'DROP DATABASE strange');
    }
  });

  test('whose source reaches for another database is refused by the server, which lets it do nothing outside its own', async () => {
    await sql(source, 'CREATE DATABASE greedy');
    await sql(source, 'CREATE VIEW greedy.others AS SELECT * FROM app.kept');
    const root = { user: 'root', password: sourceEnv.MYSQL_ROOT_PASSWORD ?? '', database: 'greedy' };
    try {
      expect(await run(importSpec(), { url: urlTo(sourceAddress, root) })).toMatchObject({
        code: 'import_failed',
        message: expect.stringMatching(/^mysql ended .*denied to user 'owner'/),
      });
      expect(await tables()).toEqual([]);
    } finally {
      await sql(source, 'DROP DATABASE greedy');
    }
  });

  test('whose source ends the connection in the middle says so, and leaves nothing', async () => {
    const before = await volumes();
    const running = run(importSpec());
    await endDump();
    expect(await running).toMatchObject({
      code: 'import_failed',
      message: expect.stringMatching(/^mysqldump ended with exit code \d+: .*Nothing was changed\.$/s),
    });
    expect([await tables(), await volumes()]).toEqual([[], before]);
  });

  test('that is aborted in the middle of the copy ends both programs', async () => {
    const before = await volumes();
    const context = testContext();
    const running = run(importSpec(), { context });
    await expect.poll(dumping, { interval: 10, timeout: 300_000 }).not.toEqual([]);
    context.abort();
    expect((await running).outcome).toBe('threw');
    await expect.poll(dumping).toEqual([]);
    expect([await tables(), await volumes()]).toEqual([[], before]);
  });

  test('without permission changes nothing', async () => {
    const before = await volumes();
    expect(await run(importSpec(), { context: testContext({ grant: () => false }) })).toMatchObject({
      code: 'switch_denied',
    });
    expect([await tables(), await volumes()]).toEqual([[], before]);
  });

  const recover = (spec: ImportSpec) =>
    outcome(createJobs(fixture.parts).import.recover(spec, {}, testContext()));

  test('whose runner dies before the exchange has changed nothing', async () => {
    const before = await volumes();
    const spec = importSpec();
    const reached = Promise.withResolvers<void>();
    void run(spec, {
      context: testContext({
        grant() {
          reached.resolve();
          return new Promise<never>(() => {});
        },
      }),
    });
    await reached.promise;
    expect(await recover(spec)).toMatchObject({ code: 'runner_restarted' });
    expect([await tables(), await volumes()]).toEqual([[], before]);
  });

  test('whose runner dies after the exchange ends as succeeded', async () => {
    const spec = importSpec();
    expect(await run(spec)).toMatchObject({ outcome: 'succeeded' });
    expect(await recover(spec)).toMatchObject({ outcome: 'succeeded' });
    expect(await tables()).toContain('kept');
  });
});

/** The connections of `mysqldump`: the runner's own are over by then. */
const dumping = () =>
  sql(
    source,
    `SELECT p.id FROM performance_schema.processlist p JOIN performance_schema.session_connect_attrs a
      ON a.processlist_id = p.id AND a.attr_name = 'program_name' AND a.attr_value = 'mysqldump'`,
  );

async function endDump(): Promise<void> {
  await expect.poll(dumping, { interval: 5, timeout: 300_000 }).not.toEqual([]);
  for (const [id] of await dumping()) await sql(source, `KILL ${Number(id)}`).catch(() => {});
}
