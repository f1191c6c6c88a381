/** Restore drills over weeks of an injected clock; hosts are not there, their reports are written into the rows. */
import { and, asc, eq, inArray } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { newId } from '../../../../protocol/ids.ts';
import { backupSchedule } from '../../../../worker/domain/access/initiator.ts';
import { lastDrillDue } from '../../../../worker/domain/backups/drill-schedule.ts';
import { findDrill } from '../../../../worker/store/backups/drill-store.ts';
import { endDataJob } from '../../../../worker/store/jobs/data-job-store.ts';
import { findJob } from '../../../../worker/store/jobs/job-store.ts';
import { auditLog } from '../../../../worker/store/schema/audit.ts';
import { backupSettings, backups, drills } from '../../../../worker/store/schema/backups.ts';
import { defaultBackupSettings } from '../../../../worker/usecases/backups/list-backups.ts';
import { startBackup } from '../../../../worker/usecases/backups/start-backup.ts';
import { sweepBackups } from '../../../../worker/usecases/backups/sweep-backups.ts';
import { deps, insertProject, insertRunner, insertService } from '../../../support/worker/api.ts';
import { insertDeploymentOf, NotingHubs } from '../../../support/worker/deployment-rows.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** A Wednesday. */
const start = Date.UTC(2026, 5, 10, 12);
const hubs = new NotingHubs();

async function database(drill: 'weekly' | 'off' = 'weekly') {
  const { id: projectId } = await insertProject({ tenantId: 'default' });
  const { id: runnerId } = await insertRunner();
  const service = await insertService({
    ...{ projectId, runnerId, kind: 'database', repoFullName: 'database:postgres' },
    ...{ generatedHostname: null, lastDeployedAt: 1 },
  });
  const isOver = { finishedAt: 1 };
  await insertDeploymentOf(service.id, {
    job: { state: 'succeeded', ...isOver },
    deployment: { status: 'running', ...isOver },
  });
  const row = defaultBackupSettings({ id: service.id, createdAt: start });
  await deps.db.insert(backupSettings).values({ ...row, drill });
  const all = () =>
    deps.db.select().from(drills).where(eq(drills.serviceId, service.id)).orderBy(asc(drills.createdAt));
  const mine = eq(backups.serviceId, service.id);
  return {
    service,
    all,
    async backup(createdAt: number) {
      const id = newId('backup', deps.fillRandom);
      await deps.db.insert(backups).values({
        ...{ id, serviceId: service.id, engine: 'postgres', status: 'succeeded', trigger: 'manual' },
        ...{
          storage: 'disk',
          format: 'custom',
          sizeBytes: 1,
          checksum: 'sha256:',
          createdAt,
          startedAt: createdAt,
        },
      });
      return id;
    },
    tested: async () =>
      (await deps.db.select().from(backups).where(mine))
        .filter(({ lastProvenAt }) => lastProvenAt !== null)
        .map(({ id }) => id),
    /** As the report of its host, or the platform, ends it. */
    async end(code: string | null, at: number) {
      const [open] = await deps.db
        .select()
        .from(drills)
        .where(and(eq(drills.serviceId, service.id), eq(drills.status, 'running')));
      const found = open && (await findJob(deps.db, open.jobId));
      if (!found) throw new Error('no drill is at work');
      const failure = code === null ? null : { code, message: 'It did not hold.' };
      const state = code === null ? 'succeeded' : 'failed';
      await endDataJob(deps.db, found.job, { state, at, facts: {}, resultId: 'x', failure });
    },
    /** What the audit log says of its backups. */
    async noted() {
      const ids = (await deps.db.select().from(backups).where(mine)).map(({ id }) => id);
      const entries = await deps.db
        .select()
        .from(auditLog)
        .where(and(eq(auditLog.actor, 'system'), inArray(auditLog.resourceId, ids)));
      return entries.map(({ route, resourceId }) => [route, resourceId]);
    },
  };
}

/** Cron at this moment, until nothing is left to look at. */
async function checkSoon(now: number): Promise<void> {
  while ((await sweepBackups({ ...deps, hubs, now: () => now })) > 0);
}

/** Databases whose drills are due on each of the seven weekdays. */
async function oneForEachWeekday() {
  const byWeekday = new Map<number, Awaited<ReturnType<typeof database>>>();
  while (byWeekday.size < 7) {
    const bench = await database('off');
    const weekday = new Date(lastDrillDue(bench.service.id, start)).getUTCDay();
    if (byWeekday.has(weekday)) continue;
    await deps.db
      .update(backupSettings)
      .set({ drill: 'weekly' })
      .where(eq(backupSettings.serviceId, bench.service.id));
    byWeekday.set(weekday, bench);
  }
  return [...byWeekday.values()];
}

