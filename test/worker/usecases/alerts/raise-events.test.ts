/** What becomes an event: in the batch that writes it, once, and only where somebody is to be told. */
import { env } from 'cloudflare:workers';
import { eq } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import { backupSchedule } from '../../../../worker/domain/access/initiator.ts';
import { lastDue } from '../../../../worker/domain/backups/backup-schedule.ts';
import { insertRestore } from '../../../../worker/store/backups/backup-store.ts';
import { insertDrill } from '../../../../worker/store/backups/drill-store.ts';
import { endDataJob } from '../../../../worker/store/jobs/data-job-store.ts';
import { findJob } from '../../../../worker/store/jobs/job-store.ts';
import { auditLog } from '../../../../worker/store/schema/audit.ts';
import { events } from '../../../../worker/store/schema/events.ts';
import { runners } from '../../../../worker/store/schema/runners.ts';
import { newBackup, startBackup } from '../../../../worker/usecases/backups/start-backup.ts';
import { sweepBackups } from '../../../../worker/usecases/backups/sweep-backups.ts';
import { sweepJobs } from '../../../../worker/usecases/jobs/sweep-jobs.ts';
import { createClient, deps, operatorToken } from '../../../support/worker/api.ts';
import { databaseWithBackups } from '../../../support/worker/backup-rows.ts';
import { NotingHubs } from '../../../support/worker/deployment-rows.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const start = Date.UTC(2026, 5, 10, 12);
const call = createClient();

const setWebhook = (eventWebhook: { url: string } | null) =>
  call('PATCH', '/api/system/settings', { token: operatorToken, body: { eventWebhook } });

beforeEach(async () => {
  await env.DB.batch(
    ['events', 'audit_log', 'settings', 'backup_settings'].map((name) =>
      env.DB.prepare(`delete from ${name}`),
    ),
  );
  await setWebhook({ url: 'https://hooks.example.com/' });
});

const at = (now: number) => ({ ...deps, hubs: new NotingHubs(), now: () => now });
const raised = () => deps.db.select().from(events);
const noted = async () => {
  const entries = await deps.db.select().from(auditLog).where(eq(auditLog.actor, 'system'));
  return entries.map(({ route, resourceId }) => [route, resourceId]);
};

const failure = { code: 'dump_failed', message: 'The disk is full.' };

async function fail(jobId: string | null, code = failure.code): Promise<void> {
  const found = await findJob(deps.db, jobId ?? '');
  if (!found) throw new Error('no such job');
  const end = { at: start, facts: {}, resultId: 'told', failure: { ...failure, code } };
  // Twice, as when the acknowledgement of a report got lost.
  await endDataJob(deps.db, found.job, { state: 'failed', ...end });
  await endDataJob(deps.db, found.job, { state: 'failed', ...end });
}

test.each(['manual', 'daily'] as const)('a failed %s backup raises one event at once', async (trigger) => {
  const { service } = await databaseWithBackups();
  const backup = await startBackup(at(start), service, { storage: 'disk', trigger });
  expect(await raised()).toEqual([]);
  await fail(backup.jobId);
  expect(await raised()).toEqual([
    expect.objectContaining({
      id: expect.stringMatching(/^evt_[a-z0-9]{16}$/),
      type: 'backup.failed',
      tenantId: 'default',
      projectId: service.projectId,
      projectName: 'Test',
      serviceId: service.id,
      serviceName: 'Web',
      resourceId: backup.id,
      trigger,
      error: failure.message,
      attempts: 0,
      nextAttemptAt: start,
      createdAt: start,
    }),
  ]);
  expect(await noted()).toEqual([['backup.failed', backup.id]]);
});

test.each([
  ['dump_failed', 'failed'],
  ['backup_damaged', undefined],
])('a restore that fails (%s) is one event, and the copy before it none of its own', async (code, copy) => {
  const { service, insert, taken } = await databaseWithBackups();
  await insert({ trigger: 'manual', createdAt: start });
  const [backup] = await taken();
  const jobId = deps.newId('job');
  const id = deps.newId('restore');
  const safety = newBackup(deps, service, { storage: 'disk', trigger: 'pre-restore', jobId });
  await insertRestore(deps.db, { id, backupId: backup?.id ?? '', jobId, safety });
  await fail(jobId, code);
  expect((await taken()).find(({ trigger }) => trigger === 'pre-restore')?.status).toBe(copy);
  expect(await raised()).toMatchObject([{ type: 'restore.failed', resourceId: id, trigger: null }]);
  expect(await noted()).toEqual([['restore.failed', id]]);
});

