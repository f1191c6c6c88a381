/** Upgrades from PostgreSQL 15 to 17 with the real servers: the drill, the exchange, the way back, and a runner that dies on the way. */
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import type { UpgradeSpec } from '../../../../protocol/job-spec.ts';
import { stable } from '../../../support/docker/deploy-fixture.ts';
import { inspect } from '../../../support/docker/docker-host.ts';
import { abortedAt, useDatabase } from '../../../support/docker/use-databases.ts';
import { testContext } from '../../../support/runner/job-context.ts';

const runUpgrade = fileURLToPath(new URL('../../../support/docker/run-upgrade.ts', import.meta.url));
const env = { POSTGRES_DB: 'we-ird "db', POSTGRES_USER: 'app', POSTGRES_PASSWORD: "pa's" };
const [from, to] = ['postgres:15', 'postgres:17'];

/** With a database, a role and a policy that only a backup of the whole server holds. */
const fill = `CREATE ROLE reader LOGIN PASSWORD 'secret'; CREATE TABLE kept (v int primary key);
  INSERT INTO kept SELECT generate_series(1, 1000); GRANT SELECT ON kept TO reader;
  ALTER TABLE kept ENABLE ROW LEVEL SECURITY; CREATE POLICY small ON kept TO reader USING (v <= 10)`;

