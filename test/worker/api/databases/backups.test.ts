/**
 * Backups over the API: what is queued, what a host's reports make of it, and what is refused. The host is played here.
 * @module-tag slow
 */
import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import type { ArchiveFacts } from '../../../../protocol/job-report.ts';
import { createDependencies } from '../../../../worker/context.ts';
import { projects } from '../../../../worker/store/schema/projects.ts';
import { settings } from '../../../../worker/store/schema/settings.ts';
import { tenants } from '../../../../worker/store/schema/tenants.ts';
import { createClient, deps, insertKey, insertTenant, type Json } from '../../../support/worker/api.ts';
import { storeThatLosesAnswerOf } from '../../../support/worker/d1/failing-store.ts';
import { insertDeploymentOf } from '../../../support/worker/deployment-rows.ts';
import { FakeRunner } from '../../../support/worker/fake-runner.ts';
import { newHost, serviceRow } from '../../../support/worker/host.ts';

const call = createClient();
const { token } = await insertKey();

const archive: ArchiveFacts = {
  sizeBytes: 42,
  checksum: `sha256:${'a'.repeat(64)}`,
  localPath: '/data/bak',
  remoteKey: null,
  tables: 2,
  rows: 7,
  notKept: ['Tablespaces are not kept.'],
};

async function database(engine = 'postgres', { isDeployed = true } = {}) {
  const host = await newHost();
  const runner = await FakeRunner.connect(host.keys);
  const service = await host.addService({
    kind: 'database',
    repoFullName: `database:${engine}`,
    generatedHostname: null,
    lastDeployedAt: isDeployed ? 1 : null,
    status: isDeployed ? 'active' : 'idle',
  });
  if (isDeployed)
    await insertDeploymentOf(service.id, {
      job: { state: 'succeeded', finishedAt: 1 },
      deployment: { status: 'running', finishedAt: 1 },
    });
  const base = `/api/services/${service.id}/database/backups`;
  const send = (method: string, path = '', body?: unknown) =>
    call(method, `${base}${path}`, { token, ...(body === undefined ? {} : { body }) });
  const backup = async (): Promise<Json> => (await send('POST', '', { storage: 'disk' })).body.backup;
  const listed = async (id: string): Promise<Json> =>
    (await send('GET')).body.backups.find((one: Json) => one.id === id);
  return { host, runner, service, send, backup, listed };
}

/** Takes a backup as a host would. */
async function taken({ runner, backup }: Awaited<ReturnType<typeof database>>): Promise<Json> {
  const made = await backup();
  const start = await runner.next('start');
  await runner.report(start, { type: 'result', result: { outcome: 'succeeded', facts: { archive } } });
  return made;
}

test('a backup is running when the request is answered, reports its progress, and has succeeded with its file', async () => {
  const bench = await database();
  const made = await bench.backup();
  expect(made).toMatchObject({
    status: 'running',
    finishedAt: null,
    trigger: 'manual',
    storage: 'disk',
    format: 'custom',
    engine: 'postgres',
    sizeBytes: 0,
    checksum: '',
    notKept: [],
  });
  const start = await bench.runner.next('start');
  expect(start.spec).toMatchObject({ kind: 'backup', backupId: made.id, toDisk: true, remoteKey: null });
  expect(start.deadlineMs).toBeGreaterThan(3_600_000);
  const progress = { done: 1, total: 4, unit: 'bytes' as const };
  await bench.runner.report(start, { type: 'phase', phase: 'dump', facts: { progress } });
  expect(await bench.listed(made.id)).toMatchObject({ status: 'running', progress });
  expect((await serviceRow(bench.service.id)).status).toBe('active');
  await bench.runner.report(start, {
    type: 'result',
    result: { outcome: 'succeeded', facts: { archive } },
  });
  expect(await bench.listed(made.id)).toMatchObject({
    ...archive,
    status: 'succeeded',
    progress: null,
    error: null,
    restore: null,
  });
});

test('a repeat after the lost answer of a new backup finds the one that was started', async () => {
  const { service } = await database();
  const given = { token, body: { storage: 'disk' }, headers: { 'idempotency-key': crypto.randomUUID() } };
  const path = `/api/services/${service.id}/database/backups`;
  const unlucky = createClient({
    dependenciesOf: () => ({ ...deps, db: storeThatLosesAnswerOf('backups') }),
  });
  expect((await unlucky('POST', path, given)).status).toBe(503);
  expect(await call('POST', path, given)).toMatchObject({
    ...{ status: 200, body: { backup: { serviceId: service.id, status: 'running' } } },
  });
});

