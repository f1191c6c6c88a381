/**
 * Backups of volumes over the API: what the host gets, what its reports make of it, and what is refused. The host is played here.
 * @module-tag slow
 */
import { expect, test } from 'vitest';
import type { ArchiveFacts } from '../../../../protocol/job-report.ts';
import type { VolumeBackupSpec } from '../../../../protocol/volumes/volume-job-spec.ts';
import {
  insertKey,
  insertProject,
  insertRunner,
  insertService,
  type Json,
} from '../../../support/worker/api.ts';
import { call, liveApp } from '../../../support/worker/deletions.ts';

const archive: ArchiveFacts = {
  ...{ sizeBytes: 42, checksum: `sha256:${'a'.repeat(64)}`, localPath: '/data/bak', remoteKey: null },
  ...{ tables: 0, rows: 7, notKept: ['Unix sockets are not part of a backup.'] },
};

/** A live service with a volume that its host has. */
async function scene() {
  const { ask, service, runner } = await liveApp();
  const path = `/services/${service.id}`;
  const made = await ask('POST', `${path}/volumes`, { name: 'data', mountPath: '/data', sizeMb: 64 });
  const volume: Json = made.body.volume;
  const base = `${path}/volume-backups`;
  const backUp = (more = {}) => ask('POST', base, { volumeId: volume.id, storage: 'disk', ...more });
  const end = (start: Json, facts: Json = { archive }) =>
    runner.report(start, { type: 'result', result: { outcome: 'succeeded', facts } });
  return { ask, service, runner, volume, base, backUp, end, path };
}

test('a backup says what the service does meanwhile, goes to the host with the volume, and is listed with what it holds', async () => {
  const { ask, runner, volume, base, backUp, end, service } = await scene();
  const commands = { quiesce: 'command', before: 'app freeze', after: 'app thaw' };
  const made = (await backUp(commands)).body;
  expect(made).toMatchObject({
    backup: { volumeId: volume.id, status: 'running', format: 'tar', entries: null },
    quiesce: 'command',
    detail: expect.stringContaining('"after" runs after it in any case'),
  });
  const start = await runner.next('start');
  const spec = start.spec as VolumeBackupSpec;
  expect(spec).toMatchObject({
    ...{ kind: 'volume-backup', serviceId: service.id, backupId: made.backup.id, toDisk: true },
    volume: { id: volume.id, name: 'data', sizeMb: 64 },
    quiesce: { type: 'command', before: 'app freeze', after: 'app thaw' },
  });
  expect((await backUp()).status).toBe(409);
  await end(start);
  const listed = async (): Promise<Json> => (await ask('GET', base)).body.backups[0];
  await expect.poll(listed).toMatchObject({
    ...{ id: made.backup.id, status: 'succeeded', entries: 7, quiesce: 'command', restore: null },
    notKept: archive.notKept,
  });
  expect(JSON.stringify(await listed())).not.toContain('freeze');
});

test('a restore goes to the host with a safety copy of its own, is answered at its end, and is refused into what has no volume', async () => {
  const { ask, runner, volume, base, backUp, end, path } = await scene();
  const { backup } = (await backUp({ quiesce: 'stop' })).body;
  await end(await runner.next('start'));
  const restore = (body?: Json) => ask('POST', `${base}/${backup.id}/restore`, body);
  expect((await restore({ targetVolumeId: 'vol_absent' })).status).toBe(404);
  const asked = restore();
  const start = await runner.next('start');
  expect(start.spec).toMatchObject({
    ...{ kind: 'volume-restore', port: 8080, volume: { id: volume.id } },
    backup: { id: backup.id, rows: 7 },
  });
  await end(start);
  expect(await asked).toMatchObject({ status: 200, body: { ok: true, backup: { id: backup.id } } });
  const { backups } = (await ask('GET', base)).body;
  expect(backups.map(({ trigger }: Json) => trigger)).toEqual(['pre-restore', 'manual']);
  expect(backups[1].restore).toMatchObject({ state: 'succeeded', safetyBackupId: backups[0].id });
  // The backup outlives its volume, and goes into another one.
  expect((await ask('DELETE', `${path}/volumes/${volume.id}`)).status).toBe(200);
  expect((await restore()).status).toBe(404);
  const other = await ask('POST', `${path}/volumes`, { name: 'other', mountPath: '/other' });
  const again = restore({ targetVolumeId: other.body.volume.id });
  const next = await runner.next('start');
  expect(next.spec).toMatchObject({ volume: { id: other.body.volume.id, name: 'other' } });
  await end(next);
  expect((await again).status).toBe(200);
  expect((await ask('DELETE', `${base}/${backup.id}`)).body).toEqual({ ok: true });
});

