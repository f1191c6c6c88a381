import { expect, onTestFinished, test } from 'vitest';
import type { HubFrameOf, RunnerFrameOf } from '../../../protocol/frames.ts';
import type { LoggedContainer, LogRange } from '../../../runner/docker/follow-log.ts';
import type { LoggedLine } from '../../../runner/docker/logs/log-parser.ts';
import { RuntimeLogs } from '../../../runner/runtime-logs/runtime-logs.ts';
import { unwatchedMs } from '../../../runner/runtime-logs/runtime-tail.ts';
import { manualClock } from '../../support/runner/manual-clock.ts';

const serviceId = 'svc_0000000000000000';
const second = 1_790_000_000_000_000;

/** A host whose containers print what the test says. */
function scene() {
  const clock = manualClock();
  const frames: RunnerFrameOf<'runtime-logs'>[] = [];
  const printed = new Map<string, LoggedLine[]>();
  const follows: string[] = [];
  const exits: NonNullable<LoggedContainer['exits']>[number][] = [];
  let containers: LoggedContainer[] = [];
  let more = Promise.withResolvers<void>();
  const logs = new RuntimeLogs({
    clock,
    send: (frame) => frames.push(frame as RunnerFrameOf<'runtime-logs'>) > 0,
    host: {
      loggedContainers: async () => containers.map((one) => ({ ...one, exits })),
      async *readLog(id: string, { since, tail, follow }: LogRange, signal: AbortSignal) {
        if (follow) follows.push(id);
        const all = printed.get(id) ?? [];
        let position = follow ? 0 : Math.max(0, all.length - (tail ?? all.length));
        for (;;) {
          const lines = printed.get(id) ?? [];
          yield lines.slice(position).filter(({ at }) => at >= since);
          position = lines.length;
          if (!follow || signal.aborted) return;
          await Promise.race([more.promise, new Promise((end) => signal.addEventListener('abort', end))]);
        }
      },
    },
  });
  onTestFinished(() => logs.stop());
  const ask = (fields: Partial<HubFrameOf<'tail'>> = {}) =>
    logs.tail({ v: 1, type: 'tail', serviceId, after: 0, lines: 200, ...fields });
  return {
    clock,
    logs,
    frames,
    follows,
    ask,
    answer: (watched = true, paceMs?: number) =>
      logs.answered({ v: 1, type: 'tail-ack', serviceId, watched, paceMs }),
    /** @param beside those that start or end meanwhile */
    serve(
      id: string,
      {
        secrets = [],
        beside = [],
        replicas = false,
      }: { secrets?: string[]; beside?: string[]; replicas?: boolean } = {},
    ) {
      containers = [id, ...beside].map((one) => ({
        id: one,
        deploymentId: `dep_${one}`,
        secrets,
        isLive: one === id,
        ...(replicas && { replica: [id, ...beside].indexOf(one) + 1 }),
      }));
    },
    /** The container ends by itself now. */
    exit(sentence: string) {
      exits.push({ at: clock.now() * 1000, sentence });
      logs.changed();
    },
    async print(id: string, ...texts: string[]) {
      const lines = printed.get(id) ?? [];
      const at = clock.now() * 1000 + lines.length;
      for (const text of texts) lines.push({ at, stream: 'stdout', text, cut: false });
      printed.set(id, lines);
      more.resolve();
      more = Promise.withResolvers();
      await clock.advance(250);
    },
    texts: () =>
      frames.filter(({ part }) => part === 'live').flatMap(({ lines }) => lines.map(({ line }) => line)),
    ids: () => frames.flatMap(({ lines }) => lines.map(({ id }) => id)),
  };
}

test('the last lines come first and once, then each new line, with ids that rise', async () => {
  const { serve, print, ask, clock, frames, texts, ids } = scene();
  serve('a');
  for (const text of ['one', 'two', 'three']) await print('a', text);
  ask({ lines: 2 });
  await clock.advance(0);
  expect(frames.map(({ part, lines }) => [part, lines.map(({ line }) => line)])).toEqual([
    ['past', ['two', 'three']],
  ]);
  await print('a', 'four');
  expect(texts()).toEqual(['four']);
  expect(ids()).toEqual([...new Set(ids())].toSorted((a, b) => a - b));
});