test('a failed backup reports its reason and has no file', async () => {
  const bench = await database('mysql');
  const made = await bench.backup();
  expect(made.format).toBe('sql');
  const start = await bench.runner.next('start');
  const result = {
    outcome: 'failed',
    code: 'dump_failed',
    message: 'mysqldump ended.',
    facts: {},
  } as const;
  await bench.runner.report(start, { type: 'result', result });
  expect(await bench.listed(made.id)).toMatchObject({
    status: 'failed',
    error: 'mysqldump ended.',
    checksum: '',
  });
});

test('a backup that succeeds without reporting a file counts as failed', async () => {
  const bench = await database();
  const made = await bench.backup();
  const start = await bench.runner.next('start');
  await bench.runner.report(start, { type: 'result', result: { outcome: 'succeeded', facts: {} } });
  expect(await bench.listed(made.id)).toMatchObject({ status: 'failed' });
});

test('a backup runs one at a time: another is refused while it runs, and accepted after it', async () => {
  const bench = await database();
  await bench.backup();
  expect(await bench.send('POST', '', { storage: 'disk' })).toMatchObject({
    status: 409,
    body: { code: 'conflict' },
  });
  const start = await bench.runner.next('start');
  await bench.runner.report(start, {
    type: 'result',
    result: { outcome: 'succeeded', facts: { archive } },
  });
  expect((await bench.send('POST', '', { storage: 'disk' })).status).toBe(200);
});

test('a backup of a service that is not a database, not deployed, or to an unknown place is refused', async () => {
  const { host, send } = await database('postgres', { isDeployed: false });
  expect(await send('POST', '', { storage: 'disk' })).toMatchObject({ status: 409 });
  expect(await send('POST', '', { storage: 'tape' })).toMatchObject({
    status: 400,
    body: { error: expect.stringMatching(/storage/) },
  });
  expect((await send('POST', '', {})).status).toBe(400);
  const web = await host.addService({});
  const refused = await call('POST', `/api/services/${web.id}/database/backups`, {
    token,
    body: { storage: 'disk' },
  });
  expect(refused).toMatchObject({
    status: 400,
    body: { code: 'unsupported', error: expect.stringMatching(/not a database: .*backups/) },
  });
});

test('a backup can be aborted while it runs, and is 409 after it', async () => {
  const bench = await database();
  const made = await bench.backup();
  const start = await bench.runner.next('start');
  expect((await bench.send('POST', `/${made.id}/abort`)).body).toEqual({ accepted: true });
  expect((await bench.runner.next('abort')).job).toBe(start.job);
  await bench.runner.report(start, { type: 'result', result: { outcome: 'aborted', facts: {} } });
  expect(await bench.listed(made.id)).toMatchObject({ status: 'failed', error: 'It was aborted.' });
  expect(await bench.send('POST', `/${made.id}/abort`)).toMatchObject({
    status: 409,
    body: { code: 'cannot_abort' },
  });
});

test('a backup is refused with the numbers once its tenant has used up its quota', async () => {
  const bench = await database();
  await taken(bench);
  const tenantId = await insertTenant('Full');
  await deps.db
    .update(tenants)
    .set({ quotas: { backupBytes: 42 } })
    .where(eq(tenants.id, tenantId));
  await deps.db.update(projects).set({ tenantId }).where(eq(projects.id, bench.service.projectId));
  const key = await insertKey({ tenantId });
  const ask = () =>
    call('POST', `/api/services/${bench.service.id}/database/backups`, {
      token: key.token,
      body: { storage: 'disk' },
    });
  expect(await ask()).toMatchObject({
    status: 409,
    body: { code: 'quota_exceeded', error: expect.stringMatching(/allows 42 bytes.*42 bytes are in use/) },
  });
  await deps.db
    .update(tenants)
    .set({ quotas: { backupBytes: 43 } })
    .where(eq(tenants.id, tenantId));
  expect((await ask()).status).toBe(200);
});

