import { abortAllDurableObjects, evictDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, test } from 'vitest';
import { logStreamOf } from '../../../worker/gateways/log-streams.ts';
import { linesFrom, newLog, range } from '../../support/worker/log-lines.ts';
import { LogReader, logs } from '../../support/worker/log-reader.ts';

test('an object that sleeps mid-build keeps its readers and neither loses nor doubles a line', async () => {
  const { id, stub } = newLog();
  const early = await LogReader.open(id, 0);
  let sent = 0;
  for (const size of [1, 5, 1, 12, 3]) {
    expect(await stub.append(sent + 1, linesFrom(sent + 1, sent + size))).toEqual({
      through: sent + size,
      watched: true,
    });
    sent += size;
    await evictDurableObject(stub);
  }
  const late = await LogReader.open(id, 3);
  await evictDurableObject(stub);
  // What was acknowledged comes again, as after a lost acknowledgement.
  await stub.append(sent - 1, linesFrom(sent - 1, sent + 2));
  sent += 2;
  await evictDurableObject(stub);
  await logs.finish(id, { ok: true });
  expect(await early.closed).toBe(1000);
  expect(await late.closed).toBe(1000);
  expect(early.ids).toEqual(range(1, sent));
  expect(late.ids).toEqual(range(4, sent));
});

test('a reader in the middle of its snapshot continues after the object slept', async () => {
  const { id, stub } = newLog();
  const lines = linesFrom(1, 2_000).map((line) => ({ ...line, line: line.line.padEnd(1_000, '.') }));
  await stub.append(1, lines);
  const reader = await LogReader.open(id, 0, false);
  await reader.until((text) => text.length > 400_000);
  await evictDurableObject(stub);
  await stub.append(2_001, linesFrom(2_001, 2_001));
  for (let granted = 0; !reader.text.includes('"id":2001,'); ) {
    const { length } = reader.text;
    reader.socket.send(String(length - granted));
    granted = length;
    await reader.until((text) => text.length > length);
  }
  expect(reader.events.map(({ event }) => event)).toEqual(['snapshot', 'log']);
  expect(reader.ids).toEqual(range(1, 2_001));
});

test('times keep not decreasing after the object slept', async () => {
  const { id, stub } = newLog();
  const now = Date.now();
  await stub.append(1, linesFrom(1, 1, now + 200_000));
  await evictDurableObject(stub);
  await stub.append(2, linesFrom(2, 2, now));
  const { lines } = await logs.read(id, 0);
  expect(lines[1]?.at).toBe(lines[0]?.at);
});

test('acknowledged lines survive a crash, and the others are requested again', async () => {
  const { id, stub } = newLog();
  expect(await stub.append(1, linesFrom(1, 4))).toMatchObject({ through: 4 });
  await abortAllDurableObjects();
  const again = logStreamOf(env.LOG_STREAM, id);
  expect(await again.append(9, linesFrom(9, 9))).toMatchObject({ through: 4 });
  expect(await again.append(5, linesFrom(5, 9))).toMatchObject({ through: 9 });
});
