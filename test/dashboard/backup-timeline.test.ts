/** Where backups and restores are on the line of time. */
import { expect, test } from 'vitest';
import type { Backup } from '../../dashboard/pages/service/backups/backup.ts';
import { timelineOf } from '../../dashboard/pages/service/backups/timeline-marks.ts';

const now = Date.parse('2026-01-11T00:00:00Z');
const day = (n: number) => `2026-01-${String(n).padStart(2, '0')}T00:00:00.000Z`;

function backup(n: number, more: Partial<Backup> = {}): Backup {
  const facts = {
    id: `bak_${n}`,
    status: 'succeeded',
    sizeBytes: 100,
    createdAt: day(n),
    lastProvenAt: null,
  };
  return { ...facts, restore: null, ...more } as Backup;
}
const restore = (n: number, state = 'succeeded') =>
  ({ id: `res_${n}`, state, createdAt: day(n) }) as Backup['restore'];

test('bars are where time and size put them, and a failed backup has no size', () => {
  const all = [
    backup(11, { sizeBytes: 50 }),
    backup(6, { lastProvenAt: day(7) }),
    backup(1, { status: 'failed' }),
  ];
  const line = timelineOf(all, now);
  expect(line?.bars.map(({ at, size, isProven }) => [at, size, isProven])).toEqual([
    [1, 0.5, false],
    [0.5, 1, true],
    [0, 0, false],
  ]);
});

test('restores that overlap are below each other, and others share a lane', () => {
  const all = [
    backup(9, { restore: restore(10) }),
    backup(2, { restore: restore(5, 'failed') }),
    backup(1, { restore: restore(6) }),
  ];
  const line = timelineOf(all, now);
  expect(line?.spans.map(({ id, lane, state }) => [id, lane, state])).toEqual([
    ['res_6', 0, 'succeeded'],
    ['res_5', 1, 'failed'],
    ['res_10', 0, 'succeeded'],
  ]);
  expect(line?.lanes).toBe(2);
});

test('no backup has no line, and one of this moment or of a clock ahead stays on it', () => {
  expect(timelineOf([], now)).toBeUndefined();
  expect(timelineOf([backup(12)], now)?.bars[0]?.at).toBe(1);
});
