/** @module-tag slow */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readWindowBytes } from '../../../worker/domain/logs/log-window.ts';
import { linesFrom, newLog, range } from '../../support/worker/log-lines.ts';
import { entriesOf, LogReader, logs } from '../../support/worker/log-reader.ts';

test('a reader resumes after every position and gets later lines once and in order', async () => {
  const { id, stub } = newLog();
  const count = 25;
  for (const [first, last] of [
    [1, 7],
    [8, 8],
    [9, 20],
    [21, count],
  ] as const) {
    await stub.append(first, linesFrom(first, last));
  }
  await logs.finish(id, { ok: true });
  for (const after of range(0, count + 1)) {
    const reader = await LogReader.open(id, after);
    await reader.closed;
    expect(reader.ids).toEqual(range(after + 1, count));
    for (const event of reader.events) {
      const last = entriesOf(event).at(-1);
      expect(event.id).toBe(last === undefined ? undefined : String(last.id));
    }
  }
});

test('lines that a crash lost after a reader had seen them do not reach it twice', async () => {
  const { id, stub } = newLog();
  await stub.append(1, linesFrom(1, 2));
  const reader = await LogReader.open(id, 4);
  await stub.append(3, linesFrom(3, 6));
  await logs.finish(id, { ok: true });
  await reader.closed;
  expect(reader.ids).toEqual([5, 6]);
});

test('whatever frames and readers come at once, each reader gets every line after its own place exactly once', async () => {
  const step = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant('append' as const),
        lines: fc.integer({ min: 1, max: 9 }),
        again: fc.nat(5),
      }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('read' as const), after: fc.nat(20) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('pause' as const) }) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 30 }), async (steps) => {
      const { id, stub } = newLog();
      const frames: Promise<unknown>[] = [];
      const readers: Promise<{ after: number; reader: LogReader }>[] = [];
      let sent = 0;
      for (const action of steps) {
        if (action.kind === 'append') {
          const first = Math.max(1, sent + 1 - action.again);
          frames.push(stub.append(first, linesFrom(first, sent + action.lines)));
          sent += action.lines;
        } else if (action.kind === 'read') {
          const after = Math.min(action.after, sent);
          readers.push(LogReader.open(id, after).then((reader) => ({ after, reader })));
        } else {
          await stub.read(0);
        }
      }
      await Promise.all(readers);
      await logs.finish(id, { ok: true });
      await Promise.all(frames);
      for (const { after, reader } of await Promise.all(readers)) {
        await reader.closed;
        expect(reader.ids).toEqual(range(after + 1, sent));
        expect(reader.events.map(({ event }) => event)).toEqual([
          'snapshot',
          ...reader.events.slice(1, -1).map(() => 'log'),
          'status',
        ]);
      }
    }),
    { numRuns: 60, seed: 20261121 },
  );
});

test('a reader that takes nothing is sent no more than its window, and gets the rest from disk once it continues', async () => {
  const { id, stub } = newLog();
  const lines = linesFrom(1, 200).map((line) => ({ ...line, line: line.line.padEnd(1_000, '.') }));
  await stub.append(1, lines);
  const slow = await LogReader.open(id, 0, false);
  for (let first = 201; first <= 4_001; first += 200) {
    await stub.append(
      first,
      lines.map((line, index) => ({ ...line, line: `live ${first + index}`.padEnd(1_000, '.') })),
    );
  }
  await logs.finish(id, { ok: true });
  // An answered call means that all that was sent before is here.
  await stub.read(0);
  expect(slow.text.length).toBeGreaterThan(readWindowBytes / 2);
  expect(slow.text.length).toBeLessThan(readWindowBytes * 1.5);

  let granted = 0;
  while (!slow.text.includes('event: status')) {
    const { length } = slow.text;
    slow.socket.send(String(length - granted));
    granted = length;
    await slow.until((text) => text.length > length);
  }
  expect(await slow.closed).toBe(1000);
  expect(slow.ids).toEqual(range(1, 4_200));
});

test('the snapshot of a long log is sent in parts and is one event', async () => {
  const { id, stub } = newLog();
  for (let first = 1; first <= 10_000; first += 1_000) {
    await stub.append(first, linesFrom(first, first + 999));
  }
  const reader = await LogReader.open(id, 0);
  await reader.untilLine(10_000);
  const [snapshot, ...others] = reader.events;
  expect(others).toEqual([]);
  expect(snapshot).toMatchObject({ event: 'snapshot', id: '10000' });
  expect(reader.ids).toEqual(range(1, 10_000));
});

