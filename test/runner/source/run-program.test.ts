import { expect, test } from 'vitest';
import { runProgram } from '../../../runner/source/run-program.ts';

function run(script: string) {
  const lines: string[] = [];
  const command = { cwd: '/tmp', env: { PATH: process.env.PATH ?? '' }, signal: AbortSignal.timeout(30_000) };
  const ended = runProgram('sh', { ...command, args: ['-c', script], onLine: (line) => lines.push(line) });
  return ended.then((outcome) => ({ ...outcome, lines }));
}

test('each line of stderr is passed on once, also when it comes in pieces', async () => {
  const { exitCode, lines } = await run(
    'printf "one\\ntw" >&2; sleep 0.1; printf "o\\r" >&2; sleep 0.1; printf "\\n\\nthree" >&2; exit 3',
  );
  expect([exitCode, lines]).toEqual([3, ['one', 'two', 'three']]);
});

test('a line of 300 MB without an end is cut, and does not keep the runner busy', async () => {
  const { exitCode, lines } = await run('head -c 300000000 /dev/zero | tr "\\0" x >&2');
  expect([exitCode, lines.length]).toEqual([0, 1]);
  expect(lines[0]?.length).toBeLessThan(5_000_000);
});
