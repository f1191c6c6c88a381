import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import {
  endProcess,
  identify,
  isAlive,
  mustIdentify,
  waitForEnd,
} from '../../../local/instance/process-identity.ts';

/** A process that lives until it is told to end; `stubborn` ones do not listen. */
async function living(stubborn = false) {
  const program = `${stubborn ? "process.on('SIGTERM', () => {});" : ''} process.stdout.write('up'); setInterval(() => {}, 1000)`;
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'ignore'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return mustIdentify(child.pid ?? 0);
}

test('the identity of a process is valid as long as it lives, and matches no process afterwards', async () => {
  const identity = await living();
  expect(isAlive(identity)).toBe(true);
  expect(await endProcess(identity, 5_000)).toBe(true);
  expect(isAlive(identity)).toBe(false);
  expect(identify(identity.pid)).toBeUndefined();
});

test('the identity of a process does not match another process with the same pid', async () => {
  const identity = await living();
  const earlier = { pid: identity.pid, startTime: String(Number(identity.startTime) - 1) };
  expect(isAlive(earlier)).toBe(false);
  expect(await endProcess(earlier, 0)).toBe(true);
  expect(isAlive(identity), 'the newer process is left alone').toBe(true);
});

test('ending a process kills it after its grace period when it ignores the signal', async () => {
  const identity = await living(true);
  expect(await endProcess(identity, 100)).toBe(true);
  expect(isAlive(identity)).toBe(false);
});

test('waiting for a process that keeps running has an end', async () => {
  expect(await waitForEnd(await living(), 50)).toBe(false);
});
