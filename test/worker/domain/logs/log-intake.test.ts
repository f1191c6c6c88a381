import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  clockSkewMs,
  type LogHead,
  type StoredLine,
  takeLines,
} from '../../../../worker/domain/logs/log-intake.ts';
import { linesFrom, range } from '../../../support/worker/log-lines.ts';

const now = 1_700_000_000_000;
const empty: LogHead = { received: 0, lastAt: 0 };
const ids = (lines: StoredLine[] | null) => lines?.map((line) => line.id);

test('a frame that continues the log is taken whole', () => {
  expect(ids(takeLines(empty, 1, linesFrom(1, 3), now))).toEqual([1, 2, 3]);
});

test('a repeated frame is empty, and an overlapping one is trimmed to its new lines', () => {
  const head = { received: 5, lastAt: now };
  expect(takeLines(head, 2, linesFrom(2, 5), now)).toEqual([]);
  const fresh = takeLines(head, 4, linesFrom(4, 8), now);
  expect(ids(fresh)).toEqual([6, 7, 8]);
  expect(fresh?.map(({ line }) => line)).toEqual(['line 6', 'line 7', 'line 8']);
});

test('a gap is refused', () => {
  expect(takeLines({ received: 5, lastAt: now }, 7, linesFrom(7, 9), now)).toBeNull();
});

test('whatever order frames come in, what is taken counts 1, 2, 3 ... and carries its own text', () => {
  const frame = fc.record({
    first: fc.integer({ min: 1, max: 30 }),
    length: fc.integer({ min: 0, max: 10 }),
  });
  fc.assert(
    fc.property(fc.array(frame, { maxLength: 40 }), (frames) => {
      let head = empty;
      const taken: StoredLine[] = [];
      for (const { first, length } of frames) {
        const fresh = takeLines(head, first, linesFrom(first, first + length - 1), now) ?? [];
        taken.push(...fresh);
        const last = fresh.at(-1);
        if (last) head = { received: last.id, lastAt: last.at };
      }
      expect(ids(taken)).toEqual(range(1, taken.length));
      expect(taken.map(({ line }) => line)).toEqual(range(1, taken.length).map((id) => `line ${id}`));
    }),
  );
});

test('times never decrease and stay within five minutes of receipt', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: now - 1e9, max: now + 1e9 }), { minLength: 1 }), (times) => {
      const lines = times.map((at) => ({ stream: 'stdout' as const, at, line: '' }));
      const taken = takeLines(empty, 1, lines, now)?.map(({ at }) => at) ?? [];
      expect(taken).toEqual(taken.toSorted((a, b) => a - b));
      for (const at of taken) expect(Math.abs(at - now)).toBeLessThanOrEqual(clockSkewMs);
    }),
  );
});

test('a line that is not well-formed Unicode becomes readable for every JSON reader', () => {
  const line = { stream: 'stdout' as const, at: now, line: `broken \ud800 pair` };
  expect(takeLines(empty, 1, [line], now)?.[0]?.line).toBe('broken \ufffd pair');
});