test('a message that grants nothing changes nothing', async () => {
  const { id, stub } = newLog();
  const reader = await LogReader.open(id, 0, false);
  for (const message of ['', '-5', '1e9', 'x', '99999999999', new ArrayBuffer(3)])
    reader.socket.send(message);
  await stub.append(1, linesFrom(1, 1));
  await reader.untilLine(1);
  expect(reader.ids).toEqual([1]);
});

test('a log limits its readers with an answer, not an error', async () => {
  const { id } = newLog();
  const readers = await Promise.all(range(1, 200).map(() => LogReader.open(id, 0)));
  await expect(LogReader.open(id, 0)).rejects.toMatchObject({ code: 'rate_limited', retryAfterSeconds: 10 });
  for (const reader of readers) reader.socket.close(1000);
});

test('each of many readers, also a late one, gets every line once and in order, in fewer messages than frames', async () => {
  const { id, stub } = newLog();
  const open = (after: number) => LogReader.open(id, after);
  const readers = await Promise.all(Array.from({ length: 40 }, () => open(0)));
  let messages = 0;
  readers[0]?.socket.addEventListener('message', () => messages++);
  const frames = 60;
  for (let frame = 0; frame < frames; frame++) {
    void stub.append(frame * 5 + 1, linesFrom(frame * 5 + 1, frame * 5 + 5));
    if (frame === 30) readers.push(await open(100));
  }
  await stub.append(frames * 5 + 1, linesFrom(frames * 5 + 1, frames * 5 + 1));
  await logs.finish(id, { ok: true });
  await Promise.all(readers.map(({ closed }) => closed));
  for (const reader of readers.slice(0, 40)) expect(reader.ids).toEqual(range(1, frames * 5 + 1));
  expect(readers[40]?.ids).toEqual(range(101, frames * 5 + 1));
  expect(messages).toBeLessThan(frames / 2);
});

test('a reader that reports what it took while lines wait gets them in the same messages as the others', async () => {
  const { id, stub } = newLog();
  const readers = await Promise.all(range(1, 100).map(() => LogReader.open(id, 0, false)));
  await Promise.all(readers.map((reader) => reader.until((text) => text.includes('event: snapshot'))));
  const messages = new Map(readers.map((reader) => [reader, 0]));
  for (const reader of readers)
    reader.socket.addEventListener('message', () => messages.set(reader, (messages.get(reader) ?? 0) + 1));
  const granting = readers[0] as LogReader;
  for (let line = 1; line <= 20; line++) {
    await stub.append(line, linesFrom(line, line));
    granting.socket.send('1');
  }
  await logs.finish(id, { ok: true });
  await Promise.all(readers.map(({ closed }) => closed));
  for (const { ids } of readers) expect(ids).toEqual(range(1, 20));
  expect(new Set(messages.values()).size).toBe(1);
});

test('while many readers are behind, lines come in larger pieces, and each reader is told when that begins and ends', async () => {
  const { id, stub } = newLog();
  const readers = await Promise.all(range(1, 4).map(() => LogReader.open(id, 0, false)));
  const long = (first: number) =>
    linesFrom(first, first + 99).map((line) => ({ ...line, line: 'x'.repeat(2_000) }));
  let next = 1;
  const told = (text: string) => text.includes('in larger pieces, because this log has many readers');
  while (!readers.every(({ text }) => told(text))) {
    await stub.append(next, long(next));
    next += 100;
  }
  for (const reader of readers) {
    let granted = 0;
    reader.socket.addEventListener('message', () => {
      reader.socket.send(String(reader.text.length - granted));
      granted = reader.text.length;
    });
    reader.socket.send(String(reader.text.length));
    granted = reader.text.length;
  }
  await Promise.all(readers.map((reader) => reader.untilLine(next - 1)));
  const usual = (text: string) => text.includes('"everyMs":250,"reason":null');
  while (!readers.every(({ text }) => usual(text))) {
    await stub.append(next, linesFrom(next, next));
    await readers[0]?.untilLine(next);
    next += 1;
  }
  await logs.finish(id, { ok: true });
  await Promise.all(readers.map(({ closed }) => closed));
  for (const { ids } of readers) expect(ids).toEqual(range(1, next - 1));
});