test('a backup is deleted with its copy on the host, but not while it runs', async () => {
  const bench = await database();
  const made = await taken(bench);
  await deps.db.insert(settings).values({ name: 'keepDeletedHours', value: 0, updatedAt: 0 });
  const removing = bench.send('DELETE', `/${made.id}`);
  const { id, task } = await bench.runner.next('task');
  expect(task).toMatchObject({ kind: 'remove-backup', backupId: made.id, serviceId: bench.service.id });
  bench.runner.send({ v: 1, type: 'task-done', id, proxy: { ok: true, detail: 'gone' } });
  expect((await removing).body).toEqual({ ok: true });
  await deps.db.delete(settings).where(eq(settings.name, 'keepDeletedHours'));
  expect(await bench.listed(made.id)).toBeUndefined();
  const running = await bench.backup();
  expect((await bench.send('DELETE', `/${running.id}`)).status).toBe(409);
});

test('settings are off until they are changed, and keep what is not given', async () => {
  const { send, service } = await database();
  const before = (await send('GET')).body.settings;
  expect(before).toMatchObject({
    serviceId: service.id,
    storage: 'disk',
    automaticEnabled: false,
    dailyEnabled: false,
  });
  expect(before.nextBackupAt).toBeNull();
  const half = await send('PATCH', '/settings', { automaticEnabled: true });
  expect(half.body.settings, 'no level is enabled').toMatchObject({ nextBackupAt: null });
  await send('PATCH', '/settings', { dailyEnabled: true, automaticEnabled: true });
  const { settings } = (await send('PATCH', '/settings', { storage: 'remote' })).body;
  expect(settings).toMatchObject({
    dailyEnabled: true,
    automaticEnabled: true,
    weeklyEnabled: false,
    storage: 'remote',
    drill: 'off',
    nextBackupAt: expect.stringMatching(/T0[0-4]:\d\d:00/),
  });
  expect((await send('GET')).body).toMatchObject({ settings, remote: { connected: true } });
  expect((await send('PATCH', '/settings', { hourly: true })).status).toBe(400);
  expect(await send('PATCH', '/settings', { drill: 'weekly' })).toMatchObject({
    status: 200,
    body: { settings: { drill: 'weekly', dailyEnabled: true } },
  });
  expect((await send('PATCH', '/settings', { drill: 'hourly' })).status).toBe(400);
});

async function restoring() {
  const bench = await database();
  const made = await taken(bench);
  const asked = bench.send('POST', `/${made.id}/restore`);
  const start = await bench.runner.next('start');
  return { ...bench, made, asked, start };
}

test('a restore is answered when it is over, with the backup of what was there before in the list', async () => {
  const { made, asked, start, runner, listed, service } = await restoring();
  if (start.spec.kind !== 'restore') throw new Error('no restore');
  expect(start.spec).toMatchObject({
    serviceId: service.id,
    backup: {
      id: made.id,
      serviceId: service.id,
      checksum: archive.checksum,
      sizeBytes: 42,
      tables: 2,
      rows: 7,
    },
  });
  const { safetyBackupId } = start.spec;
  await runner.report(start, { type: 'phase', phase: 'load', facts: { archive: { ...archive, rows: 1 } } });
  expect(await listed(safetyBackupId)).toMatchObject({
    status: 'succeeded',
    trigger: 'pre-restore',
    rows: 1,
  });
  expect(await listed(made.id)).toMatchObject({ rows: 7, restore: { state: 'running', safetyBackupId } });
  expect(await runner.askSwitch(start)).toBe(true);
  await runner.report(start, { type: 'result', result: { outcome: 'succeeded', facts: {} } });
  const { status, body } = await asked;
  expect([status, body]).toEqual([
    200,
    { ok: true, restoredAt: expect.any(String), backup: { id: made.id, status: 'succeeded' } },
  ]);
  expect(await listed(made.id)).toMatchObject({ restore: { state: 'succeeded', error: null } });
});

test('a refused restore is 409 with the reason, and leaves no row of a safety copy that was not taken', async () => {
  const { asked, start, runner, send, listed, made } = await restoring();
  if (start.spec.kind !== 'restore') throw new Error('no restore');
  expect(await listed(start.spec.safetyBackupId)).toMatchObject({ status: 'running' });
  const message = 'The file is damaged. Nothing was changed.';
  await runner.report(start, {
    type: 'result',
    result: { outcome: 'failed', code: 'backup_damaged', message, facts: {} },
  });
  expect(await asked).toMatchObject({ status: 409, body: { code: 'restore_failed', error: message } });
  expect((await send('GET')).body.backups).toMatchObject([
    { id: made.id, restore: { state: 'failed', error: message, safetyBackupId: null } },
  ]);
});

