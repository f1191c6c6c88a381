/** Automatic backups and drills of volumes over days of an injected clock; hosts are not there, their reports are written into the rows. */
import { and, eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { lastDue } from '../../../../worker/domain/backups/backup-schedule.ts';
import type { BackupSettingsRow } from '../../../../worker/store/backups/backup-store.ts';
import { endDataJob } from '../../../../worker/store/jobs/data-job-store.ts';
import { findJob } from '../../../../worker/store/jobs/job-store.ts';
import { drills } from '../../../../worker/store/schema/backups.ts';
import { runners } from '../../../../worker/store/schema/runners.ts';
import { volumes } from '../../../../worker/store/schema/volumes.ts';
import { sweepBackups } from '../../../../worker/usecases/backups/sweep-backups.ts';
import { deps } from '../../../support/worker/api.ts';
import { databaseWithBackups } from '../../../support/worker/backup-rows.ts';
import { NotingHubs } from '../../../support/worker/deployment-rows.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** A Wednesday. */
const start = Date.UTC(2026, 5, 10, 12);
const daily = { automaticEnabled: true, dailyEnabled: true };

const service = (changes: Partial<BackupSettingsRow> = {}, names = ['data', 'uploads']) =>
  databaseWithBackups({ ...daily, ...changes }, { createdAt: start, volumes: names });

type Bench = Awaited<ReturnType<typeof service>>;

/** Cron at this moment, until nothing is left to look at. */
async function sweepAt(now: number): Promise<void> {
  const given = { ...deps, hubs: new NotingHubs(), now: () => now };
  while ((await sweepBackups(given)) > 0);
}

const shown = async (bench: Bench) =>
  (await bench.taken()).map(({ volumeId, status }) => `${bench.nameOf(volumeId)} ${status}`);

test('the volumes of a service are backed up one after the other, with storage and quiesce of its settings', async () => {
  const bench = await service({ storage: 'disk', quiesce: { type: 'stop' } });
  // One that no deployment has created on the host yet is left out.
  const late = { id: 'vol_late0000000000001', serviceId: bench.service.id, name: 'late', mountPath: '/late' };
  await deps.db.insert(volumes).values({ ...late, createdAt: start, updatedAt: start });
  await sweepAt(start);
  expect(await shown(bench)).toEqual(['data running']);
  await bench.end('succeeded');
  // The second volume does not wait for the usual quarter of an hour.
  await sweepAt(start + 2 * 60_000);
  await bench.end('succeeded');
  await sweepAt(start + hourMs);
  expect(await shown(bench)).toEqual(['data succeeded', 'uploads succeeded']);
  for (const one of await bench.taken()) {
    expect(one).toMatchObject({ trigger: 'daily', engine: 'volume', quiesce: { type: 'stop' } });
  }
  await sweepAt(lastDue('daily', bench.service.id, start) + dayMs);
  expect(await shown(bench)).toEqual(['data succeeded', 'uploads succeeded', 'data running']);
});

test('a volume whose backup fails delays no other one, and its next success is reported', async () => {
  const bench = await service();
  await sweepAt(start);
  await bench.end('failed');
  await sweepAt(start + hourMs / 2);
  await bench.end('succeeded');
  await sweepAt(start + 2 * hourMs);
  await bench.end('succeeded');
  expect(await shown(bench)).toEqual(['data failed', 'uploads succeeded', 'data succeeded']);
  const routes = (await bench.noted()).map(({ route }) => route);
  expect(routes).toEqual(['backup.failed', 'backup.recovered']);
});

test('retention counts by volume, a deleted one included, and the newest success of each stays', async () => {
  const bench = await service({ automaticEnabled: false, dailyEnabled: false });
  const [{ id: kept } = { id: '' }, { id: gone } = { id: '' }] = await deps.db
    .select()
    .from(volumes)
    .where(eq(volumes.serviceId, bench.service.id))
    .orderBy(volumes.createdAt);
  for (let day = 1; day <= 9; day++) {
    await bench.insert({ trigger: 'daily', createdAt: start - day * dayMs, volumeId: kept });
  }
  await bench.insert({ trigger: 'daily', createdAt: start - 90 * dayMs, volumeId: gone });
  await deps.db.delete(volumes).where(eq(volumes.id, gone));
  for (let now = start; now < start + hourMs; now += 15 * 60_000) await sweepAt(now);
  const left = (await bench.taken()).map(({ volumeId }) => volumeId);
  expect([left.filter((id) => id === kept).length, left.filter((id) => id === gone).length]).toEqual([7, 1]);
});

test('missed backups of several volumes are one event of the service', async () => {
  const bench = await service();
  const night = lastDue('daily', bench.service.id, start) + dayMs;
  await deps.db.update(runners).set({ revokedAt: start }).where(eq(runners.id, bench.runner.id));
  await sweepAt(night + dayMs + hourMs);
  await sweepAt(night + dayMs + 2 * hourMs);
  expect((await bench.noted()).map(({ route }) => route)).toEqual(['backup.missed conflict']);
});

test('the newest backup of each volume is tested once a week, one at a time', async () => {
  const bench = await service({ automaticEnabled: false, drill: 'weekly' });
  const ids = (
    await deps.db
      .select()
      .from(volumes)
      .where(eq(volumes.serviceId, bench.service.id))
      .orderBy(volumes.createdAt)
  ).map(({ id }) => id);
  for (const volumeId of ids) {
    await bench.insert({ trigger: 'manual', createdAt: start - 2 * hourMs, volumeId });
    await bench.insert({ trigger: 'manual', createdAt: start - hourMs, volumeId });
  }
  const mine = eq(drills.serviceId, bench.service.id);
  const endOpen = async (at: number) => {
    const open = await deps.db
      .select()
      .from(drills)
      .where(and(mine, eq(drills.status, 'running')));
    for (const { jobId } of open) {
      const found = await findJob(deps.db, jobId);
      const end = { state: 'succeeded', at, facts: {}, resultId: 'x', failure: null } as const;
      if (found) await endDataJob(deps.db, found.job, end);
    }
    return open.length;
  };
  const counts: number[] = [];
  for (let now = start; now < start + 4 * hourMs; now += hourMs) {
    await sweepAt(now);
    counts.push(await endOpen(now));
  }
  expect(counts).toEqual([1, 1, 0, 0]);
  const proven = (await bench.taken()).filter(({ lastProvenAt }) => lastProvenAt !== null);
  expect(proven.map(({ volumeId, createdAt }) => [volumeId, createdAt])).toEqual(
    ids.map((id) => [id, start - hourMs]),
  );
});
