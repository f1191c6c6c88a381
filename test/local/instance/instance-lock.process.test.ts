import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { clearDeadLock, readLock, takeLock } from '../../../local/instance/instance-lock.ts';
import { endProcess, isAlive, mustIdentify, waitForEnd } from '../../../local/instance/process-identity.ts';
import { temporaryDirectory } from '../../support/runner/temporary.ts';

const holderProgram = fileURLToPath(new URL('../../support/runner/lock-holder.ts', import.meta.url));

/** Another start, in a process of its own, with a child that it leaves behind when it is killed. */
async function holder(directory: string) {
  const child = spawn(process.execPath, [holderProgram, directory], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [line] = await once(child.stdout, 'data');
  const { orphan } = JSON.parse(String(line));
  onTestFinished(() => endProcess(orphan, 0).then(() => {}));
  return { identity: mustIdentify(child.pid ?? 0), orphan, kill: () => child.kill('SIGKILL') };
}

test('the lock of a data directory refuses a second start with one sentence, and leaves the first alone', async () => {
  const directory = await temporaryDirectory();
  const first = await holder(directory);
  await expect(takeLock(directory)).rejects.toMatchObject({
    code: 'already_running',
    message: `Longshore already runs on ${directory} (process ${first.identity.pid}).`,
    command: `npm stop -- --data ${directory}`,
  });
  expect(isAlive(first.identity)).toBe(true);
  expect(isAlive(first.orphan)).toBe(true);
});

test('the lock of a data directory is taken over from a start that was killed, whose orphan is ended', async () => {
  const directory = await temporaryDirectory();
  const first = await holder(directory);
  first.kill();
  expect(await waitForEnd(first.identity, 5_000)).toBe(true);
  expect(isAlive(first.orphan), 'the orphan lives until the take-over').toBe(true);
  const lock = await takeLock(directory);
  expect(isAlive(first.orphan)).toBe(false);
  expect(readLock(directory)?.node.pid).toBe(process.pid);
  lock.release();
});

test('the lock of a data directory ends nothing that only has the pid of an orphan', async () => {
  const directory = await temporaryDirectory();
  const stranger = spawn('sleep', ['300']);
  onTestFinished(() => void stranger.kill());
  const identity = mustIdentify(stranger.pid ?? 0);
  const earlier = { pid: identity.pid, startTime: '1' };
  const dead = { node: { pid: process.pid, startTime: '1' }, workerd: [earlier], runner: earlier };
  writeFileSync(join(directory, 'lock'), JSON.stringify(dead));
  (await takeLock(directory)).release();
  expect(isAlive(identity)).toBe(true);
});

test('the lock of a data directory is held by exactly one of many that want it at once', async () => {
  const directory = await temporaryDirectory();
  const contenders = Array.from({ length: 4 }, () =>
    spawn(process.execPath, [holderProgram, directory], { stdio: ['ignore', 'pipe', 'ignore'] }),
  );
  onTestFinished(() => {
    for (const child of contenders) child.kill('SIGKILL');
  });
  const outcomes = await Promise.all(
    contenders.map((child) =>
      Promise.race([
        once(child.stdout, 'data').then(([line]) => JSON.parse(String(line)).orphan),
        once(child, 'exit').then(() => 'refused'),
      ]),
    ),
  );
  const winners = outcomes.filter((outcome) => outcome !== 'refused');
  expect(winners).toHaveLength(1);
  onTestFinished(() => endProcess(winners[0], 0).then(() => {}));
});

test('the lock of a data directory names the children of the start, and only its owner can read it', async () => {
  const directory = await temporaryDirectory();
  const lock = await takeLock(directory);
  const own = mustIdentify(process.pid);
  lock.update({ runner: own });
  expect(JSON.parse(readFileSync(join(directory, 'lock'), 'utf8'))).toEqual({
    node: own,
    workerd: [],
    runner: own,
  });
  expect(statSync(join(directory, 'lock')).mode & 0o777).toBe(0o600);
  lock.release();
  expect(existsSync(join(directory, 'lock'))).toBe(false);
});

test('a damaged lock file counts as no lock', async () => {
  const directory = await temporaryDirectory();
  writeFileSync(join(directory, 'lock'), '{"node":');
  (await takeLock(directory)).release();
});

test('what a dead start left is cleared without a new start', async () => {
  const directory = await temporaryDirectory();
  const first = await holder(directory);
  expect(await clearDeadLock(directory), 'a living start is left alone').toBe(0);
  first.kill();
  await waitForEnd(first.identity, 5_000);
  expect(await clearDeadLock(directory)).toBe(1);
  expect(isAlive(first.orphan)).toBe(false);
  expect(readLock(directory)).toBeUndefined();
});
