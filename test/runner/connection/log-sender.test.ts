import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { LogLine, RunnerFrame, RunnerFrameOf } from '../../../protocol/frames.ts';
import {
  LogSender,
  receiptLimitMs,
  unwatchedDelayMs,
  windowBytes,
} from '../../../runner/connection/log-sender.ts';
import { openJournal } from '../../../runner/journal/journal.ts';
import { type ManualClock, manualClock } from '../../support/runner/manual-clock.ts';
import { temporaryDirectory } from '../../support/runner/temporary-directory.ts';

const job = 'job_1';
type Logs = RunnerFrameOf<'logs'>;

/** A hub with a log behind it, which answers as worker/objects/log-stream does: once on disk, or at once where lines are missing. */
function logHub() {
  const log: string[] = [];
  let stored = 0;
  let unanswered: Logs[] = [];
  let receipts: { through: number }[] = [];
  const store = () => {
    stored = log.length;
    receipts.push(...unanswered.map(() => ({ through: stored })));
    unanswered = [];
  };
  return {
    log,
    store,
    frames: 0,
    take(frame: Logs) {
      this.frames += 1;
      const { first, lines, last } = frame;
      const missing = first > log.length + 1;
      if (missing) {
        store();
        receipts.push({ through: stored });
        return;
      }
      log.push(...lines.slice(log.length + 1 - first).map(({ line }) => line));
      unanswered.push(frame);
      if (last) store();
    },
    /** The receipts on their way to the runner. */
    receipts: () => receipts.splice(0),
    /** The connection is gone, with all that it carried; the log keeps what it has. */
    forget() {
      unanswered = [];
      receipts = [];
    },
  };
}

function stage(clock: ManualClock = manualClock()) {
  const journal = openJournal(temporaryDirectory(), 0);
  const hub = logHub();
  const line: { up: boolean; loseFrames: number } = { up: true, loseFrames: 0 };
  const sent: Logs[] = [];
  const sender = new LogSender({
    spool: journal.logs,
    clock,
    send(frame: RunnerFrame) {
      if (!line.up || frame.type !== 'logs') return false;
      sent.push(frame);
      if (line.loseFrames > 0) line.loseFrames -= 1;
      else hub.take(frame);
      return true;
    },
    epochOf: () => 1,
    watched: () => {},
  });
  /** What the next receipts say; a log that nobody reads is sent later. */
  const reader = { watches: true };
  sender.watch(job);
  let written = 0;
  const write = (count: number, size = 1) => {
    const lines = Array.from({ length: count }, (): LogLine => {
      written += 1;
      return { stream: 'stdout', at: 0, line: `${written}`.padStart(size, ' ') };
    });
    journal.logs.append(job, lines, { bytes: 0, full: false });
    sender.pump(job);
  };
  const deliverReceipts = (lose: (index: number) => boolean = () => false) => {
    hub.receipts().forEach(({ through }, index) => {
      if (lose(index)) return;
      sender.receipt({ v: 1, type: 'log-ack', job, through, watched: reader.watches });
    });
  };
  const reconnect = () => {
    hub.forget();
    line.up = true;
    sender.reconnected();
  };
  return {
    journal,
    hub,
    line,
    sent,
    sender,
    reader,
    write,
    deliverReceipts,
    reconnect,
    clock,
    written: () => written,
  };
}

const everything = (count: number) => Array.from({ length: count }, (_, index) => `${index + 1}`);