test('a drill raises an event for a backup that failed, not for one that it could not test', async () => {
  const { service, insert, taken } = await databaseWithBackups();
  await insert({ trigger: 'daily', createdAt: start });
  const [backup] = await taken();
  const drill = async () => {
    const jobId = deps.newId('job');
    const row = { id: deps.newId('drill'), backupId: backup?.id ?? '', serviceId: service.id };
    await insertDrill(deps.db, {
      ...{ ...row, jobId, trigger: 'weekly', startedBy: backupSchedule, createdAt: start },
    });
    return jobId;
  };
  await fail(await drill(), 'disk_full');
  expect(await raised()).toEqual([]);
  await fail(await drill(), 'drill_failed');
  expect(await raised()).toMatchObject([
    { type: 'drill.failed', resourceId: backup?.id, trigger: 'weekly', error: failure.message },
  ]);
});

test('a job that succeeds or is aborted raises no event', async () => {
  const { service, end } = await databaseWithBackups();
  await startBackup(at(start), service, { storage: 'disk', trigger: 'manual' });
  await end('succeeded');
  const { jobId } = await startBackup(at(start), service, { storage: 'disk', trigger: 'manual' });
  const found = await findJob(deps.db, jobId ?? '');
  const aborted = { state: 'aborted', at: start, facts: {}, resultId: null, failure: null } as const;
  if (found) await endDataJob(deps.db, found.job, aborted);
  expect([await raised(), await noted()]).toEqual([[], []]);
});

test('a backup that waits for a missing host is given up after a day and raises an event', async () => {
  const { service } = await databaseWithBackups();
  const backup = await startBackup(at(start), service, { storage: 'disk', trigger: 'weekly' });
  await sweepJobs(at(start + dayMs - 1));
  expect(await raised()).toEqual([]);
  await sweepJobs(at(start + dayMs + 1));
  expect(await raised()).toMatchObject([
    {
      type: 'backup.failed',
      resourceId: backup.id,
      trigger: 'weekly',
      error: 'The backup waited 24 h for its host and was cancelled.',
    },
  ]);
});

test('a backup that never began raises one event as missed a day after it was due, with the reason', async () => {
  const { service, runner } = await databaseWithBackups(
    { automaticEnabled: true, dailyEnabled: true },
    { createdAt: start },
  );
  await deps.db.update(runners).set({ revokedAt: start }).where(eq(runners.id, runner.id));
  const due = lastDue('daily', service.id, start) + dayMs;
  const sweepAt = async (now: number) => {
    while ((await sweepBackups(at(now))) > 0);
  };
  await sweepAt(due + dayMs - 1);
  expect(await raised()).toEqual([]);
  for (const hours of [1, 2, 3]) await sweepAt(due + dayMs + hours * hourMs);
  expect(await raised()).toMatchObject([
    {
      type: 'backup.missed',
      serviceId: service.id,
      resourceId: service.id,
      trigger: 'daily',
      error: expect.stringContaining('Another backup'),
    },
  ]);
  expect(await noted()).toEqual([['backup.missed conflict', service.id]]);
});

test('an event without a webhook is only in the audit log, and waiting ones are dropped with the webhook', async () => {
  const { service } = await databaseWithBackups();
  const failedOne = async () => {
    const { jobId } = await startBackup(at(start), service, { storage: 'disk', trigger: 'manual' });
    await fail(jobId);
  };
  await failedOne();
  expect(await raised()).toHaveLength(1);
  await setWebhook({ url: 'https://hooks.example.com/other' });
  expect(await raised()).toHaveLength(1);
  await setWebhook(null);
  expect(await raised()).toEqual([]);
  await failedOne();
  expect(await raised()).toEqual([]);
  expect(await noted()).toHaveLength(2);
});
