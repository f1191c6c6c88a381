import { expect, test } from 'vitest';
import { NotYet } from '../../../runner/base/not-yet.ts';
import { openJournal } from '../../../runner/journal/journal.ts';
import { Chores } from '../../../runner/scheduling/chores.ts';
import { manualClock } from '../../support/runner/manual-clock.ts';
import { silentLogger } from '../../support/runner/silent-logger.ts';
import { temporaryDirectory } from '../../support/runner/temporary-directory.ts';

function stage(directory = temporaryDirectory()) {
  const clock = manualClock();
  const journal = openJournal(directory, 0);
  const warnings: string[] = [];
  const logger = { ...silentLogger, warn: (line: string) => void warnings.push(line) };
  const chores = new Chores({ records: journal.chores, clock, logger, random: () => 1 });
  return { clock, journal, chores, directory, warnings };
}

test('a chore added before the start is done at it, one added later at once, and both are then forgotten', async () => {
  const { chores, journal, clock } = stage();
  const done: unknown[] = [];
  chores.add('sweep', { room: 1 });
  expect(chores.pending('sweep')).toEqual([{ room: 1 }]);
  chores.start({ sweep: async (payload) => void done.push(payload) });
  chores.add('sweep', { room: 2 });
  await clock.advance(0);
  expect(done).toEqual([{ room: 1 }, { room: 2 }]);
  expect(journal.chores.all()).toEqual([]);
});

test('a chore that fails is retried, with pauses that grow to five minutes', async () => {
  const { chores, clock, journal } = stage();
  const at: number[] = [];
  chores.start({
    sweep: async () => {
      at.push(clock.now());
      if (at.length < 12) throw new Error('not yet');
    },
  });
  chores.add('sweep', null);
  await clock.advance(0);
  for (let tries = 0; tries < 11; tries++) await clock.advance(clock.waiting[0] ?? 0);
  const pauses = at.slice(1).map((moment, index) => (moment - (at[index] ?? 0)) / 1_000);
  expect(pauses).toEqual([4, 8, 16, 32, 64, 128, 256, 300, 300, 300, 300]);
  expect(journal.chores.all()).toEqual([]);
});

test('a chore that waits for somebody else warns only after a minute, one that fails warns at once', async () => {
  const { chores, clock, warnings } = stage();
  const at = new Map<string, number[]>();
  const failing = (kind: string, error: () => Error) => async () => {
    at.set(kind, [...(at.get(kind) ?? []), clock.now()]);
    throw error();
  };
  chores.start({
    wait: failing('wait', () => new NotYet('taken')),
    fail: failing('fail', () => new Error('no')),
  });
  chores.add('wait', null);
  chores.add('fail', null);
  await clock.advance(0);
  const ofKind = (kind: string) => warnings.filter((line) => line.startsWith(`chore ${kind} `));
  for (let tries = 1; tries < 5; tries += 1) await clock.advance(clock.waiting[0] ?? 0);
  expect([at.get('wait')?.length, ofKind('wait').length, ofKind('fail').length]).toEqual([5, 0, 5]);
  await clock.advance(clock.waiting[0] ?? 0);
  expect(ofKind('wait')).toEqual(['chore wait failed 6 times: NotYet: taken']);
});

test('a chore that keeps failing is given up after 100 tries', async () => {
  const { chores, clock, journal } = stage();
  let tries = 0;
  chores.start({
    sweep: async () => {
      tries += 1;
      throw new Error('never');
    },
  });
  chores.add('sweep', null);
  await clock.advance(0);
  while (clock.waiting.length > 0) await clock.advance(clock.waiting[0] ?? 0);
  expect(tries).toBe(100);
  expect(journal.chores.all()).toEqual([]);
});

test('a chore broken off by a stop is done after the next start', async () => {
  const { chores, journal, directory, clock } = stage();
  chores.start({
    sweep: (_, signal) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  });
  chores.add('sweep', 'dust');
  await clock.advance(0);
  await chores.stop();
  journal.close();
  const next = stage(directory);
  const done: unknown[] = [];
  next.chores.start({ sweep: async (payload) => void done.push(payload) });
  await next.clock.advance(0);
  expect(done).toEqual(['dust']);
});

test('a chore that takes long does not delay the others', async () => {
  const { chores, clock } = stage();
  const done: unknown[] = [];
  chores.start({
    drain: () => new Promise(() => {}),
    sweep: async (payload) => void done.push(payload),
  });
  chores.add('drain', null);
  chores.add('sweep', 1);
  await clock.advance(0);
  expect(done).toEqual([1]);
});
