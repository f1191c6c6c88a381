/**
 * Upgrades of databases over the API. The host is played here.
 * @module-tag slow
 */
import { env } from 'cloudflare:test';
import { describe, expect, test } from 'vitest';
import type { ArchiveFacts } from '../../../../protocol/job-report.ts';
import { createClient, insertKey, type Json } from '../../../support/worker/api.ts';
import { insertDeploymentOf } from '../../../support/worker/deployment-rows.ts';
import { FakeRunner } from '../../../support/worker/fake-runner.ts';
import { newHost } from '../../../support/worker/host.ts';

const call = createClient();
const { token } = await insertKey();
const archive: ArchiveFacts = {
  ...{ sizeBytes: 42, checksum: `sha256:${'a'.repeat(64)}`, localPath: '/data/bak', remoteKey: null },
  ...{ tables: 2, rows: 7, notKept: ['The role "old" has an MD5 password.'] },
};
const success = { type: 'result', result: { outcome: 'succeeded', facts: { archive } } } as const;
const gone = { type: 'result', result: { outcome: 'succeeded', facts: {} } } as const;

async function database(engine = 'postgres', imageRef: string | null = 'postgres:15') {
  const host = await newHost();
  const runner = await FakeRunner.connect(host.keys);
  const service = await host.addService({
    ...{ kind: 'database', repoFullName: `database:${engine}`, generatedHostname: null, imageRef },
    ...{ lastDeployedAt: 1, status: 'active' },
  });
  await insertDeploymentOf(service.id, {
    job: { state: 'succeeded', finishedAt: 1 },
    deployment: { status: 'running', finishedAt: 1 },
  });
  const base = `/api/services/${service.id}`;
  const send = (method: string, path: string, body?: unknown) =>
    call(method, `${base}${path}`, { token, ...(body === undefined ? {} : { body }) });
  return {
    ...{ service, runner, send },
    upgrade: (body: Json) => send('POST', '/database/upgrade', body),
    undo: () => send('POST', '/database/upgrade/undo'),
    listed: async () => (await send('GET', '/database/upgrades')).body as Json,
    imageRef: async () =>
      await env.DB.prepare('select image_ref from services where id = ?')
        .bind(service.id)
        .first<string>('image_ref'),
  };
}

