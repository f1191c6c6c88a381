/** Imports into PostgreSQL by the runner's own job: two real servers, of which one is only read. */
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { JobResult } from '../../../../protocol/job-report.ts';
import type { DeploySpec, ImportSpec } from '../../../../protocol/job-spec.ts';
import type { ContainerTools } from '../../../../runner/engines/container-tools.ts';
import { postgresData } from '../../../../runner/engines/postgres/data.ts';
import { findLive } from '../../../../runner/jobs/data/data-attempt.ts';
import { createJobs } from '../../../../runner/jobs/index.ts';
import { freePorts } from '../../../support/free-ports.ts';
import { type DeployFixture, deployFixture } from '../../support/deploy-fixture.ts';
import { testId } from '../../support/docker-host.ts';
import { type TestContext, testContext } from '../../support/job-context.ts';

const sourceEnv = { POSTGRES_DB: 'sh=op "1', POSTGRES_USER: 'old user', POSTGRES_PASSWORD: 'pä"s/s@\\ 1' };
const targetEnv = { POSTGRES_DB: 'app', POSTGRES_USER: 'app', POSTGRES_PASSWORD: 'own-password' };

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
  sourceAddress = (await findLive(fixture.parts, source.serviceId)).address.host;
  await sql(
    source,
    `CREATE ROLE other; CREATE TABLE kept (answer int PRIMARY KEY); INSERT INTO kept VALUES (42);
    ALTER TABLE kept OWNER TO other; GRANT SELECT ON kept TO PUBLIC;
    CREATE SCHEMA "we-ird ""s"; CREATE TABLE "we-ird ""s"."t ; --" (v text, b bytea);
    INSERT INTO "we-ird ""s"."t ; --" VALUES ('päß', '\\x00ff'), (NULL, NULL);
    CREATE TABLE many AS SELECT g AS id, repeat('x', 500) AS fill FROM generate_series(1, 20000) g;`,
  );
});
afterAll(() => fixture?.remove());
beforeEach(async () => {
  await sql(target, 'DROP SCHEMA IF EXISTS "we-ird ""s" CASCADE; DROP TABLE IF EXISTS kept, many, mine');
});

async function deployed(hostPort: number, env: Record<string, string>): Promise<DeploySpec> {
  const database = {
    type: 'database',
    engine: 'postgres',
    imageRef: 'postgres:17',
    publicAddress: '127.0.0.1',
    logicalReplication: false,
  } as const;
  const serviceId = testId('service');
  const spec = fixture.spec({
    serviceId,
    serviceSlug: serviceId.replace('_', '-'),
    source: database,
    hostPort,
  });
  expect((await fixture.deploy(spec, { secrets: { env } })).result.outcome).toBe('succeeded');
  return spec;
}