const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('write' as const), count: fc.integer({ min: 1, max: 30 }) }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('store' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('lose-receipts' as const),
      every: fc.integer({ min: 1, max: 3 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('lose-frames' as const),
      count: fc.integer({ min: 1, max: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('read' as const), watches: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('cut' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('reconnect' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 20_000 }) }),
  },
);

test('lines reach the log once and in order, whatever frames, receipts and connections are lost', {
  tags: 'slow',
  timeout: 60_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const { hub, line, sender, journal, reader, write, deliverReceipts, reconnect, clock, written } =
        stage();
      for (const one of steps) {
        if (one.do === 'write') write(one.count);
        else if (one.do === 'store') {
          hub.store();
          deliverReceipts();
        } else if (one.do === 'lose-receipts') deliverReceipts((index) => index % one.every === 0);
        else if (one.do === 'lose-frames') line.loseFrames = one.count;
        else if (one.do === 'read') reader.watches = one.watches;
        else if (one.do === 'cut') line.up = false;
        else if (one.do === 'reconnect') reconnect();
        else await clock.advance(one.ms);
      }
      line.loseFrames = 0;
      if (!line.up) reconnect();
      sender.ends(job);
      sender.pump(job);
      for (let round = 0; round < 200 && !sender.isAcknowledged(job); round++) {
        hub.store();
        deliverReceipts();
        await clock.advance(receiptLimitMs / 3);
      }
      expect(hub.log.map((text) => text.trim())).toEqual(everything(written()));
      expect(sender.isAcknowledged(job)).toBe(true);
      expect(journal.logs.readAfter(job, 0)).toBeUndefined();
      journal.close();
    }),
    { numRuns: 150 },
  );
});

test('lines reach the log without repeats when nothing is lost', () => {
  const { hub, write, deliverReceipts, sender } = stage();
  for (let frames = 0; frames < 20; frames++) {
    write(10);
    if (frames % 3 === 2) {
      hub.store();
      deliverReceipts();
    }
  }
  sender.ends(job);
  sender.pump(job);
  deliverReceipts();
  expect(hub.log).toEqual(everything(200));
  expect(hub.frames).toBe(21); // 20 chunks, and the word that the log has ended
});

test('a lost frame makes the sender go back once, not once for every later frame', () => {
  const { hub, line, write, deliverReceipts } = stage();
  line.loseFrames = 1;
  for (let frames = 0; frames < 6; frames++) write(1);
  deliverReceipts();
  hub.store();
  deliverReceipts();
  expect(hub.log).toEqual(everything(6));
  expect(hub.frames).toBe(5 + 1);
});

test('unacknowledged lines are sent again at once on a new connection', () => {
  const { line, write, reconnect, hub } = stage();
  line.loseFrames = 2;
  write(2);
  write(2);
  reconnect();
  expect(hub.log).toEqual(everything(4));
});

test('lines from before a restart of the runner reach the log, and their numbers continue', () => {
  const { journal, write, line, hub, clock } = stage();
  line.up = false;
  write(3);
  const second = new LogSender({
    spool: journal.logs,
    clock,
    send: (frame) => {
      if (frame.type === 'logs') hub.take(frame);
      return true;
    },
    epochOf: () => 2,
    watched: () => {},
  });
  second.reconnected();
  second.watch(job);
  journal.logs.append(job, [{ stream: 'system', at: 0, line: '4' }], { bytes: 0, full: false });
  second.pump(job);
  expect(hub.log).toEqual(everything(4));
});

test('a hub that lost acknowledged lines gets a placeholder and the lines that follow', async () => {
  const { sender, hub, write, deliverReceipts, clock } = stage();
  write(5);
  hub.store();
  deliverReceipts();
  hub.log.length = 2; // restored from a backup
  hub.store();
  for (let frames = 0; frames < 3; frames++) write(1);
  for (let round = 0; round < 5; round++) {
    deliverReceipts();
    hub.store();
    deliverReceipts();
    await clock.advance(receiptLimitMs);
  }
  expect(hub.log).toEqual(['1', '2', ...Array(3).fill('(this line was lost)'), '6', '7', '8']);
  expect(sender.isAcknowledged(job)).toBe(true);
});

test('a gap that going back does not close causes no storm of frames', () => {
  const { sent, sender, line, write } = stage();
  line.loseFrames = 1_000;
  write(1);
  write(1);
  for (let receipts = 0; receipts < 50; receipts++) {
    sender.receipt({ v: 1, type: 'log-ack', job, through: 0, watched: false });
  }
  expect(sent.length).toBeLessThanOrEqual(4);
});