describe('an upgrade of a database', () => {
  test('an upgrade records its image when it succeeds, keeps its backup, and can be undone once', async () => {
    const { service, runner, upgrade, undo, listed, send, imageRef } = await database();
    const { status, body } = await upgrade({ imageRef: 'postgres:17' });
    expect([status, body.upgrade]).toMatchObject([
      200,
      { action: 'upgrade', fromImage: 'postgres:15', toImage: 'postgres:17', status: 'running', error: null },
    ]);
    const { id: upgradeId, safetyBackupId } = body.upgrade as Json;
    const start = await runner.next('start');
    expect(start.spec).toMatchObject({
      ...{ kind: 'upgrade', engine: 'postgres', upgradeId, serviceId: service.id },
      work: {
        type: 'upgrade',
        imageRef: 'postgres:17',
        isDryRun: false,
        acceptsNotKept: false,
        safetyBackupId,
      },
    });
    expect(await upgrade({ imageRef: 'postgres:17' })).toMatchObject({
      status: 409,
      body: { code: 'conflict' },
    });
    expect((await undo()).status).toBe(409);
    const progress = { done: 1, total: 4, unit: 'bytes' as const };
    await runner.report(start, { type: 'phase', phase: 'load', facts: { archive, progress } });
    expect((await listed()).upgrades[0]).toMatchObject({ phase: 'load', progress });
    expect(await imageRef()).toBe('postgres:15');
    await runner.report(start, success);
    const { upgrades, undoableUntil } = await listed();
    expect(upgrades).toMatchObject([{ status: 'succeeded', phase: null, progress: null, safetyBackupId }]);
    expect(Date.parse(undoableUntil) - Date.parse(upgrades[0].finishedAt)).toBe(24 * 3_600_000);
    expect(await imageRef()).toBe('postgres:17');
    const { backups } = (await send('GET', '/database/backups')).body;
    expect(backups).toMatchObject([{ id: safetyBackupId, status: 'succeeded', notKept: archive.notKept }]);

    expect((await undo()).body.upgrade).toMatchObject({
      ...{
        action: 'undo',
        undoes: upgradeId,
        fromImage: 'postgres:17',
        toImage: 'postgres:15',
        safetyBackupId: null,
      },
    });
    const back = await runner.next('start');
    expect(back.spec).toMatchObject({ kind: 'upgrade', work: { type: 'undo', undoes: upgradeId } });
    await runner.report(back, gone);
    expect(await imageRef()).toBe('postgres:15');
    expect(await listed()).toMatchObject({ undoableUntil: null });
    expect(await undo()).toMatchObject({
      status: 409,
      body: { error: expect.stringMatching(/last 24 hours/) },
    });
  });

  test('a dry run and a failed upgrade leave the image, and there is nothing to undo', async () => {
    const { runner, upgrade, undo, imageRef, listed } = await database();
    await upgrade({ imageRef: 'postgres:17', dryRun: true, acceptNotKept: true });
    const dryRun = await runner.next('start');
    expect(dryRun.spec).toMatchObject({ work: { isDryRun: true, acceptsNotKept: true } });
    await runner.report(dryRun, success);
    await upgrade({ imageRef: 'postgres:17' });
    const message = 'The drill with postgres:17 failed: no. The database was not touched.';
    const result = { outcome: 'failed', code: 'upgrade_refused', message, facts: { archive } } as const;
    await runner.report(await runner.next('start'), { type: 'result', result });
    expect((await listed()).upgrades).toMatchObject([
      { action: 'upgrade', status: 'failed', error: message },
      { action: 'dry-run', status: 'succeeded' },
    ]);
    expect([await imageRef(), (await undo()).status]).toEqual(['postgres:15', 409]);
  });

  test('a running upgrade is aborted by its own route; there is nothing to abort after it', async () => {
    const { runner, upgrade, send, listed } = await database();
    const abort = () => send('POST', '/database/upgrade/abort');
    await upgrade({ imageRef: 'postgres:17' });
    const start = await runner.next('start');
    expect((await abort()).body).toEqual({ accepted: true });
    expect((await runner.next('abort')).job).toBe(start.job);
    await runner.report(start, { type: 'result', result: { outcome: 'aborted', facts: {} } });
    expect((await listed()).upgrades).toMatchObject([{ status: 'failed', error: 'It was aborted.' }]);
    expect(await abort()).toMatchObject({ status: 409, body: { code: 'cannot_abort' } });
  });

  test('an upgrade can be undone for 24 hours', async () => {
    const { service, runner, upgrade, undo } = await database();
    await upgrade({ imageRef: 'postgres:17' });
    await runner.report(await runner.next('start'), success);
    await env.DB.prepare('update database_upgrades set finished_at = ? where service_id = ?')
      .bind(Date.now() - 24 * 3_600_000, service.id)
      .run();
    expect(await undo()).toMatchObject({ status: 409 });
  });

  test.each([
    ['postgres', 'postgres:17', 'postgres:15', /earlier version than "postgres:17"/],
    ['postgres', 'postgres:17.2', 'postgres:17-alpine', /same major version as "postgres:17.2".*PATCH/],
    ['postgres', 'postgres:15', 'mysql:9', /is an image of MySQL, but this database runs PostgreSQL/],
    ['postgres', 'postgres:15', 'postgres', /must name its version/],
    ['postgres', 'postgres:15', 'postgres:latest', /must name its version/],
    ['timescale', 'timescale/timescaledb:latest-pg17', 'timescale/timescaledb:2.19-pg16', /earlier version/],
    ['clickhouse', null, 'clickhouse/clickhouse-server:26.6', /earlier version/],
    ['redis', 'redis:8', 'redis:8.2', /same major version/],
  ])('%s from %s to %s is refused with the field and what to do', async (engine, from, imageRef, words) => {
    const { upgrade } = await database(engine, from);
    const { status, body } = await upgrade({ imageRef });
    expect([status, body]).toMatchObject([
      400,
      { code: 'invalid_request', error: expect.stringMatching(words) },
    ]);
    expect(body.error).toContain('"imageRef"');
  });

  test.each([
    ['clickhouse', 'clickhouse/clickhouse-server:26.6', 'clickhouse/clickhouse-server:26.7'],
    ['mysql', 'mysql:8.4', 'mysql:9'],
    ['mongodb', 'mongo:7', 'mongo:8'],
    ['postgres', 'registry.example.com/own:latest', 'postgres:17'],
    ['timescale', 'timescale/timescaledb:latest-pg16', 'timescale/timescaledb:latest-pg17'],
  ])('%s from %s to %s is an upgrade', async (engine, from, imageRef) => {
    const { upgrade } = await database(engine, from);
    expect((await upgrade({ imageRef })).status).toBe(200);
  });
});
