import { afterEach, expect, test, vi } from 'vitest';
import { linesFrom, newLog, range } from '../../support/worker/log-lines.ts';
import { LogReader, logs } from '../../support/worker/log-reader.ts';

afterEach(() => {
  vi.useRealTimers();
});

async function storedIds(id: string): Promise<number[]> {
  const ids: number[] = [];
  for (;;) {
    const { lines, more } = await logs.read(id, ids.at(-1) ?? 0);
    ids.push(...lines.map((line) => line.id));
    if (!more) return ids;
  }
}

test('a frame is acknowledged when it is stored, and says whether somebody reads', async () => {
  const { id, stub } = newLog();
  expect(await stub.append(1, linesFrom(1, 3))).toEqual({ through: 3, watched: false });
  const reader = await LogReader.open(id, 0);
  expect(await stub.append(4, linesFrom(4, 4))).toEqual({ through: 4, watched: true });
  reader.socket.close(1000);
  await reader.closed;
  expect(await stub.append(5, linesFrom(5, 5))).toEqual({ through: 5, watched: false });
});

test('each frame is answered at once, by the row with its lines', async () => {
  const { id, stub } = newLog();
  // The clock stands still: an answer that waits for time to pass never comes.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  for (const first of [1, 3, 5]) {
    const end = first + 1;
    expect(await stub.append(first, linesFrom(first, end))).toEqual({ through: end, watched: false });
  }
  expect(await storedIds(id)).toEqual(range(1, 6));
});

test('a gap is answered at once with the last line before it', async () => {
  const { id, stub } = newLog();
  // The clock stands still: an answer that waits for the next row never comes.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const waiting = stub.append(1, linesFrom(1, 2));
  expect(await stub.append(5, linesFrom(5, 6))).toMatchObject({ through: 2 });
  expect(await waiting).toMatchObject({ through: 2 });
  expect(await storedIds(id)).toEqual([1, 2]);
});

test('repeats and overlaps are stored once', async () => {
  const { id, stub } = newLog();
  await stub.append(1, linesFrom(1, 4));
  expect(await stub.append(1, linesFrom(1, 4))).toMatchObject({ through: 4 });
  expect(await stub.append(3, linesFrom(3, 7))).toMatchObject({ through: 7 });
  expect(await storedIds(id)).toEqual(range(1, 7));
  const reader = await LogReader.open(id, 0);
  await reader.untilLine(7);
  expect(reader.entries.map(({ line }) => line)).toEqual(range(1, 7).map((number) => `line ${number}`));
});

test('the end of a log is read without the rest of it, stored or not', async () => {
  const { id, stub } = newLog();
  expect(await logs.readTail(id, 1_000)).toEqual([]);
  const long = 'x'.repeat(2_000);
  for (let first = 1; first <= 400; first += 100) {
    await stub.append(
      first,
      linesFrom(first, first + 99).map((line) => ({ ...line, line: long })),
    );
  }
  const unstored = stub.append(401, linesFrom(401, 402));
  const tail = await logs.readTail(id, 10_000);
  expect(tail.map((line) => line.id)).toEqual(range(tail[0]?.id ?? 0, 402));
  expect(tail.length).toBeGreaterThan(5);
  expect(tail.length).toBeLessThan(200);
  expect((await logs.readTail(id, 10_000_000)).length).toBe(402);
  await stub.append(403, linesFrom(403, 403)); // its row takes the others along
  await unstored;
});

test('a log of many pages is read in order, whole', async () => {
  const { id, stub } = newLog();
  for (let first = 1; first <= 6_000; first += 1_000) {
    const lines = linesFrom(first, first + 999).map((line) => ({
      ...line,
      line: line.line.padEnd(120, '.'),
    }));
    await stub.append(first, lines);
  }
  const { more } = await logs.read(id, 0);
  expect(more).toBe(true);
  expect(await storedIds(id)).toEqual(range(1, 6_000));
  expect((await logs.readEntries(id, 5_999)).entries).toContain('"id":6000,');
});

test('finish stores what is buffered, adds its line, notifies every reader and closes it', async () => {
  const { id, stub } = newLog();
  const readers = await Promise.all([LogReader.open(id, 0), LogReader.open(id, 0)]);
  const waiting = stub.append(1, linesFrom(1, 2));
  await Promise.all(readers.map((reader) => reader.untilLine(2)));
  await logs.finish(id, { ok: false, line: 'The host was lost.' });
  expect(await waiting).toMatchObject({ through: 2 });
  for (const reader of readers) {
    expect(await reader.closed).toBe(1000);
    expect(reader.ids).toEqual([1, 2, 3]);
    expect(reader.entries.at(-1)).toMatchObject({ line: 'The host was lost.', stream: 'system' });
    expect(reader.events.at(-1)).toMatchObject({ event: 'status', data: '{"ok":false,"closed":true}' });
  }
});

test('lines after the end are acknowledged and dropped, and a second end changes nothing', async () => {
  const { id, stub } = newLog();
  await stub.append(1, linesFrom(1, 2));
  await logs.finish(id, { ok: true });
  expect(await stub.append(3, linesFrom(3, 4))).toEqual({ through: 4, watched: false });
  expect(await stub.append(9, linesFrom(9, 9))).toEqual({ through: 9, watched: false });
  await logs.finish(id, { ok: false, line: 'again' });
  const reader = await LogReader.open(id, 0);
  await reader.closed;
  expect(reader.ids).toEqual([1, 2]);
  expect(reader.events.at(-1)).toMatchObject({ event: 'status', data: '{"ok":true,"closed":true}' });
});

test('a log that ended without a line is an empty snapshot and a status', async () => {
  const { id } = newLog();
  await logs.finish(id, { ok: false });
  const reader = await LogReader.open(id, 0);
  await reader.closed;
  expect(reader.events.map(({ event, data }) => [event, data])).toEqual([
    ['snapshot', '[]'],
    ['status', '{"ok":false,"closed":true}'],
  ]);
});

test('purge empties the log, closes its readers and takes no late lines', async () => {
  const { id, stub } = newLog();
  await stub.append(1, linesFrom(1, 2));
  const reader = await LogReader.open(id, 0);
  await logs.purge(id);
  await reader.closed;
  await stub.append(3, linesFrom(3, 3));
  expect(await storedIds(id)).toEqual([]);
});