test('the window holds back what is beyond 1 MB without a receipt', () => {
  const { sent, hub, write, deliverReceipts } = stage();
  for (let chunks = 0; chunks < 40; chunks++) write(8, 8_000);
  const chunksMax = Math.ceil(windowBytes / 64_000);
  expect(sent).toHaveLength(chunksMax);
  hub.store();
  deliverReceipts();
  hub.store();
  deliverReceipts();
  hub.store();
  expect(hub.log).toHaveLength(320);
});

test('the end of a log is sent with its last lines', () => {
  const { sent, sender, write } = stage();
  write(2);
  sender.ends(job);
  sender.pump(job);
  expect(sent.map(({ first, lines, last }) => [first, lines.length, last])).toEqual([
    [1, 2, false],
    [3, 0, true],
  ]);
});

test('the end of a log is waited for no longer than asked', async () => {
  const { sender, write, clock } = stage();
  write(1);
  let over = false;
  void sender.acknowledged(job, 30_000).then(() => {
    over = true;
  });
  await clock.advance(29_999);
  expect(over).toBe(false);
  await clock.advance(1);
  expect(over).toBe(true);
});

test('the end of a log is known as soon as the last receipt is there', async () => {
  const { sender, hub, write, deliverReceipts } = stage();
  write(1);
  const acknowledged = sender.acknowledged(job, 30_000);
  hub.store();
  deliverReceipts();
  await acknowledged;
});

test('a watcher makes lines wait 250 ms instead of 1 s, until nobody watches', () => {
  const { sender, write } = stage();
  write(1);
  sender.receipt({ v: 1, type: 'log-ack', job, through: 1, watched: false });
  expect(sender.flushDelayMs(job)).toBe(1_000);
  sender.watch(job);
  expect(sender.flushDelayMs(job)).toBe(250);
  sender.receipt({ v: 1, type: 'log-ack', job, through: 1, watched: false });
  expect(sender.flushDelayMs(job)).toBe(1_000);
});

/** Frames of a log that nobody reads any more, after its first line. */
function unread() {
  const scene = stage();
  scene.reader.watches = false;
  scene.write(1);
  scene.hub.store();
  scene.deliverReceipts();
  return scene;
}

test('lines that nobody reads are sent together every five seconds', async () => {
  const { sent, write, clock } = unread();
  for (let seconds = 0; seconds < 5; seconds++) {
    write(10);
    await clock.advance(999);
  }
  expect(sent).toHaveLength(1);
  await clock.advance(unwatchedDelayMs - 5 * 999);
  expect(sent.map(({ first, lines }) => [first, lines.length])).toEqual([
    [1, 1],
    [2, 50],
  ]);
});

test('lines that nobody reads are sent at once when they fill a frame, when a reader comes, and when the log ends', () => {
  const { sent, write, sender, reader, hub, deliverReceipts } = unread();
  write(7, 8_000);
  expect(sent).toHaveLength(1);
  write(2, 8_000);
  expect(sent.at(-1)?.lines).toHaveLength(9);
  write(2);
  expect(sent).toHaveLength(2);
  sender.watch(job);
  expect(sent.at(-1)?.lines).toHaveLength(2);
  reader.watches = false;
  hub.store();
  deliverReceipts();
  write(1);
  sender.ends(job);
  write(1);
  expect(sent.at(-1)).toMatchObject({ last: true, lines: [{}, {}] });
});

test('while the control plane saves requests, spooled lines wait for it, also those of a log that is read', async () => {
  const { write, sender, hub, clock, deliverReceipts, sent } = stage();
  write(1);
  hub.store();
  deliverReceipts();
  const acknowledged = { v: 1, type: 'log-ack', job, through: 1, watched: true } as const;
  sender.receipt({ ...acknowledged, paceMs: 5_000 });
  expect(sender.flushDelayMs(job)).toBe(1_000);
  const before = sent.length;
  for (let second = 0; second < 4; second++) {
    write(1);
    await clock.advance(1_000);
  }
  expect([before, sent.length]).toEqual([1, 2]);
  expect(hub.log).toEqual(everything(5));
  sender.receipt({ ...acknowledged, through: 5 });
  expect(sender.flushDelayMs(job)).toBe(250);
  write(1);
  expect(hub.log).toEqual(everything(6));
});
