/** Backups of PostgreSQL into the bucket and restores from it, by the runner's own jobs: the real server and files, a played control plane. */
import { readdir, writeFile } from 'node:fs/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ArchiveFacts, JobResult } from '../../../../protocol/job-report.ts';
import type { BackupSpec, DeploySpec, DrillSpec, RestoreSpec } from '../../../../protocol/job-spec.ts';
import { createJobs } from '../../../../runner/jobs/index.ts';
import type { JobContext } from '../../../../runner/jobs/job.ts';
import { backupPath, backupsDirectory } from '../../../../runner/storage/backup-files.ts';
import { freePorts } from '../../../support/free-ports.ts';
import { type CopyServer, copyServer } from '../../support/copy-server.ts';
import { type DeployFixture, deployFixture } from '../../support/deploy-fixture.ts';
import { testId } from '../../support/docker-host.ts';
import { type TestContext, testContext } from '../../support/job-context.ts';

const env = { POSTGRES_DB: 'app', POSTGRES_USER: 'app', POSTGRES_PASSWORD: 'secret' };
const secrets = { env: {}, gitToken: null, transferToken: 'token' };
let fixture: DeployFixture;
let live: DeploySpec;

beforeAll(async () => {
  fixture = await deployFixture();
  const [hostPort = 0] = await freePorts(1);
  live = fixture.spec({
    source: {
      type: 'database',
      engine: 'postgres',
      imageRef: 'postgres:17',
      publicAddress: '127.0.0.1',
      logicalReplication: false,
    },
    hostPort,
  });
  expect((await fixture.deploy(live, { secrets: { env } })).result.outcome).toBe('succeeded');
  await sql('CREATE TABLE kept AS SELECT 42 AS answer');
});
afterAll(() => fixture?.remove());

