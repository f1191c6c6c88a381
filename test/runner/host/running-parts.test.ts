import { expect, test } from 'vitest';
import { RunningParts } from '../../../runner/host/running-parts.ts';

test('all parts stop once, also those beside one that fails to stop, whose error is the answer', async () => {
  const stopped: string[] = [];
  const running = new RunningParts();
  const part = running.add({ name: 'a', stop: () => stopped.push('a') });
  running.add({ stop: () => Promise.reject(new Error('b')) });
  running.add({ stop: async () => void stopped.push('c') });
  await expect(running.stop()).rejects.toThrow('b');
  await running.stop();
  expect([part.name, stopped.toSorted()]).toEqual(['a', ['a', 'c']]);
});
