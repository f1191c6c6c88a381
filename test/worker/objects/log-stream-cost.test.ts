import { runInDurableObject } from 'cloudflare:test';
import { expect, test } from 'vitest';
import { JoinedLog } from '../../../worker/objects/joined-log.ts';
import { LogJournal } from '../../../worker/objects/log-journal.ts';
import type { LogStream } from '../../../worker/objects/log-stream.ts';
import { linesFrom, newLog } from '../../support/worker/log-lines.ts';
import { LogReader, logs } from '../../support/worker/log-reader.ts';

/** The object's storage, counting what Cloudflare bills. */
function countingRows(sql: SqlStorage): { sql: SqlStorage; written: () => number } {
  const cursors: { readonly rowsWritten: number }[] = [];
  const exec = (...statement: Parameters<SqlStorage['exec']>) => {
    const cursor = sql.exec(...statement);
    cursors.push(cursor);
    return cursor;
  };
  return {
    sql: Object.assign(Object.create(sql), { exec }),
    written: () => cursors.reduce((sum, cursor) => sum + cursor.rowsWritten, 0),
  };
}

function chunkRows(stub: DurableObjectStub<LogStream>): Promise<number> {
  return runInDurableObject(
    stub,
    (_, state) => state.storage.sql.exec<{ n: number }>('select count(*) n from chunks').one().n,
  );
}

test('a chunk of lines costs one row written', async () => {
  const { stub } = newLog();
  await runInDurableObject(stub, (_, state) => {
    const counted = countingRows(state.storage.sql);
    const journal = new LogJournal(counted.sql);
    journal.receive(1, linesFrom(1, 1), 0);
    journal.store();
    const before = counted.written();
    journal.receive(2, linesFrom(2, 500), 0);
    journal.store();
    expect(counted.written() - before).toBe(1);
  });
});

test('a burst of 10,000 lines in frames of 100 costs far below 300 rows', async () => {
  const { stub } = newLog();
  const log = new JoinedLog(Promise.resolve(stub));
  const frames: Promise<unknown>[] = [];
  for (let first = 1; first <= 10_000; first += 100) {
    const lines = linesFrom(first, first + 99).map((line) => ({ ...line, line: line.line.padEnd(100, '.') }));
    frames.push(log.append(first, lines));
  }
  await Promise.all(frames);
  expect(await chunkRows(stub)).toBeLessThanOrEqual(40);
});

test('a minute of output is stored without a wait for each frame, in one row a frame', async () => {
  const { id, stub } = newLog();
  const reader = await LogReader.open(id, 0);
  const frames = 60;
  const startedAt = performance.now();
  for (let line = 1; line <= frames; line++) await stub.append(line, linesFrom(line, line));
  // 3 s on a quiet machine are the most that it may be awake; a timer of 250 ms for each frame would take 15.
  expect(performance.now() - startedAt).toBeLessThan(12_000);
  await reader.untilLine(frames);
  expect(await chunkRows(stub)).toBe(frames);
});

test('a log that was only read, or purged, stores nothing', async () => {
  const { id, stub } = newLog();
  const tables = () =>
    runInDurableObject(stub, (_, state) =>
      state.storage.sql.exec("select name from sqlite_master where name in ('chunks', 'outcome')").toArray(),
    );
  const reader = await LogReader.open(id, 0);
  await logs.read(id, 0);
  expect(await tables()).toEqual([]);
  reader.socket.close(1000);
  await stub.append(1, linesFrom(1, 1));
  expect(await tables()).toHaveLength(2);
  await logs.purge(id);
  expect(await tables()).toEqual([]);
});
