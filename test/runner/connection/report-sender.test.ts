import { expect, test } from 'vitest';
import type { RunnerFrame } from '../../../protocol/frames.ts';
import type { JobEvent } from '../../../protocol/job-report.ts';
import { logWaitMs, ReportSender } from '../../../runner/connection/report-sender.ts';
import { openJournal } from '../../../runner/journal/journal.ts';
import { manualClock } from '../../support/runner/manual-clock.ts';
import { temporaryDirectory } from '../../support/runner/temporary-directory.ts';

const phase: JobEvent = { type: 'phase', phase: 'clone', facts: {} };
const result: JobEvent = { type: 'result', result: { outcome: 'succeeded', facts: {} } };

function stage(directory = temporaryDirectory()) {
  const clock = manualClock();
  const journal = openJournal(directory, 0);
  const sent: string[] = [];
  const line = { up: true };
  const settled: string[] = [];
  const log = Promise.withResolvers<void>();
  const sender = new ReportSender({
    records: journal.reports,
    clock,
    send(frame: RunnerFrame) {
      if (line.up && frame.type === 'report') sent.push(frame.id);
      return line.up;
    },
    logAcknowledged: (_, limitMs) =>
      Promise.race([log.promise, new Promise<void>((resolve) => clock.after(limitMs, resolve))]),
    settled: (job) => void settled.push(job),
    random: () => 1,
  });
  const add = (id: string, event: JobEvent) => {
    const report = { id, job: 'job_1', epoch: 1, event };
    journal.reports.add(report);
    sender.add(report);
  };
  return {
    ...{ clock, journal, sent, line, sender, add, settled, directory },
    logArrives: () => log.resolve(),
  };
}

test('a report is sent at once and again with growing pauses, until it is acknowledged', async () => {
  const { add, sent, clock, sender, journal } = stage();
  add('one', phase);
  await clock.advance(0);
  expect(sent).toHaveLength(1);
  const pauses: number[] = [];
  for (let sends = 0; sends < 7; sends++) {
    pauses.push((clock.waiting[0] ?? 0) / 1_000);
    await clock.advance(clock.waiting[0] ?? 0);
  }
  expect(pauses).toEqual([4, 8, 16, 32, 60, 60, 60]);
  sender.acknowledged('one');
  await clock.advance(600_000);
  expect(sent).toHaveLength(8);
  expect(journal.reports.all()).toEqual([]);
});

test('a report is kept while there is no connection, and sent in order on the next', async () => {
  const { add, sent, clock, sender, line } = stage();
  line.up = false;
  add('one', phase);
  add('two', phase);
  await clock.advance(600_000);
  expect(sent).toEqual([]);
  line.up = true;
  sender.reconnected();
  await clock.advance(0);
  expect(sent).toEqual(['one', 'two']);
});

test('a report from before a restart is sent by the next process', async () => {
  const first = stage();
  first.line.up = false;
  first.add('one', phase);
  first.add('two', phase);
  first.journal.close();
  const second = stage(first.directory);
  second.sender.reconnected();
  await second.clock.advance(0);
  expect(second.sent).toEqual(['one', 'two']);
});

test('a report that is acknowledged twice, or never was sent, does no harm', () => {
  const { sender } = stage();
  sender.acknowledged('unheard-of');
  sender.acknowledged('unheard-of');
});

test('a result waits for the receipts of its log', async () => {
  const { add, sent, clock, logArrives, settled, sender } = stage();
  add('phase', phase);
  add('end', result);
  await clock.advance(logWaitMs - 1);
  expect(sent).not.toContain('end');
  logArrives();
  await clock.advance(0);
  expect(sent).toContain('end');
  expect(settled).toEqual([]);
  sender.acknowledged('end');
  expect(settled).toEqual(['job_1']);
});

test('a result waits for 30 s at most', async () => {
  const { add, sent, clock } = stage();
  add('end', result);
  await clock.advance(logWaitMs);
  expect(sent).toEqual(['end']);
});

test('a result waits again on a new connection, on which the log is sent first', async () => {
  const { add, sent, clock, sender, line, logArrives } = stage();
  line.up = false;
  add('end', result);
  await clock.advance(600_000);
  line.up = true;
  sender.reconnected();
  await clock.advance(1_000);
  expect(sent).toEqual([]);
  logArrives();
  await clock.advance(0);
  expect(sent).toEqual(['end']);
});

test('a result is sent once by each connection, not by those before it as well', async () => {
  const { add, sent, clock, sender, logArrives } = stage();
  add('end', result);
  sender.reconnected();
  sender.reconnected();
  logArrives();
  await clock.advance(0);
  expect(sent).toEqual(['end']);
});