test('the newest backup is tested once a week, and only the end of its job marks it as tested', {
  tags: 'slow',
  // Two weeks of seven databases, 16 s beside other work.
  timeout: 90_000,
}, async () => {
  const benches = await oneForEachWeekday();
  const newest = new Map<string, string>();
  const backUp = async (at: number) => {
    for (const bench of benches) newest.set(bench.service.id, await bench.backup(at));
  };
  await backUp(start - 12 * hourMs);
  for (let now = start; now < start + 15 * dayMs; now += 6 * hourMs) {
    // At midnight, like real backups before that night's drill. One of the day could wait for the check of the next night.
    if (now % dayMs === 0) await backUp(now);
    const before = await Promise.all(benches.map((bench) => bench.tested()));
    await checkSoon(now);
    for (const [index, bench] of benches.entries()) {
      const open = (await bench.all()).find(({ status }) => status === 'running');
      if (!open) continue;
      const { backupId, trigger } = open;
      expect([backupId, trigger, await bench.tested()]).toEqual([
        newest.get(bench.service.id),
        'weekly',
        before[index],
      ]);
      expect((await findDrill(deps.db, open.id))?.startedBy).toEqual(backupSchedule);
      await bench.end(null, now + hourMs);
      expect(await bench.tested()).toContain(backupId);
    }
  }
  for (const bench of benches) {
    const begun = (await bench.all()).map(({ createdAt }) => createdAt);
    // Switched on in the middle of a week: the first drill starts immediately, then one follows per week.
    expect(begun[0]).toBe(start);
    const late = begun.slice(1).map((createdAt) => createdAt - lastDrillDue(bench.service.id, createdAt));
    expect(late.every((ms) => ms <= 6 * hourMs)).toBe(true);
    expect([2, 3]).toContain(late.length);
    expect(await bench.noted()).toEqual([]);
  }
});

test('a backup that is taken after the tested one of the week is tested at the next check, within a day', async () => {
  const bench = await database();
  const first = await bench.backup(start - hourMs);
  await checkSoon(start);
  await bench.end(null, start + hourMs);
  const due = lastDrillDue(bench.service.id, start + 7 * dayMs);
  await deps.db
    .update(backups)
    .set({ createdAt: due - 3 * hourMs, lastProvenAt: due - 2 * hourMs })
    .where(eq(backups.id, first));
  await checkSoon(due);
  expect(await bench.all()).toHaveLength(1);
  const later = await bench.backup(due + hourMs);
  await checkSoon(due + 2 * hourMs);
  await checkSoon(due + dayMs);
  expect((await bench.all()).map(({ backupId }) => backupId)).toEqual([first, later]);
});

test('a failed drill is reported once with its backup, and repeated the next day with the newest one', async () => {
  const bench = await database();
  const first = await bench.backup(start - hourMs);
  await checkSoon(start);
  await bench.end('drill_failed', start + hourMs);
  for (let hours = 1; hours < 10; hours++) await checkSoon(start + hours * hourMs);
  expect(await bench.noted()).toEqual([['drill.failed', first]]);
  expect(await bench.all()).toMatchObject([{ status: 'failed', error: 'It did not hold.' }]);
  const second = await bench.backup(start + 10 * hourMs);
  await checkSoon(start + dayMs);
  expect((await bench.all()).map(({ backupId }) => backupId)).toEqual([first, second]);
  await bench.end(null, start + dayMs + hourMs);
  expect(await bench.tested()).toEqual([second]);
  await checkSoon(start + dayMs + 2 * hourMs);
  expect(await bench.noted()).toHaveLength(1);
});

test('a drill that its host has no room for is skipped and does not change the state of the backup', async () => {
  const bench = await database();
  const id = await bench.backup(start - hourMs);
  await checkSoon(start);
  await bench.end('drill_skipped', start + 1);
  await checkSoon(start + hourMs);
  await checkSoon(start + 2 * hourMs);
  expect(await bench.all()).toMatchObject([{ status: 'skipped' }]);
  expect([await bench.noted(), await bench.tested()]).toEqual([[['drill.skipped', id]], []]);
});

test('no drill begins when they are off, before there is a backup, or while one is taken', async () => {
  const [off, empty, busy] = [await database('off'), await database(), await database()];
  await off.backup(start - hourMs);
  await busy.backup(start - hourMs);
  const taking = { ...deps, hubs, now: () => start };
  await startBackup(taking, busy.service, { storage: 'disk', trigger: 'manual' });
  await checkSoon(start);
  for (const bench of [off, empty, busy]) expect(await bench.all()).toEqual([]);
});
