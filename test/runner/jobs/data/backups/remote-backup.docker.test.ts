/** Backups of PostgreSQL into the bucket and restores from it, by the runner's own jobs: the real server and files, a played control plane. */
import { writeFile } from 'node:fs/promises';
import { beforeAll, expect, test } from 'vitest';
import { type Backup, type DataSpec, useDatabase } from '../../../../support/docker/use-databases.ts';
import { postgresRows } from '../../../../support/postgres-client.ts';
import { type TestContext, testContext } from '../../../../support/runner/job-context.ts';
import { type CopyServer, copyServer } from '../../../../support/servers/copy-server.ts';

const env = { POSTGRES_DB: 'app', POSTGRES_USER: 'app', POSTGRES_PASSWORD: 'secret' };
const database = useDatabase({ engine: 'postgres', image: 'postgres:17', env });

beforeAll(async () => {
  await sql('CREATE TABLE kept AS SELECT 42 AS answer');
});

const sql = (text: string) => postgresRows(database, env, text);

const runAt = ({ url }: CopyServer, spec: DataSpec, context: TestContext = testContext()) =>
  database.run(spec, { context: { ...context, jobId: 'job_1' }, parts: { controlPlaneUrl: url } });
const toBucket = (toDisk: boolean) => database.backupSpec({ toDisk, remoteKey: 'backups/key' });

async function taken(server: CopyServer, toDisk: boolean): Promise<Backup> {
  const spec = toBucket(toDisk);
  const result = await runAt(server, spec);
  if (!('facts' in result && result.facts.archive)) throw new Error(JSON.stringify(result));
  return { id: spec.backupId, serviceId: spec.serviceId, ...result.facts.archive };
}

test("a backup for the bucket alone leaves no file on the host and reports its upload's progress", async () => {
  const server = await copyServer();
  const before = await database.files();
  const context = testContext();
  expect(await runAt(server, toBucket(false), context)).toMatchObject({
    outcome: 'succeeded',
    facts: { archive: { localPath: null, remoteKey: 'backups/key', sizeBytes: server.object?.length } },
  });
  expect(context.phases.map(({ phase }) => phase)).toEqual(
    expect.arrayContaining(['dump', 'verify', 'upload']),
  );
  expect(await database.files()).toEqual(before);
});

test.each(['part 1', 'complete', 'read'])(
  'a backup for both places fails when the bucket refuses at %s, and nothing of it is left',
  async (step) => {
    const server = await copyServer((at) => (at === step ? 409 : undefined));
    const before = await database.files();
    expect(await runAt(server, toBucket(true))).toMatchObject({
      outcome: 'threw',
      code: 'upload_failed',
      message: expect.stringMatching(`Refused at ${step}.*The backup was discarded`),
    });
    expect([await database.files(), server.object, [...server.open]]).toEqual([before, null, []]);
  },
);

test('a backup that is aborted while it uploads leaves nothing, here or there', async () => {
  const context = testContext();
  const server = await copyServer((at) => {
    if (at === 'part 1') context.abort();
    return undefined;
  });
  const before = await database.files();
  expect(await runAt(server, toBucket(true), context)).toMatchObject({ message: 'job stopped: aborted' });
  expect([await database.files(), server.object, [...server.open]]).toEqual([before, null, []]);
});

test('a restore of a damaged file uses the whole copy in the bucket, which does not stay', async () => {
  const server = await copyServer();
  const backup = await taken(server, true);
  await writeFile(database.pathOf(backup.id), 'damaged');
  await sql('DELETE FROM kept');
  const before = await database.files();
  const spec = database.restoreSpec(backup);
  expect(await runAt(server, spec)).toMatchObject({ outcome: 'succeeded' });
  expect(await sql('SELECT * FROM kept')).toEqual([{ answer: 42 }]);
  expect(await database.files()).toEqual([...before, spec.safetyBackupId].toSorted());
});

test('a restore whose copy is damaged too, changes nothing and leaves no file', async () => {
  const server = await copyServer();
  const backup = await taken(server, false);
  server.object?.fill(0, 10, 20);
  const before = await database.files();
  expect(await runAt(server, database.restoreSpec(backup))).toMatchObject({
    code: 'backup_damaged',
    message: expect.stringMatching(/copy in the bucket could not be downloaded.*Nothing was changed/),
  });
  expect([await database.files(), await sql('SELECT * FROM kept')]).toEqual([before, [{ answer: 42 }]]);
});

test('a drill of a backup that is in the bucket alone verifies the copy, which is removed afterwards', async () => {
  const server = await copyServer();
  const backup = await taken(server, false);
  const before = [await database.files(), await database.fixture.host.volumes()];
  const drill = () => runAt(server, database.drillSpec(backup));
  expect(await drill()).toEqual({ outcome: 'succeeded', facts: {} });
  server.object?.fill(0, 10, 20);
  expect(await drill()).toMatchObject({ code: 'backup_damaged' });
  expect([await database.files(), await database.fixture.host.volumes()]).toEqual(before);
});

test('a copy that a dead runner fetched for a restore is removed by its next start', async () => {
  const server = await copyServer();
  const spec = database.restoreSpec(await taken(server, false));
  const before = await database.files();
  const fetched = `${database.pathOf(spec.backup.id)}.fetched`;
  await writeFile(`${fetched}.part`, 'half');
  await writeFile(fetched, 'whole');
  expect(await database.recover(spec)).toMatchObject({ code: 'runner_restarted' });
  expect(await database.files()).toEqual(before);
});
