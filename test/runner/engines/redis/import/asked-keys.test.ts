import { expect, test } from 'vitest';
import { AskedKeys } from '../../../../../runner/engines/redis/import/asked-keys.ts';

const keys = (count: number) => Array.from({ length: count }, (_, at) => Buffer.from(String(at)));

/** The room after so many values of this size. */
async function roomAfter(count: number, bytes: number): Promise<number> {
  const asked = new AskedKeys();
  for (const key of keys(count)) {
    asked.add([key]);
    asked.answered(bytes);
  }
  return await asked.room();
}

test('few keys are requested at once while their size is unknown, many when small, and large ones singly', async () => {
  const first = await new AskedKeys().room();
  expect(first).toBeLessThan(1_000);
  expect(await roomAfter(1_000, 100)).toBeGreaterThan(first);
  expect(await roomAfter(1_000, 500 * 1024 * 1024)).toBe(1);
});

test('the source never has to hold more than 16 MB when larger values begin', async () => {
  for (const bytes of [1_000, 50_000, 1_000_000])
    expect((await roomAfter(500, bytes)) * bytes).toBeLessThan(16e6);
});

test('answers make room again, in the order of the questions', async () => {
  const asked = new AskedKeys();
  const all = keys(await asked.room());
  asked.add(all);
  let hasRoom = false;
  const room = asked.room().then((free) => {
    hasRoom = true;
    return free;
  });
  await Promise.resolve();
  expect(hasRoom).toBe(false);
  for (const key of all) expect(asked.answered(100)).toBe(key);
  expect(await room).toBeGreaterThan(0);
  expect(() => asked.answered(1)).toThrow(/without a request/);
});
