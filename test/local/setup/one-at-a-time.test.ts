/** The lock that test files share while one of them unpacks Chromium. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { oneAtATime } from '../../support/one-at-a-time.ts';
import { temporaryDirectory } from '../../support/runner/temporary.ts';

test('of two calls under one lock, the second begins when the first has ended, whatever its end', async () => {
  const lock = join(await temporaryDirectory(), 'lock');
  const steps: string[] = [];
  const gate = Promise.withResolvers<void>();
  const first = oneAtATime(lock, async () => {
    steps.push('first begins');
    await gate.promise;
    steps.push('first ends');
    throw new Error('It has failed.');
  });
  const second = oneAtATime(lock, async () => void steps.push('second'));
  gate.resolve();
  await expect(first).rejects.toThrow('It has failed.');
  await second;
  expect(steps).toEqual(['first begins', 'first ends', 'second']);
});

test('the lock of a killed process is free', { tags: 'slow' }, async () => {
  const lock = join(await temporaryDirectory(), 'lock');
  const module = new URL('../../support/one-at-a-time.ts', import.meta.url).href;
  const program = `const { oneAtATime } = await import(${JSON.stringify(module)});
    await oneAtATime(${JSON.stringify(lock)}, () => { console.log('at work'); return new Promise((end) => setTimeout(end, 1e9)); });`;
  const args = ['--input-type=module', '--eval', program];
  const holder = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void holder.kill('SIGKILL'));
  await once(holder.stdout, 'data');
  let isFree = false;
  const next = oneAtATime(lock, async () => {
    isFree = true;
  });
  expect(isFree).toBe(false);
  holder.kill('SIGKILL');
  await next;
  expect(isFree).toBe(true);
});
