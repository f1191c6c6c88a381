import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  attemptsPerDay,
  type BackupRun,
  dueTrigger,
  expendable,
  keptBackups,
  lastDue,
  levels,
  missedDue,
  nextDue,
  nextNight,
  nightMomentMs,
  type Schedule,
} from '../../../../worker/domain/backups/backup-schedule.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const at = (text: string) => Date.parse(`${text}Z`);

const serviceIds = fc.string({
  unit: fc.constantFrom(...'abcdefghij0123456789'),
  minLength: 16,
  maxLength: 16,
});
const moments = fc.integer({ min: at('2024-01-01T00:00'), max: at('2032-01-01T00:00') });
const schedules = fc.record({
  serviceId: serviceIds,
  automaticEnabled: fc.constant(true),
  dailyEnabled: fc.boolean(),
  weeklyEnabled: fc.boolean(),
  monthlyEnabled: fc.boolean(),
});
const all: Schedule = {
  serviceId: 'svc_a',
  automaticEnabled: true,
  dailyEnabled: true,
  weeklyEnabled: true,
  monthlyEnabled: true,
};
const succeeded = (trigger: string, createdAt: number): BackupRun => ({
  trigger,
  status: 'succeeded',
  createdAt,
});
const failed = (trigger: string, createdAt: number): BackupRun => ({ trigger, status: 'failed', createdAt });

test('the next due moment is the first one after now of the levels that are enabled, with none between', () => {
  fc.assert(
    fc.property(schedules, moments, (schedule, now) => {
      const next = nextDue(schedule, now);
      const enabled = levels.filter((level) => schedule[`${level}Enabled`]);
      expect(next === null).toBe(enabled.length === 0);
      if (next === null) return;
      const dues = (moment: number) => enabled.map((level) => lastDue(level, schedule.serviceId, moment));
      expect(next).toBeGreaterThan(now);
      expect(dues(next - 1)).toEqual(dues(now));
      expect(dues(next)).toContain(next);
    }),
  );
});

test('the next due moment is none without a level, or while all are switched off', () => {
  const none = { ...all, dailyEnabled: false, weeklyEnabled: false, monthlyEnabled: false };
  expect([nextDue(none, 0), nextDue({ ...all, automaticEnabled: false }, 0)]).toEqual([null, null]);
});

test('a due moment is in the first five hours of a day, of a Monday, of a first of the month, and never later than now', () => {
  fc.assert(
    fc.property(serviceIds, moments, (serviceId, now) => {
      const moment = nightMomentMs(serviceId);
      expect(moment >= 0 && moment < 5 * hourMs).toBe(true);
      const [monthly, weekly, daily] = levels.map((level) => lastDue(level, serviceId, now));
      for (const due of [monthly, weekly, daily]) {
        expect([(due ?? 0) <= now, (due ?? 0) % dayMs]).toEqual([true, moment]);
      }
      expect(now - (daily ?? 0)).toBeLessThan(dayMs);
      expect([now - (weekly ?? 0) < 7 * dayMs, new Date(weekly ?? 0).getUTCDay()]).toEqual([true, 1]);
      expect([now - (monthly ?? 0) <= 31 * dayMs, new Date(monthly ?? 0).getUTCDate()]).toEqual([true, 1]);
      expect(nextNight(serviceId, now)).toBeGreaterThan(now);
    }),
  );
});

test('a due moment is spread over the night by the id of the service', () => {
  const hours = new Set(
    Array.from({ length: 200 }, (_, index) => Math.floor(nightMomentMs(`svc_${index}`) / hourMs)),
  );
  expect([...hours].toSorted()).toEqual([0, 1, 2, 3, 4]);
});

/** Looks every `stepMs` and takes what is due, always with success. */
function played(schedule: Schedule, from: number, days: number, stepMs: number): BackupRun[] {
  const runs: BackupRun[] = [];
  for (let now = from; now < from + days * dayMs; now += stepMs) {
    const trigger = dueTrigger(schedule, runs, now);
    if (trigger) runs.push(succeeded(trigger, now));
  }
  return runs;
}

test('a backup is due once per period of each level, however often it is checked', () => {
  fc.assert(
    fc.property(schedules, moments, fc.integer({ min: 1, max: 23 }), (schedule, from, hours) => {
      const runs = played(schedule, from, 65, hours * hourMs);
      for (const level of levels) {
        const periods = runs
          .filter(({ trigger }) => trigger === level)
          .map(({ createdAt }) => lastDue(level, schedule.serviceId, createdAt));
        expect(new Set(periods).size).toBe(periods.length);
        if (!schedule[`${level}Enabled`]) expect(periods).toEqual([]);
      }
      const isOn = schedule.dailyEnabled || schedule.weeklyEnabled || schedule.monthlyEnabled;
      expect(runs.length > 0).toBe(isOn);
      if (schedule.dailyEnabled) {
        const nights = runs.map(({ createdAt }) => lastDue('daily', schedule.serviceId, createdAt));
        expect(new Set(nights).size).toBe(nights.length);
        expect(nights.length).toBeGreaterThanOrEqual(65);
      }
    }),
    { numRuns: 40 },
  );
});

