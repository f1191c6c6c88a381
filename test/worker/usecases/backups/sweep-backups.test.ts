/** Automatic backups over days of an injected clock; hosts are not there, their reports are written into the rows. */
import { eq, sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { backupSchedule } from '../../../../worker/domain/access/initiator.ts';
import { lastDue } from '../../../../worker/domain/backups/backup-schedule.ts';
import { type BackupSettingsRow, findBackup } from '../../../../worker/store/backups/backup-store.ts';
import { hostTasks, runners } from '../../../../worker/store/schema/runners.ts';
import { tenants } from '../../../../worker/store/schema/tenants.ts';
import { sweepBackups } from '../../../../worker/usecases/backups/sweep-backups.ts';
import { pruneRecords } from '../../../../worker/usecases/instance/prune-records.ts';
import { deps, insertTenant } from '../../../support/worker/api.ts';
import { type DatabaseOptions, databaseWithBackups } from '../../../support/worker/backup-rows.ts';
import { NotingHubs } from '../../../support/worker/deployment-rows.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** A Wednesday. */
const start = Date.UTC(2026, 5, 10, 12);

const allLevels = { automaticEnabled: true, dailyEnabled: true, weeklyEnabled: true, monthlyEnabled: true };

const database = (changes: Partial<BackupSettingsRow>, options: DatabaseOptions = {}) =>
  databaseWithBackups(changes, { createdAt: start, ...options });

/** Cron at this moment, until nothing is left to look at. */
async function sweepAt(now: number): Promise<void> {
  const given = { ...deps, hubs: new NotingHubs(), now: () => now };
  while ((await sweepBackups(given)) > 0);
}

test('backups are taken night by night, each level once a period, with the storage of the settings', {
  tags: 'slow',
}, async () => {
  const bench = await database(allLevels);
  for (let now = start; now < start + 6 * dayMs; now += 3 * hourMs) {
    await sweepAt(now);
    await bench.end('succeeded');
  }
  // Switched on at noon, the first one is taken at once; the sixth night is that of a Monday.
  expect(await bench.triggers()).toEqual(['monthly', 'daily', 'daily', 'daily', 'daily', 'weekly', 'daily']);
  for (const { storage, createdAt } of (await bench.taken()).slice(1)) {
    expect(storage).toBe('disk');
    expect(createdAt - lastDue('daily', bench.service.id, createdAt)).toBeLessThanOrEqual(3 * hourMs);
  }
  expect(await bench.noted()).toEqual([]);
});

test('an outage of days is caught up by one backup of the highest level', async () => {
  const bench = await database(allLevels);
  await bench.insert({ trigger: 'monthly', createdAt: start });
  await sweepAt(start + 8 * dayMs);
  expect(await bench.triggers()).toEqual(['monthly', 'weekly']);
  const taken = await findBackup(deps.db, (await bench.taken())[1]?.id ?? '');
  expect(taken?.startedBy).toEqual(backupSchedule);
});

test('simultaneous runs take one backup, and none while one is running', async () => {
  const bench = await database(allLevels);
  await Promise.all([sweepAt(start), sweepAt(start), sweepAt(start)]);
  await sweepAt(start + 16 * 60_000);
  await sweepAt(start + dayMs);
  expect(await bench.triggers()).toEqual(['monthly']);
});

test('no backup is taken when backups are off, and none is missed where nothing was ever deployed', async () => {
  const off = await database({ ...allLevels, automaticEnabled: false });
  const empty = await database(allLevels, { isDeployed: false });
  for (const days of [0, 1, 2, 3]) await sweepAt(start + days * dayMs);
  for (const bench of [off, empty]) expect([await bench.triggers(), await bench.noted()]).toEqual([[], []]);
});

test('each failed backup is in the audit log once, and is retried an hour later, three times a night', {
  tags: 'slow',
}, async () => {
  const bench = await database({ ...allLevels, weeklyEnabled: false, monthlyEnabled: false });
  const night = lastDue('daily', bench.service.id, start) + dayMs;
  await bench.insert({ trigger: 'daily', createdAt: start });
  for (let now = night; now < night + dayMs; now += hourMs / 2) {
    await sweepAt(now);
    await bench.end('failed');
  }
  expect(await bench.triggers()).toEqual(['daily', 'daily', 'daily', 'daily']);
  const failed = (await bench.taken()).slice(1);
  expect(await bench.noted()).toMatchObject(
    failed.map(({ id }) => ({
      route: 'backup.failed',
      actor: 'system',
      tenantId: 'default',
      resourceId: id,
    })),
  );
  await sweepAt(night + dayMs);
  await bench.end('succeeded');
  await sweepAt(night + 2 * dayMs);
  const noted = (await bench.noted()).map(({ route }) => route);
  expect(noted).toEqual([...failed.map(() => 'backup.failed'), 'backup.recovered']);
});

test('a backup that somebody aborted is no failure: the next one reports no recovery', async () => {
  const bench = await database({ ...allLevels, weeklyEnabled: false, monthlyEnabled: false });
  const night = lastDue('daily', bench.service.id, start) + dayMs;
  await bench.insert({ trigger: 'daily', createdAt: start });
  const nights = ['aborted', 'succeeded', 'failed', 'aborted', 'succeeded'] as const;
  for (const [count, state] of nights.entries()) {
    await sweepAt(night + count * dayMs);
    expect(await bench.end(state)).toHaveLength(1);
  }
  const noted = (await bench.noted()).map(({ route }) => route);
  expect(noted).toEqual(['backup.failed', 'backup.recovered']);
});

test('a backup that a revoked host does not take is missed a day after it was due, once a period', async () => {
  const bench = await database({ ...allLevels, weeklyEnabled: false, monthlyEnabled: false });
  await deps.db.update(runners).set({ revokedAt: start }).where(eq(runners.id, bench.runner.id));
  const night = lastDue('daily', bench.service.id, start) + dayMs;
  const missed = async () => (await bench.noted()).map(({ route }) => route);
  await sweepAt(night + dayMs - 1);
  expect(await missed()).toEqual([]);
  await sweepAt(night + dayMs + hourMs);
  await sweepAt(night + dayMs + 2 * hourMs);
  expect(await missed()).toEqual(['backup.missed conflict']);
  await sweepAt(night + 2 * dayMs + hourMs);
  expect(await missed()).toEqual(['backup.missed conflict', 'backup.missed conflict']);
});

test('a backup that waited a day for its host has failed, and the next one is queued', async () => {
  const bench = await database({ ...allLevels, weeklyEnabled: false, monthlyEnabled: false });
  const night = lastDue('daily', bench.service.id, start) + dayMs;
  await bench.insert({ trigger: 'daily', createdAt: start });
  await sweepAt(night);
  await sweepAt(night + dayMs);
  expect(await bench.noted()).toEqual([]);
  const [given] = await bench.end('failed');
  await sweepAt(night + dayMs + hourMs);
  expect(await bench.noted()).toMatchObject([{ route: 'backup.failed', resourceId: given?.id }]);
  expect((await bench.taken()).map(({ status }) => status)).toEqual(['succeeded', 'failed', 'running']);
});

test('a backup over the quota is not taken, counts as missed with that reason, and is taken once there is room', async () => {
  const tenantId = await insertTenant('Small');
  await deps.db
    .update(tenants)
    .set({ quotas: { backupBytes: 10 } })
    .where(eq(tenants.id, tenantId));
  const bench = await database({ ...allLevels, weeklyEnabled: false, monthlyEnabled: false }, { tenantId });
  await bench.insert({ trigger: 'manual', createdAt: start, sizeBytes: 10 });
  const night = lastDue('daily', bench.service.id, start) + dayMs;
  await sweepAt(night);
  await sweepAt(night + dayMs);
  expect(await bench.triggers()).toEqual(['manual']);
  expect(await bench.noted()).toMatchObject([
    { route: 'backup.missed quota_exceeded', status: 409, tenantId, resourceId: bench.service.id },
  ]);
  const noted = await deps.db.all(sql`select quota from quota_refusals where tenant_id = ${tenantId}`);
  expect(noted).toEqual([{ quota: 'backupBytes' }]);
  await deps.db
    .update(tenants)
    .set({ quotas: { backupBytes: 11 } })
    .where(eq(tenants.id, tenantId));
  await sweepAt(night + dayMs + hourMs);
  expect(await bench.triggers()).toEqual(['manual', 'daily']);
});

test('backups past retention are removed with their files, a few at a time, also without a schedule', async () => {
  const bench = await database({});
  for (let age = 12; age > 0; age--) await bench.insert({ trigger: 'daily', createdAt: start - age * dayMs });
  for (let age = 9; age > 0; age--)
    await bench.insert({ trigger: 'pre-restore', createdAt: start - age * hourMs });
  await bench.insert({ trigger: 'manual', createdAt: start - 400 * dayMs });
  const before = (await bench.taken()).length;
  await sweepAt(start);
  const removed = before - (await bench.taken()).length;
  expect(removed).toBe(1);
  for (let minutes = 15; minutes <= 90; minutes += 15) await sweepAt(start + minutes * 60_000);
  const kept = await bench.taken();
  const count = (trigger: string) => kept.filter((one) => one.trigger === trigger).length;
  expect([count('daily'), count('pre-restore'), count('manual')]).toEqual([7, 7, 1]);
  expect(kept.find(({ trigger }) => trigger === 'daily')?.createdAt).toBe(start - 7 * dayMs);
  const tasks = await deps.db.select().from(hostTasks).where(eq(hostTasks.runnerId, bench.runner.id));
  expect(tasks.map(({ task }) => task.kind)).toEqual(Array(7).fill('remove-backup'));
});

test('failed backups are removed after 30 days, and successful ones stay', async () => {
  const bench = await database({});
  await bench.insert({ trigger: 'manual', status: 'failed', createdAt: start - 31 * dayMs });
  await bench.insert({ trigger: 'manual', status: 'failed', createdAt: start - 29 * dayMs });
  await bench.insert({ trigger: 'manual', createdAt: start - 31 * dayMs });
  await pruneRecords({ ...deps, now: () => start });
  const kept = (await bench.taken()).map(({ status, createdAt }) => [status, (start - createdAt) / dayMs]);
  expect(kept).toEqual([
    ['succeeded', 31],
    ['failed', 29],
  ]);
});