async function sql(text: string): Promise<unknown[]> {
  const client = new pg.Client({
    host: '127.0.0.1',
    port: live.hostPort,
    user: env.POSTGRES_USER,
    password: env.POSTGRES_PASSWORD,
    database: env.POSTGRES_DB,
  });
  client.on('error', () => {}); // its session is ended by a restore
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

const of = () => ({ projectId: live.projectId, serviceId: live.serviceId, engine: 'postgres' as const });
const jobsAt = ({ url }: CopyServer) => createJobs({ ...fixture.parts, controlPlaneUrl: url });
const contextOf = (context: TestContext): JobContext => ({ ...context, jobId: 'job_1' });
const filesThere = () =>
  readdir(backupsDirectory(fixture.host.dataDirectory, live.serviceId)).catch((): string[] => []);
const outcome = (running: Promise<JobResult>) =>
  running.catch((error: { code?: string; message: string }) => ({
    outcome: 'threw' as const,
    code: error.code,
    message: error.message,
  }));

function backUp(server: CopyServer, toDisk: boolean, context = testContext()) {
  const spec: BackupSpec = {
    kind: 'backup',
    ...of(),
    backupId: testId('backup'),
    toDisk,
    remoteKey: 'backups/key',
  };
  return { spec, ended: outcome(jobsAt(server).backup.run(spec, secrets, contextOf(context))) };
}

async function taken(server: CopyServer, toDisk: boolean): Promise<{ id: string; facts: ArchiveFacts }> {
  const { spec, ended } = backUp(server, toDisk);
  const result = await ended;
  if (!('facts' in result) || !result.facts.archive) throw new Error(JSON.stringify(result));
  return { id: spec.backupId, facts: result.facts.archive };
}

const restoreSpec = ({ id, facts }: Awaited<ReturnType<typeof taken>>): RestoreSpec => ({
  kind: 'restore',
  ...of(),
  restoreId: testId('restore'),
  backup: { id, serviceId: live.serviceId, ...facts },
  safetyBackupId: testId('backup'),
});

test('a backup for the bucket alone leaves no file on the host, and tells how far its upload is', async () => {
  const server = await copyServer();
  const before = await filesThere();
  const context = testContext();
  expect(await backUp(server, false, context).ended).toMatchObject({
    outcome: 'succeeded',
    facts: { archive: { localPath: null, remoteKey: 'backups/key', sizeBytes: server.object?.length } },
  });
  expect(context.phases.map(({ phase }) => phase)).toEqual(
    expect.arrayContaining(['dump', 'verify', 'upload']),
  );
  expect(await filesThere()).toEqual(before);
});

test.each(['part 1', 'complete', 'read'])(
  'a backup for both places has failed when the bucket refuses at %s, and nothing of it is left',
  async (step) => {
    const server = await copyServer((at) => (at === step ? 409 : undefined));
    const before = await filesThere();
    expect(await backUp(server, true).ended).toMatchObject({
      outcome: 'threw',
      code: 'upload_failed',
      message: expect.stringMatching(`Refused at ${step}.*Nothing of it is left`),
    });
    expect([await filesThere(), server.object, [...server.open]]).toEqual([before, null, []]);
  },
);

test('a backup that is aborted while it uploads leaves nothing, here or there', async () => {
  const context = testContext();
  const server = await copyServer((at) => {
    if (at === 'part 1') context.abort();
    return undefined;
  });
  const before = await filesThere();
  expect(await backUp(server, true, context).ended).toMatchObject({ message: 'job stopped: aborted' });
  expect([await filesThere(), server.object, [...server.open]]).toEqual([before, null, []]);
});

test('a damaged file is not restored while there is a whole copy in the bucket, which does not stay', async () => {
  const server = await copyServer();
  const backup = await taken(server, true);
  const path = backupPath(fixture.host.dataDirectory, live.serviceId, backup.id);
  await writeFile(path, 'damaged');
  await sql('DELETE FROM kept');
  const before = await filesThere();
  const spec = restoreSpec(backup);
  const running = outcome(jobsAt(server).restore.run(spec, secrets, contextOf(testContext())));
  expect(await running).toMatchObject({ outcome: 'succeeded' });
  expect(await sql('SELECT * FROM kept')).toEqual([{ answer: 42 }]);
  expect(await filesThere()).toEqual([...before, spec.safetyBackupId].toSorted());
});

test('a restore whose copy is damaged, too, changes nothing and leaves no file', async () => {
  const server = await copyServer();
  const backup = await taken(server, false);
  server.object?.fill(0, 10, 20);
  const before = await filesThere();
  const running = outcome(jobsAt(server).restore.run(restoreSpec(backup), secrets, contextOf(testContext())));
  expect(await running).toMatchObject({
    code: 'backup_damaged',
    message: expect.stringMatching(/copy in the bucket could not be had.*Nothing was changed/),
  });
  expect([await filesThere(), await sql('SELECT * FROM kept')]).toEqual([before, [{ answer: 42 }]]);
});

test('a drill of a backup that is in the bucket alone proves the copy, which does not stay', async () => {
  const server = await copyServer();
  const { id, facts } = await taken(server, false);
  const before = [await filesThere(), await fixture.host.volumes()];
  const backup = { id, serviceId: live.serviceId, ...facts };
  const drill = () => {
    const spec: DrillSpec = { kind: 'drill', ...of(), drillId: testId('drill'), backup };
    return outcome(jobsAt(server).drill.run(spec, secrets, contextOf(testContext())));
  };
  expect(await drill()).toEqual({ outcome: 'succeeded', facts: {} });
  server.object?.fill(0, 10, 20);
  expect(await drill()).toMatchObject({ code: 'backup_damaged' });
  expect([await filesThere(), await fixture.host.volumes()]).toEqual(before);
});

test('what a dead runner had fetched for a restore is gone after its next start', async () => {
  const server = await copyServer();
  const spec = restoreSpec(await taken(server, false));
  const before = await filesThere();
  const fetched = `${backupPath(fixture.host.dataDirectory, live.serviceId, spec.backup.id)}.fetched`;
  await writeFile(`${fetched}.part`, 'half');
  await writeFile(fetched, 'whole');
  const recovered = outcome(jobsAt(server).restore.recover(spec, {}, contextOf(testContext())));
  expect(await recovered).toMatchObject({ code: 'runner_restarted' });
  expect(await filesThere()).toEqual(before);
});