test('a clock that is set back by an hour holds up no line that was taken before', async () => {
  const { serve, print, ask, clock, logs, texts } = scene();
  serve('a');
  ask();
  await clock.advance(0);
  logs.changed();
  const printing = print('a', 'one');
  clock.setBack(3_600_000);
  await printing;
  await clock.advance(5_000);
  expect(texts()).toEqual(['one']);
});

test('each line of replicas has the number of the one that printed it, past ones, live ones and ends', async () => {
  const { serve, print, ask, clock, frames, exit } = scene();
  serve('a', { beside: ['b'], replicas: true });
  await print('a', 'past of one');
  await print('b', 'past of two');
  ask();
  await clock.advance(0);
  await print('b', 'live of two');
  await print('a', 'live of one');
  exit('It ended.');
  await clock.advance(1_000);
  const shown = frames.flatMap(({ lines }) => lines.map(({ line, replica }) => `${replica} ${line}`));
  expect(shown.slice(0, 4)).toEqual(['1 past of one', '2 past of two', '2 live of two', '1 live of one']);
  expect(shown.slice(4).toSorted()).toEqual(['1 It ended.', '2 It ended.']);
});

test('a service without a container is reported at once, and followed once it has one', async () => {
  const { serve, print, ask, clock, frames, logs, texts } = scene();
  ask();
  await clock.advance(0);
  expect(frames).toMatchObject([{ part: 'past', lines: [] }]);
  serve('a');
  logs.changed();
  await clock.advance(300);
  await print('a', 'hello');
  expect(texts()).toEqual(['hello']);
});

/** Deploys `b` beside `a` while both print, and ends `a`; everything that is told of it. */
async function replacement() {
  const bench = scene();
  const { serve, ask, answer, clock, logs } = bench;
  const print = async (id: string, text: string) => {
    await bench.print(id, text);
    answer();
  };
  const changed = async () => {
    logs.changed();
    await clock.advance(400);
    answer();
  };
  serve('a');
  await bench.print('a', 'a is old');
  ask();
  await clock.advance(0);
  await print('a', 'a serves');
  serve('a', { beside: ['b'] });
  logs.changed();
  await print('b', 'b starts');
  await print('a', 'a serves on');
  await changed();
  await print('b', 'b is ready');
  serve('b', { beside: ['a'] });
  await changed();
  await print('a', 'a ends');
  await print('b', 'b serves');
  serve('b');
  await changed();
  await print('b', 'b goes on');
  return bench;
}
const platform = 'The container was replaced: dep_b is running now.';
const printedLines = [
  'a is old',
  'a serves',
  'b starts',
  'a serves on',
  'b is ready',
  'a ends',
  'b serves',
  'b goes on',
];

test("a replacement sends the old container's log to its last line and the new one's from its first, in order of time", async () => {
  const { frames } = await replacement();
  const received = frames.flatMap(({ lines }) => lines);
  expect(received.map(({ line }) => line).filter((line) => line !== platform)).toEqual(printedLines);
  expect(received.map(({ line }) => line).indexOf(platform)).toBe(5);
  const ids = received.map(({ id }) => id);
  expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => a - b));
});

test('resuming after any line of a replacement sends each later line once, under its live id', async () => {
  const { frames, ask, answer, clock } = await replacement();
  const live = frames.flatMap(({ lines }) => lines).filter(({ line }) => line !== platform);
  for (const [index, { id }] of live.entries()) {
    answer(false); // the only reader leaves
    frames.length = 0;
    ask({ after: id, lines: 0 });
    await clock.advance(0);
    // What the old container printed is gone with it: only who has seen its last line misses nothing.
    const left = live.slice(index + 1).filter(({ line }) => line.startsWith('b'));
    expect(frames.flatMap(({ lines }) => lines)).toEqual(left);
  }
});

test('while both containers are there the snapshot has the lines of both, by time', async () => {
  const { serve, print, ask, clock, frames } = scene();
  for (const [id, text] of [
    ['a', '1'],
    ['b', '2'],
    ['a', '3'],
    ['b', '4'],
  ] as const)
    await print(id, text);
  serve('b', { beside: ['a'] });
  ask({ lines: 3 });
  await clock.advance(0);
  expect(frames[0]?.lines.map(({ line }) => line)).toEqual(['2', '3', '4']);
});

test('reading the same container again loses and repeats nothing, even among lines of one microsecond', async () => {
  const { serve, print, ask, clock, logs, texts, answer } = scene();
  serve('a');
  ask();
  await clock.advance(0);
  for (let round = 0; round < 5; round++) {
    await print('a', `${round}a`, `${round}b`);
    answer();
    logs.changed();
    await clock.advance(300);
  }
  expect(texts()).toEqual([0, 1, 2, 3, 4].flatMap((round) => [`${round}a`, `${round}b`]));
});