test.each([
  [{ quiesce: 'command', before: 'sync' }, 'after'],
  [{ quiesce: 'stop', before: 'sync' }, 'before'],
  [{ quiesce: 'pause' }, 'quiesce'],
  [{ storage: 'tape' }, 'storage'],
])('a backup with %j is refused, and the field %s is named', async (body, field) => {
  const { backUp } = await scene();
  expect(await backUp(body)).toMatchObject({ status: 400, body: { error: expect.stringContaining(field) } });
});

test('a service that was never deployed, and routes of the other kind, are refused with the way out', async () => {
  const { token } = await insertKey();
  const [project, runner] = [await insertProject(), await insertRunner()];
  const service = await insertService({ projectId: project.id, runnerId: runner.id });
  const send = (path: string, body: Json) =>
    call('POST', `/api/services/${service.id}${path}`, { token, body });
  const { volume } = (await send('/volumes', { name: 'data', mountPath: '/data' })).body;
  expect(await send('/volume-backups', { volumeId: volume.id, storage: 'disk' })).toMatchObject({
    ...{ status: 409, body: { error: expect.stringContaining('deploy it first') } },
  });
  expect((await send('/database/backups', { storage: 'disk' })).body.code).toBe('unsupported');
});

test('settings hold for all volumes, are shown with the next backup, and hide the commands', async () => {
  const { ask, base } = await scene();
  const first = (await ask('GET', base)).body.settings;
  expect(first).toMatchObject({ automaticEnabled: false, quiesce: 'none', drill: 'off', nextBackupAt: null });
  const given = { automaticEnabled: true, dailyEnabled: true, drill: 'weekly', storage: 'disk' };
  const commands = { quiesce: 'command', before: 'app freeze', after: 'app thaw' };
  const changed = (await ask('PATCH', `${base}/settings`, { ...given, ...commands })).body.settings;
  expect(changed).toMatchObject({ ...given, quiesce: 'command', nextBackupAt: expect.any(String) });
  expect(JSON.stringify(changed)).not.toContain('freeze');
  // What is not given stays.
  const next = (await ask('PATCH', `${base}/settings`, { weeklyEnabled: true })).body.settings;
  expect(next).toMatchObject({ ...given, weeklyEnabled: true, quiesce: 'command' });
  expect((await ask('GET', base)).body.settings).toEqual(next);
});

test('a drill goes to the host with the backup alone, marks it as tested, and works for a deleted volume', async () => {
  const { ask, runner, volume, base, backUp, end, path, service } = await scene();
  const { backup } = (await backUp()).body;
  const prove = () => ask('POST', `${base}/${backup.id}/prove`);
  expect(await prove()).toMatchObject({ status: 409, body: { error: expect.stringContaining('running') } });
  await end(await runner.next('start'));
  await expect.poll(async () => (await ask('GET', base)).body.backups[0].status).toBe('succeeded');
  const { drill } = (await prove()).body;
  const start = await runner.next('start');
  expect(start.spec).toEqual({
    ...{ kind: 'volume-drill', projectId: service.projectId, serviceId: service.id, drillId: drill.id },
    backup: expect.objectContaining({ id: backup.id, rows: 7 }),
  });
  await end(start, {});
  const listed = async (): Promise<Json> => (await ask('GET', base)).body.backups[0];
  await expect.poll(listed).toMatchObject({
    ...{ drill: { id: drill.id, state: 'succeeded', trigger: 'manual' }, lastProvenAt: expect.any(String) },
  });
  expect((await ask('DELETE', `${path}/volumes/${volume.id}`)).status).toBe(200);
  const again = (await prove()).body.drill;
  const next = await runner.next('start');
  expect(next.spec).toMatchObject({ kind: 'volume-drill', drillId: again.id });
  const failure = { outcome: 'failed', facts: {}, code: 'drill_failed', message: 'It is damaged.' } as const;
  await runner.report(next, { type: 'result', result: failure });
  await expect.poll(listed).toMatchObject({ drill: { state: 'failed', error: 'It is damaged.' } });
});