test.each(['dump_failed', 'disk_full'] as const)(
  'a restore whose safety copy fails (%s) keeps the row of it, with the reason',
  async (code) => {
    const { asked, start, runner, listed, made } = await restoring();
    if (start.spec.kind !== 'restore') throw new Error('no restore');
    const { safetyBackupId } = start.spec;
    const message = 'pg_dump ended.';
    await runner.report(start, { type: 'phase', phase: 'safeguard', facts: {} });
    const result = { outcome: 'failed', code, message, facts: {} } as const;
    await runner.report(start, { type: 'result', result });
    expect((await asked).status).toBe(409);
    expect(await listed(safetyBackupId)).toMatchObject({ status: 'failed', error: message });
    expect(await listed(made.id)).toMatchObject({ restore: { state: 'failed', safetyBackupId } });
  },
);

test('a restore that fails after its safety copy keeps that one as a backup that succeeded', async () => {
  const { asked, start, runner, listed, made } = await restoring();
  if (start.spec.kind !== 'restore') throw new Error('no restore');
  const { safetyBackupId } = start.spec;
  const result = { outcome: 'failed', code: 'restore_failed', message: 'No.', facts: { archive } } as const;
  await runner.report(start, { type: 'result', result });
  expect((await asked).status).toBe(409);
  expect(await listed(safetyBackupId)).toMatchObject({ status: 'succeeded', error: null });
  expect(await listed(made.id)).toMatchObject({ restore: { state: 'failed', safetyBackupId } });
});

test('a restore is aborted by its own route: the waiting request is answered, and nothing is left to abort', async () => {
  const { asked, start, runner, send, listed, made } = await restoring();
  const abort = () => send('POST', `/${made.id}/restore/abort`);
  expect(await abort()).toMatchObject({ status: 200, body: { accepted: true } });
  expect((await runner.next('abort')).job).toBe(start.job);
  await runner.report(start, { type: 'result', result: { outcome: 'aborted', facts: {} } });
  expect(await asked).toMatchObject({
    status: 409,
    body: { code: 'restore_failed', error: 'It was aborted.' },
  });
  expect(await listed(made.id)).toMatchObject({
    status: 'succeeded',
    restore: { state: 'failed', error: 'It was aborted.', safetyBackupId: null },
  });
  expect(await abort()).toMatchObject({
    status: 409,
    body: { code: 'cannot_abort', error: 'No restore of this backup is in progress.' },
  });
});

test('a restore is not aborted once it may exchange the data', async () => {
  const { asked, start, runner, send, made } = await restoring();
  expect(await runner.askSwitch(start)).toBe(true);
  expect(await send('POST', `/${made.id}/restore/abort`)).toMatchObject({
    status: 409,
    body: { code: 'cannot_abort', error: expect.stringMatching(/the data is being replaced/) },
  });
  await runner.report(start, { type: 'result', result: { outcome: 'succeeded', facts: {} } });
  expect((await asked).status).toBe(200);
});

test('a restore into another service is aborted by its backup too: at once while that host is away', async () => {
  const bench = await database();
  const made = await taken(bench);
  const other = await database();
  await other.runner.disconnect();
  const targetServiceId = other.service.id;
  const asked = bench.send('POST', `/${made.id}/restore`, { targetServiceId });
  await expect
    .poll(async () => (await bench.listed(made.id)).restore)
    .toMatchObject({ state: 'running', serviceId: targetServiceId });
  expect((await bench.send('POST', `/${made.id}/restore/abort`)).body).toEqual({ accepted: true });
  expect(await asked).toMatchObject({
    status: 409,
    body: { code: 'restore_failed', error: 'It was aborted.' },
  });
  expect((await other.send('POST', '', { storage: 'disk' })).status).toBe(200);
});

test('a restore keeps its backup from being deleted until it is over', async () => {
  const { asked, start, runner, send, made } = await restoring();
  expect(await send('DELETE', `/${made.id}`)).toMatchObject({ status: 409, body: { code: 'conflict' } });
  await runner.report(start, { type: 'result', result: { outcome: 'succeeded', facts: {} } });
  expect((await asked).status).toBe(200);
  expect(await send('GET')).toMatchObject({ body: { backups: [{}, { id: made.id }] } });
});