test('secrets of the environment are hidden, base64 as well', async () => {
  const { serve, print, ask, clock, texts } = scene();
  serve('a', { secrets: ['hunter2-secret'] });
  ask();
  await clock.advance(0);
  await print('a', 'key hunter2-secret', `b64 ${Buffer.from('hunter2-secret').toString('base64')}`);
  expect(texts().join()).not.toMatch(/hunter2|aHVudGVy/);
});

test('unanswered frames are limited to four, and lines that do not fit are dropped, counted and reported', {
  tags: 'slow',
}, async () => {
  const { serve, print, ask, clock, frames, texts, answer } = scene();
  serve('a');
  ask();
  await clock.advance(0);
  const burst = Array.from({ length: 100_000 }, (_, n) => `line ${n}`);
  for (let from = 0; from < burst.length; from += 10_000)
    await print('a', ...burst.slice(from, from + 10_000));
  const live = () => frames.filter(({ part }) => part === 'live').length;
  expect(live()).toBe(4);
  for (let n = 0; n < 100; n++) answer();
  await clock.advance(250);
  const received = texts();
  const dropped = received.flatMap((line) => /^([\d,]+) lines are left out here/.exec(line)?.[1] ?? []);
  const droppedLines = dropped.reduce((sum, count) => sum + Number(count.replaceAll(',', '')), 0);
  expect(received.length - dropped.length + droppedLines).toBe(burst.length);
  expect(received.length).toBeLessThan(10_000);
});

test('unanswered frames are sent again after a lost connection', async () => {
  const { serve, print, ask, clock, logs, texts, answer } = scene();
  serve('a');
  ask();
  await clock.advance(0);
  await print('a', 'one');
  answer();
  await print('a', 'two');
  logs.reconnected();
  expect(texts()).toEqual(['one', 'two', 'two']);
});

test('a tail ends when it has no reader, or is not renewed for a minute', async () => {
  const { serve, print, ask, clock, texts, answer } = scene();
  serve('a');
  ask();
  await clock.advance(0);
  await print('a', 'one');
  answer(false);
  await print('a', 'unread');
  expect(texts()).toEqual(['one']);
  ask({ lines: 0, after: second + 1 });
  await clock.advance(unwatchedMs);
  await print('a', 'late');
  expect(texts()).not.toContain('late');
});

test('one tail serves all readers: a second one gets the past, and the container is followed once', async () => {
  const { serve, print, ask, clock, frames, follows } = scene();
  serve('a');
  await print('a', 'one');
  ask();
  await clock.advance(0);
  ask();
  await clock.advance(0);
  expect(frames.map(({ part }) => part)).toEqual(['past', 'past']);
  expect(follows).toEqual(['a']);
});

test('each end of a container stands once among its lines, for those who read then and for those who come later', async () => {
  const { serve, print, exit, ask, clock, frames, texts } = scene();
  serve('a');
  await print('a', 'boot');
  exit('ended with exit code 7');
  await print('a', 'boot again');
  ask();
  await clock.advance(0);
  const past = ['boot', 'ended with exit code 7', 'boot again'];
  expect(frames[0]?.lines.map(({ line }) => line)).toEqual(past);
  exit('ran out of memory');
  await print('a', 'third boot');
  await clock.advance(1_000);
  expect(texts()).toEqual(['ran out of memory', 'third boot']);
  expect(frames.at(-1)?.lines.map(({ stream }) => stream)).toContain('system');
});

test('while the control plane saves requests, lines wait as long as it says, and none is lost', async () => {
  const { serve, print, ask, clock, texts, answer, frames } = scene();
  serve('a');
  ask();
  await clock.advance(1_000);
  await print('a', 'first');
  await clock.advance(250);
  answer(true, 5_000);
  const before = frames.length;
  for (let line = 1; line <= 8; line++) await print('a', `line ${line}`);
  expect(frames.length).toBe(before);
  await clock.advance(8_000);
  expect(texts()).toEqual(['first', ...Array.from({ length: 8 }, (_, line) => `line ${line + 1}`)]);
  expect(frames.length).toBe(before + 1);
  answer();
  await print('a', 'last');
  await clock.advance(250);
  expect(texts().at(-1)).toBe('last');
});
