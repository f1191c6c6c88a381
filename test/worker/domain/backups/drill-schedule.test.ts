import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nightMomentMs } from '../../../../worker/domain/backups/backup-schedule.ts';
import {
  type DrillRun,
  isDrillDue,
  lastDrillDue,
  nextDrillMoment,
} from '../../../../worker/domain/backups/drill-schedule.ts';
import { type DrillState, endedDrillState } from '../../../../worker/domain/backups/drill-state.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const serviceIds = fc.string({
  unit: fc.constantFrom(...'abcdefghij0123456789'),
  minLength: 16,
  maxLength: 16,
});
const moments = fc.integer({ min: Date.UTC(2024, 0, 1), max: Date.UTC(2032, 0, 1) });
const untested = { lastProvenAt: null };

/** Looks every hour at a database of which a backup is taken each night, with drills that end as `outcome` says, after an hour. */
function played(
  serviceId: string,
  from: number,
  days: number,
  outcome: (attempt: number) => Exclude<DrillState, 'running'>,
): DrillRun[] {
  const runs: DrillRun[] = [];
  for (let now = from; now < from + days * dayMs; now += hourMs) {
    if (!isDrillDue({ serviceId, drill: 'weekly' }, untested, runs, now)) continue;
    runs.push({ status: outcome(runs.length), createdAt: now, finishedAt: now + hourMs });
  }
  return runs;
}

test('a drill is due once a week, at the same hour of the same day, two hours after the backups of its database', () => {
  fc.assert(
    fc.property(serviceIds, moments, (serviceId, now) => {
      const due = lastDrillDue(serviceId, now);
      expect([due <= now, now - due < 7 * dayMs]).toEqual([true, true]);
      expect(due % dayMs).toBe(nightMomentMs(serviceId) + 2 * hourMs);
      expect(lastDrillDue(serviceId, due)).toBe(due);
      expect(lastDrillDue(serviceId, due - 1)).toBe(due - 7 * dayMs);
      const next = nextDrillMoment(serviceId, now);
      expect([next > now, next - now <= dayMs, (next - due) % dayMs]).toEqual([true, true, 0]);
    }),
  );
});

test('days and hours of drills are spread by the ids of services', () => {
  const dues = Array.from({ length: 400 }, (_, at) => lastDrillDue(`svc_${at}`, Date.UTC(2026, 0, 1)));
  const per = (count: (due: number) => number) => new Set(dues.map(count)).size;
  expect([
    per((due) => Math.floor(due / dayMs) % 7),
    per((due) => Math.floor((due % dayMs) / hourMs)),
  ]).toEqual([7, 5]);
});

test('drills that succeed are one a week, the first at once', () => {
  fc.assert(
    fc.property(serviceIds, moments, (serviceId, from) => {
      const runs = played(serviceId, from, 35, () => 'succeeded');
      expect(runs[0]?.createdAt).toBe(from);
      const weeks = runs.map(({ createdAt }) => lastDrillDue(serviceId, createdAt));
      expect(new Set(weeks).size).toBe(runs.length);
      expect([5, 6]).toContain(runs.length);
    }),
    { numRuns: 20 },
  );
});

test.each(['failed', 'skipped'] as const)(
  'a drill that %s is repeated the next day until one succeeds',
  (status) => {
    const from = lastDrillDue('svc_a', Date.UTC(2026, 5, 10));
    const runs = played('svc_a', from, 7, (attempt) => (attempt < 3 ? status : 'succeeded'));
    expect(runs.map(({ createdAt }) => (createdAt - from) / dayMs)).toEqual([0, 1, 2, 3]);
  },
);

test('an aborted drill is repeated an hour after its end', () => {
  const from = lastDrillDue('svc_a', Date.UTC(2026, 5, 10));
  const runs = played('svc_a', from, 7, (attempt) => (attempt < 2 ? 'aborted' : 'succeeded'));
  expect(runs.map(({ createdAt }) => (createdAt - from) / hourMs)).toEqual([0, 2, 4]);
});

test('no drill is due while one runs, when they are off, without a backup, or when the newest one was tested', () => {
  const now = Date.UTC(2026, 5, 10);
  const weekly = { serviceId: 'svc_a', drill: 'weekly' } as const;
  expect(isDrillDue(weekly, untested, [], now)).toBe(true);
  expect(isDrillDue(weekly, untested, [{ status: 'running', createdAt: 0, finishedAt: null }], now)).toBe(
    false,
  );
  expect(isDrillDue({ ...weekly, drill: 'off' }, untested, [], now)).toBe(false);
  expect(isDrillDue(weekly, undefined, [], now)).toBe(false);
  expect(isDrillDue(weekly, { lastProvenAt: 1 }, [], now)).toBe(false);
});

test('only a failure that concerns the backup counts as a failed drill', () => {
  const ended = (code: string) => endedDrillState('failed', code);
  expect(['drill_failed', 'backup_damaged', 'deadline', 'internal'].map(ended)).toEqual(
    Array(4).fill('failed'),
  );
  expect(['drill_skipped', 'disk_full', 'runner_restarted', 'runner_lost'].map(ended)).toEqual(
    Array(4).fill('skipped'),
  );
  expect([endedDrillState('aborted', null), endedDrillState('succeeded', null)]).toEqual([
    'aborted',
    'succeeded',
  ]);
});