async function sql<Row extends pg.QueryResultRow>(of: DeploySpec, text: string): Promise<Row[]> {
  const env = of === source ? sourceEnv : targetEnv;
  const client = new pg.Client({
    host: '127.0.0.1',
    port: of.hostPort,
    user: env.POSTGRES_USER,
    password: env.POSTGRES_PASSWORD,
    database: env.POSTGRES_DB,
  });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

const urlTo = (host: string, { password = sourceEnv.POSTGRES_PASSWORD, query = '' } = {}) => {
  const [user, secret, database] = [sourceEnv.POSTGRES_USER, password, sourceEnv.POSTGRES_DB].map(
    encodeURIComponent,
  );
  return `postgresql://${user}:${secret}@${host}:5432/${database}${query}`;
};

const importSpec = (more: Partial<ImportSpec> = {}): ImportSpec => ({
  kind: 'import',
  projectId: target.projectId,
  serviceId: target.serviceId,
  engine: 'postgres',
  importId: testId('import'),
  source: 'postgres-url',
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

const leftovers = async () =>
  (
    await sql<{ datname: string }>(
      target,
      "SELECT datname FROM pg_database WHERE datname LIKE 'longshore_restore_%'",
    )
  ).map(({ datname }) => datname);
const tables = async () =>
  (
    await sql<{ name: string }>(
      target,
      "SELECT tablename AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1",
    )
  ).map(({ name }) => name);

describe('an import', () => {
  test('brings every row, owned by the user of the database, and leaves the source as it was', async () => {
    const context = testContext();
    expect(await run(importSpec(), { context })).toMatchObject({ outcome: 'succeeded' });
    expect(context.phases.map(({ phase }) => phase)).toEqual(
      expect.arrayContaining(['safeguard', 'load', 'prove', 'switch']),
    );
    expect(await tables()).toEqual(['kept', 'many', 't ; --']);
    expect(await sql(target, 'SELECT v, b FROM "we-ird ""s"."t ; --" WHERE v IS NOT NULL')).toEqual([
      { v: 'päß', b: Buffer.from([0, 255]) },
    ]);
    expect(
      await sql(
        target,
        "SELECT tableowner, count(*)::int FROM pg_tables WHERE tablename = 'kept' GROUP BY 1",
      ),
    ).toEqual([{ tableowner: 'app', count: 1 }]);
    expect(await sql(source, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
    expect(await leftovers()).toEqual([]);
  });

  test('into a database that holds a table is refused, with what is there', async () => {
    await sql(target, 'CREATE TABLE mine (v int); INSERT INTO mine VALUES (1), (2)');
    expect(await run(importSpec())).toMatchObject({
      code: 'import_refused',
      message: expect.stringMatching(/holds 2 rows in 1 tables.*"replace": true/),
    });
    expect(await tables()).toEqual(['mine']);
  });

  test('that may replace backs up what is there first', async () => {
    await sql(target, 'CREATE TABLE mine (v int); INSERT INTO mine VALUES (1), (2)');
    const ended = await run(importSpec({ safetyBackupId: testId('backup') }));
    expect(ended).toMatchObject({ outcome: 'succeeded', facts: { archive: { tables: 1, rows: 2 } } });
    expect(await tables()).toEqual(['kept', 'many', 't ; --']);
  });

  test('from a private address is refused where the operator has not allowed it', async () => {
    expect(await run(importSpec(), { isAllowed: false })).toMatchObject({
      code: 'import_refused',
      message: expect.stringMatching(/private address.*LONGSHORE_ALLOW_PRIVATE=import/),
    });
  });

  test.each(['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '0.0.0.0', '2130706433'])(
    'from %s is refused always: each machine means itself by it',
    async (host) => {
      expect(await run(importSpec(), { url: urlTo(host) })).toMatchObject({
        code: 'import_refused',
        message: expect.stringMatching(/another machine for everybody/),
      });
    },
  );

  test('with a wrong password says what the server said, and never the password', async () => {
    const password = 'tell-nobody/this';
    const ended = await run(importSpec(), { url: urlTo(sourceAddress, { password }) });
    expect(ended).toMatchObject({
      code: 'import_failed',
      message: expect.stringMatching(/password authentication failed/),
    });
    expect(JSON.stringify(ended)).not.toMatch(/tell-nobody/);
    expect(await leftovers()).toEqual([]);
  });

  test('that asks for TLS from a server without it, or for a certificate that nobody vouches for, fails', async () => {
    expect(
      await run(importSpec(), { url: urlTo(sourceAddress, { query: '?sslmode=verify-full' }) }),
    ).toMatchObject({
      code: 'import_failed',
      message: expect.stringMatching(/could not be opened/),
    });
    expect(await tables()).toEqual([]);
  });

  test('that is aborted while it loads leaves the database as it was', async () => {
    const context = testContext();
    const entered = context.enter;
    context.enter = (phase, facts) => {
      entered(phase, facts);
      if (phase === 'load') setImmediate(() => context.abort());
    };
    expect((await run(importSpec(), { context })).outcome).toBe('threw');
    expect(await tables()).toEqual([]);
    expect(await leftovers()).toEqual([]);
  });

  test('that is aborted in the middle of the copy ends both programs', async () => {
    const context = testContext();
    const running = run(importSpec(), { context });
    const copying = () =>
      sql(
        target,
        "SELECT 1 FROM pg_stat_activity WHERE datname LIKE 'longshore_restore_%' AND application_name = 'pg_restore'",
      );
    await expect.poll(copying, { interval: 10, timeout: 20_000 }).not.toEqual([]);
    context.abort();
    expect((await running).outcome).toBe('threw');
    expect(await leftovers()).toEqual([]);
    const dumping = () =>
      sql(source, "SELECT 1 FROM pg_stat_activity WHERE application_name IN ('pg_dump', 'longshore import')");
    await expect.poll(dumping).toEqual([]);
  });

  test('that breaks halfway on this side says what this server said', async () => {
    await sql(
      source,
      `CREATE FUNCTION at_home(int) RETURNS bool LANGUAGE plpgsql AS $$ BEGIN
        IF $1 > 10 AND current_database() LIKE 'longshore_%' THEN RAISE 'not away from home'; END IF; RETURN true; END $$;
      ALTER TABLE many ADD CONSTRAINT home CHECK (at_home(id))`,
    );
    try {
      expect(await run(importSpec())).toMatchObject({
        code: 'import_failed',
        message: expect.stringMatching(/^pg_restore .*not away from home(.|\n)*Nothing was changed\.$/),
      });
      expect([await tables(), await leftovers()]).toEqual([[], []]);
    } finally {
      await sql(source, 'ALTER TABLE many DROP CONSTRAINT home; DROP FUNCTION at_home');
    }
  });

  test('without permission changes nothing', async () => {
    expect(await run(importSpec(), { context: testContext({ grant: () => false }) })).toMatchObject({
      code: 'switch_denied',
    });
    expect(await tables()).toEqual([]);
    expect(await leftovers()).toEqual([]);
  });

  test('whose runner dies before the exchange has changed nothing; after it, it ends as succeeded', async () => {
    const recover = (spec: ImportSpec) =>
      outcome(createJobs(fixture.parts).import.recover(spec, {}, testContext()));
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
    expect([await tables(), await leftovers()]).toEqual([[], []]);
    const again = importSpec();
    expect(await run(again)).toMatchObject({ outcome: 'succeeded' });
    expect(await recover(again)).toMatchObject({ outcome: 'succeeded' });
    expect(await tables()).toEqual(['kept', 'many', 't ; --']);
  });

  test('from a server that is newer than the tools names both versions', async () => {
    const live = await findLive(fixture.parts, target.serviceId);
    const older: ContainerTools = {
      async run(_command, { stdout }) {
        stdout?.end('pg_dump (PostgreSQL) 16.4 (Debian 16.4-1)\n');
        return { code: 0, stderr: '' };
      },
    };
    const { signal } = new AbortController();
    const place = { ...live, tools: older, signal, progress: () => {} };
    const from = { url: urlTo(sourceAddress), addressOf: async (host: string) => host };
    await expect(postgresData.urlImport.load(place, from, { suffix: 'older' })).rejects.toThrow(
      /The source runs PostgreSQL 17\.\d.*this database 16\.4/,
    );
    expect(await leftovers()).toEqual([]);
  });

  test('whose source uses an extension that is not there names it', async () => {
    // What an extension is called is all that is looked at.
    await sql(
      source,
      "CREATE EXTENSION pg_trgm; UPDATE pg_extension SET extname = 'of_another_image' WHERE extname = 'pg_trgm'",
    );
    try {
      expect(await run(importSpec())).toMatchObject({
        code: 'import_refused',
        message: expect.stringMatching(/does not have: of_another_image/),
      });
    } finally {
      await sql(
        source,
        "UPDATE pg_extension SET extname = 'pg_trgm' WHERE extname = 'of_another_image'; DROP EXTENSION pg_trgm",
      );
    }
  });
});