test('a backup is due for the highest open level, and counts for the lower ones', () => {
  // The first of June 2026 is a Monday.
  const runs = played(all, at('2026-06-01T06:00'), 9, hourMs);
  expect(runs.map(({ trigger }) => trigger)).toEqual([
    'monthly',
    ...Array(6).fill('daily'),
    'weekly',
    'daily',
    'daily',
  ]);
});

test('a backup is not due while one is running, or when its level is off', () => {
  fc.assert(
    fc.property(schedules, moments, (schedule, now) => {
      const running: BackupRun = { trigger: 'manual', status: 'running', createdAt: now - dayMs };
      expect(dueTrigger(schedule, [running], now)).toBeUndefined();
      expect(dueTrigger({ ...schedule, automaticEnabled: false }, [], now)).toBeUndefined();
    }),
  );
});

test('a backup is due again an hour after it failed, at most three times a day, and the next day', () => {
  const start = lastDue('weekly', all.serviceId, at('2026-06-10T12:00'));
  const schedule = { ...all, dailyEnabled: false, monthlyEnabled: false };
  const runs: BackupRun[] = [];
  const tried: number[] = [];
  for (let now = start; now < start + 2 * dayMs; now += hourMs / 4) {
    if (dueTrigger(schedule, runs, now) !== 'weekly') continue;
    runs.push(failed('weekly', now));
    tried.push((now - start) / hourMs);
  }
  expect(tried).toEqual([0, 1, 2, 24, 25, 26]);
  expect(attemptsPerDay).toBe(3);
});

test('a backup is due regardless of manual backups', () => {
  const now = at('2026-06-10T12:00');
  expect(dueTrigger(all, [succeeded('manual', now - 1), succeeded('pre-restore', now - 1)], now)).toBe(
    'monthly',
  );
});

const now = at('2026-06-10T12:00');
const due = lastDue('daily', all.serviceId, now - dayMs);
const daily = { ...all, weeklyEnabled: false, monthlyEnabled: false };

test('a backup is missed a day after it was due, once, unless one succeeded or is running', () => {
  expect(missedDue(daily, [], { now, since: 0 })).toBe(due);
  expect(missedDue(daily, [failed('daily', due + 1)], { now, since: 0 })).toBe(due);
  expect(missedDue(daily, [succeeded('daily', due + 1)], { now, since: 0 })).toBeUndefined();
  expect(missedDue(daily, [succeeded('monthly', due)], { now, since: 0 })).toBeUndefined();
  expect(missedDue(daily, [succeeded('manual', due + 1)], { now, since: 0 })).toBe(due);
  const running = { trigger: 'daily', status: 'running', createdAt: due + 1 } as const;
  expect(missedDue(daily, [running], { now, since: 0 })).toBeUndefined();
  expect(missedDue(daily, [], { now, since: due })).toBeUndefined();
  expect(missedDue(daily, [], { now: due + dayMs - 1, since: due - 1 })).toBeUndefined();
  expect(missedDue({ ...daily, automaticEnabled: false }, [], { now, since: 0 })).toBeUndefined();
});

const triggers = ['manual', 'daily', 'weekly', 'monthly', 'pre-restore'];
const histories = fc.array(
  fc.record({
    trigger: fc.constantFrom(...triggers),
    status: fc.constantFrom('running' as const, 'succeeded' as const, 'failed' as const),
    createdAt: fc.integer({ min: 0, max: 1_000_000 }),
  }),
  { maxLength: 80 },
);

test('the newest 7 daily, 5 weekly, 12 monthly and 7 pre-restore backups are kept, and manual ones stay', () => {
  fc.assert(
    fc.property(histories, (history) => {
      const gone = new Set(expendable(history));
      const whole = history.filter(({ status }) => status === 'succeeded');
      const newest = whole.toSorted((one, other) => other.createdAt - one.createdAt)[0];
      if (newest) expect(gone.has(newest)).toBe(false);
      for (const one of gone) expect([one.status, one.trigger === 'manual']).toEqual(['succeeded', false]);
      for (const [trigger, count] of Object.entries(keptBackups)) {
        const of = whole.filter((one) => one.trigger === trigger);
        const kept = of.filter((one) => !gone.has(one));
        expect(kept.length).toBe(Math.min(of.length, count));
        const oldestKept = Math.min(...kept.map(({ createdAt }) => createdAt));
        for (const one of of) if (gone.has(one)) expect(one.createdAt).toBeLessThanOrEqual(oldestKept);
      }
    }),
  );
});