test('a restore that is requested again while it runs is joined', async () => {
  const { asked, start, runner, service, made } = await restoring();
  const joined = Promise.withResolvers<void>();
  const joining = createClient({
    dependenciesOf: (bindings) => {
      const { hubs, ...others } = createDependencies(bindings);
      const jobEnds: typeof hubs.jobEnds = (...asked) => {
        joined.resolve();
        return hubs.jobEnds(...asked);
      };
      return { ...others, hubs: { ...hubs, jobEnds } };
    },
  });
  const path = `/api/services/${service.id}/database/backups/${made.id}/restore`;
  const second = joining('POST', path, { token });
  await joined.promise;
  await runner.report(start, { type: 'result', result: { outcome: 'succeeded', facts: {} } });
  expect((await asked).body.restoredAt).toEqual((await second).body.restoredAt);
  expect(await runner.unread()).not.toContain('start');
});

test('a restore of a failed backup, into another engine, or into an invisible service is refused', async () => {
  const bench = await database();
  const made = await bench.backup();
  expect(await bench.send('POST', `/${made.id}/restore`)).toMatchObject({ status: 409 });
  const whole = await taken(await database());
  void whole;
  const start = await bench.runner.next('start');
  await bench.runner.report(start, {
    type: 'result',
    result: { outcome: 'succeeded', facts: { archive } },
  });
  const into = (targetServiceId: string) => bench.send('POST', `/${made.id}/restore`, { targetServiceId });
  // What can never be right is refused first: the backup has not even ended, and one of the databases is not deployed.
  for (const other of [await database('mysql'), await database('mysql', { isDeployed: false })])
    expect(await into(other.service.id)).toMatchObject({ status: 400, body: { code: 'unsupported' } });
  expect(await into('svc_aaaaaaaaaaaaaaaa')).toMatchObject({
    status: 404,
    body: {
      code: 'not_found',
      error: expect.stringMatching(/"targetServiceId" names a service that does not exist/),
    },
  });
});

test('a download passes the bytes that the host sends, with length, name and tag; a part of it for a range', async () => {
  const bench = await database();
  const made = await taken(bench);
  const path = `/api/services/${bench.service.id}/database/backups/${made.id}/download`;
  const served = async (headers: Record<string, string>, bytes: string) => {
    const asked = call('GET', path, { token, headers });
    const { id, ask } = await bench.runner.next('request');
    if (ask.op !== 'send-backup') throw new Error(ask.op);
    bench.runner.send({ v: 1, type: 'response', id, outcome: { ok: true, value: { size: 42 } } });
    const partPath = `/api/runner/transfers?transfer=${ask.transferId}&offset=0`;
    const pass = async (bearer: string) =>
      (
        await call('PUT', partPath, {
          token: bearer,
          raw: bytes,
          headers: { 'content-length': String(bytes.length) },
        })
      ).status;
    expect(await pass('guessed')).toBe(401);
    expect(await pass(ask.transferToken)).toBe(200);
    return { ask, reply: await asked };
  };
  const whole = await served({}, 'x'.repeat(42));
  expect(whole.ask).toMatchObject({ offset: 0, end: 42 });
  expect([whole.reply.status, whole.reply.text]).toEqual([200, 'x'.repeat(42)]);
  expect(Object.fromEntries(whole.reply.headers)).toMatchObject({
    'content-length': '42',
    etag: `"${archive.checksum}"`,
    'repr-digest': `sha-256=:${Buffer.from(archive.checksum.slice('sha256:'.length), 'hex').toString('base64')}:`,
    'accept-ranges': 'bytes',
    'content-disposition': expect.stringMatching(/^attachment; filename="postgres-.*\.dump"$/),
  });
  const rest = await served({ range: 'bytes=40-' }, 'yz');
  expect(rest.ask).toMatchObject({ offset: 40, end: 42 });
  expect([rest.reply.status, rest.reply.text, rest.reply.headers.get('content-range')]).toEqual([
    206,
    'yz',
    'bytes 40-41/42',
  ]);
  expect((await call('GET', path, { token, headers: { range: 'bytes=42-' } })).status).toBe(416);
});

test('a download of a backup that did not succeed is 409, and 503 while the host is away', async () => {
  const bench = await database();
  const running = await bench.backup();
  expect((await bench.send('GET', `/${running.id}/download`)).status).toBe(409);
  const start = await bench.runner.next('start');
  await bench.runner.report(start, {
    type: 'result',
    result: { outcome: 'succeeded', facts: { archive } },
  });
  await bench.runner.disconnect();
  await expect.poll(async () => (await bench.send('GET', `/${running.id}/download`)).status).toBe(503);
});