describe('an upgrade from PostgreSQL 15 to 17', () => {
  const database = useDatabase({ engine: 'postgres', image: from, env });
  const asked = async (sql: string, user = 'app') =>
    (await database.printed(['psql', '-qAtX', '-U', user, '-d', env.POSTGRES_DB, '-c', sql]))
      .toString()
      .trim();
  const major = async () => Number(await asked("SELECT current_setting('server_version_num')::int / 10000"));
  const live = () => inspect(database.fixture.parts.docker, stable(database.live));
  const write = (v: number) => asked(`INSERT INTO kept VALUES (${v})`);
  const count = () => asked('SELECT count(*) FROM kept').then(Number);

  beforeAll(async () => {
    await asked(fill);
    await asked('CREATE DATABASE second');
  });

  async function killedAt(spec: UpgradeSpec, point: string): Promise<Record<string, unknown>> {
    const { docker, dataDirectory, networkRange } = database.fixture.parts;
    const child = spawn(process.execPath, [runUpgrade], {
      env: { ...process.env, CRASH_AT: point },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    child.stdin.end(JSON.stringify({ instance: docker.instance, dataDirectory, networkRange, spec }));
    const [printed] = await Promise.all([text(child.stdout), new Promise((done) => child.on('exit', done))]);
    expect(child.signalCode).toBe('SIGKILL');
    return printed === '' ? {} : JSON.parse(printed);
  }

  test('a dry run tests the new image on a copy and leaves the database untouched', async () => {
    const { Id, State } = await live();
    const context = testContext();
    const end = await database.run(database.upgradeSpec(to, { isDryRun: true }), { context });
    expect(end).toMatchObject({ outcome: 'succeeded', facts: { archive: { rows: 1000 } } });
    expect(await live()).toMatchObject({ Id, State: { StartedAt: State.StartedAt } });
    expect(await database.belongings()).toEqual(database.alone());
  });

  test('an image that can not load the data is refused by the drill, and the database is untouched', async () => {
    const { Id, State } = await live();
    expect(await database.run(database.upgradeSpec('redis:8'))).toMatchObject({
      code: 'upgrade_refused',
      message: expect.stringMatching(/^The drill with redis:8 failed: .*The database was not touched\.$/),
    });
    expect(await live()).toMatchObject({ Id, State: { StartedAt: State.StartedAt } });
    expect(await database.belongings()).toEqual(database.alone());
  });

  test('what a backup does not hold stops the upgrade until the user accepts it', async () => {
    await asked(`SET password_encryption = 'md5'; CREATE ROLE old LOGIN PASSWORD 'x'`);
    expect(await database.run(database.upgradeSpec(to))).toMatchObject({
      code: 'upgrade_refused',
      message: expect.stringMatching(/would lose .*old.*"acceptNotKept": true.*was not touched\.$/),
    });
    await asked('DROP ROLE old');
  });

  test('an upgrade that is aborted while the database is stopped brings it back', async () => {
    expect(await database.run(database.upgradeSpec(to), { context: abortedAt('dump') })).toMatchObject({
      message: 'job stopped: aborted',
    });
    expect([await major(), await count()]).toEqual([15, 1000]);
    expect(await database.belongings()).toEqual(database.alone());
  });

  test('an upgrade without permission to switch brings the old version back', async () => {
    const context = testContext({ grant: () => false });
    expect(await database.run(database.upgradeSpec(to), { context })).toMatchObject({
      code: 'switch_denied',
    });
    expect([await major(), await count()]).toEqual([15, 1000]);
    expect(await database.belongings()).toEqual(database.alone());
  });

  test.each([
    'fetch:begun',
    'dump:written',
    'verify:kept',
    'load:begun',
    'load:made',
    'switch:renamed', // in the drill
    'prove:begun',
    'dump:begun',
    'dump:stopped',
    'dump:renamed',
    'dump:taken',
    'dump:loaded',
    'dump:kept',
    'switch:begun',
    'switch:permitted',
    'switch:stopped',
    'switch:between',
  ])('an upgrade whose runner dies at %s leaves the old version with its data', async (point) => {
    const spec = database.upgradeSpec(to);
    await killedAt(spec, point);
    await database.reconcile();
    expect(await database.recover(spec)).toMatchObject({ code: 'runner_restarted' });
    expect([await major(), await count()]).toEqual([15, 1000]);
    expect(await database.belongings()).toEqual(database.alone());
  });

  test('an upgrade carries data, roles, policies and databases, and its undo returns to the old volume', async () => {
    await write(1001);
    const spec = database.upgradeSpec(to);
    expect(await database.run(spec)).toMatchObject({ outcome: 'succeeded' });
    expect([await major(), await count()]).toEqual([17, 1001]);
    expect(await asked('SELECT count(*) FROM kept', 'reader')).toBe('10');
    expect(await asked("SELECT string_agg(datname, ' ' ORDER BY datname) FROM pg_database")).toBe(
      'postgres second template0 template1 we-ird "db',
    );
    expect((await live()).Config.Env).toContain('PG_MAJOR=17');
    await database.reconcile();
    expect((await database.belongings()).volumes).toBe(2);

    await write(1002);
    expect(await database.run(database.undoSpec(spec))).toEqual({ outcome: 'succeeded', facts: {} });
    expect([await major(), await count()]).toEqual([15, 1001]);
    expect((await live()).Config.Env).toContain('PG_MAJOR=15');
    expect(await database.run(database.undoSpec(spec))).toMatchObject({ code: 'upgrade_failed' });
    await database.removeOldData();
    expect(await database.belongings()).toEqual(database.alone());
    expect([await major(), await count()]).toEqual([15, 1001]);
  });

  test('an undo whose runner dies before and after the exchange ends on one version, whole', async () => {
    const spec = database.upgradeSpec(to);
    await killedAt(spec, 'switch:named');
    await database.reconcile();
    expect(await database.recover(spec)).toMatchObject({ outcome: 'succeeded' });
    expect([await major(), await count()]).toEqual([17, 1001]);
    for (const [point, end, version] of [
      ['switch:between', { code: 'runner_restarted' }, 17],
      ['switch:named', { outcome: 'succeeded' }, 15],
    ] as const) {
      const undo = database.undoSpec(spec);
      const checkpoint = await killedAt(undo, point);
      await database.reconcile();
      expect(await database.recover(undo, {}, checkpoint)).toMatchObject(end);
      expect([await major(), await count()]).toEqual([version, 1001]);
    }
    await database.removeOldData();
    expect(await database.belongings()).toEqual(database.alone());
  });

  test('a day later the old version is gone, and the new one keeps serving across deployments', async () => {
    const spec = database.upgradeSpec(to);
    expect(await database.run(spec)).toMatchObject({ outcome: 'succeeded' });
    await database.removeOldData();
    expect(await database.belongings()).toEqual(database.alone());
    expect([await major(), await count()]).toEqual([17, 1001]);
    expect(await database.run(database.undoSpec(spec))).toMatchObject({ code: 'upgrade_failed' });
    expect(await database.run(database.upgradeSpec(from))).toMatchObject({
      code: 'upgrade_refused',
      message: expect.stringContaining('this database runs 15'),
    });
  });
});
