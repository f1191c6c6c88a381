/** The supervision of the runner, with a small program in its place. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { isAlive, type ProcessIdentity } from '../../../local/instance/process-identity.ts';
import { startRunner } from '../../../local/keeper/runner-process.ts';
import { temporaryDirectory } from '../../support/runner/temporary.ts';

/** Starts this program as the runner and tells its processes as they come and go. */
async function supervised(program: string) {
  const projectRoot = await temporaryDirectory();
  await mkdir(join(projectRoot, 'runner'));
  await writeFile(join(projectRoot, 'runner/main.ts'), program);
  const seen: (ProcessIdentity | null)[] = [];
  const said: string[] = [];
  const logFile = join(projectRoot, 'runner.log');
  const runner = startRunner({
    projectRoot,
    directory: '/the/data',
    logFile,
    onProcess: (identity) => void seen.push(identity),
    say: (line) => void said.push(line),
  });
  onTestFinished(() => runner.stop());
  return { runner, seen, said, log: () => readFile(logFile, 'utf8') };
}

const alive = "console.log('up'); setInterval(() => {}, 1000);";

test('the local runner gets its data directory and may reach private addresses for git, import and drain', async () => {
  const { log } = await supervised(
    "console.log(process.argv.slice(2).join(' '), process.env.LONGSHORE_ALLOW_PRIVATE); setInterval(() => {}, 1000);",
  );
  await expect.poll(log).toBe('run --data /the/data git,import,drain\n');
});

test('the local runner is restarted when it dies, and the start reports it', async () => {
  const { seen, said } = await supervised(alive);
  await expect.poll(() => seen.length).toBe(1);
  const first = seen[0];
  if (!first) throw new Error('no process');
  process.kill(first.pid, 'SIGKILL');
  await expect.poll(() => seen.length).toBe(3);
  expect(seen[1]).toBeNull();
  expect(seen[2]?.pid).not.toBe(first.pid);
  expect(said).toEqual([
    expect.stringMatching(/^the runner ended \(SIGKILL\); starting it again in 0\.05 s/),
  ]);
});

test('a runner that cannot start is retried with longer and longer pauses', { tags: 'slow' }, async () => {
  const { said } = await supervised('process.exit(4);');
  await expect.poll(() => said.length, { timeout: 10_000 }).toBe(2);
  expect(said[0]).toContain('(exit code 4); starting it again in 0.05 s');
  expect(said[1]).toContain('in 0.1 s');
});

test('stop asks the runner to exit, waits for it, and does not restart it', { tags: 'slow' }, async () => {
  const { runner, seen, log } = await supervised(
    `process.on('SIGTERM', () => setTimeout(() => { console.log('put down'); process.exit(0); }, 50)); ${alive}`,
  );
  await expect.poll(log).toContain('up');
  await runner.stop();
  expect(await log()).toBe('up\nput down\n');
  expect(seen).toHaveLength(2);
  expect(seen[0] && isAlive(seen[0])).toBe(false);
});

test('the local runner has its own process group, so that Ctrl-C reaches only the start', async () => {
  const { seen } = await supervised(alive);
  await expect.poll(() => seen.length).toBe(1);
  const stat = await readFile(`/proc/${seen[0]?.pid}/stat`, 'utf8');
  const processGroup = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]);
  expect(processGroup).toBe(seen[0]?.pid);
});
