import { once } from 'node:events';
import { expect, test } from 'vitest';
import { failureText, toolWords } from '../../../../runner/engines/archive/run-tool.ts';
import type { ContainerTools } from '../../../../runner/engines/container-tools.ts';

/** A tool of the user's own image. */
const toolThatPrints = (pieces: number): ContainerTools => ({
  async run(_command, { stdout }) {
    for (let at = 0; at < pieces && stdout; at++) {
      if (stdout.errored) throw stdout.errored;
      if (!stdout.write(Buffer.alloc(1024 * 1024, 'a')))
        await Promise.race([once(stdout, 'drain'), once(stdout, 'close')]);
    }
    if (stdout?.errored) throw stdout.errored;
    stdout?.end();
    return { code: 0, stderr: '' };
  },
});
const run = (pieces: number) =>
  toolWords({ tools: toolThatPrints(pieces), signal: new AbortController().signal }, [
    'pg_restore',
    '--list',
  ]);

test('what a tool prints is returned', async () => {
  expect(await run(2)).toMatchObject({ code: 0, printed: 'a'.repeat(2 * 1024 * 1024) });
});

test('a tool that prints without end is stopped at 64 MB', async () => {
  await expect(run(10_000)).rejects.toMatchObject({
    code: 'unavailable',
    message: 'pg_restore was stopped: it printed more than 64 MB.',
  });
});

test.each([
  { code: 1, stderr: 'pg_restore: error: no', text: /^pg_restore: error: no$/ },
  { code: 1, stderr: '', text: /^it ended without a message \(exit code 1\)/ },
  { code: 1, stderr: 'pg_restore:', text: /^it ended without a message .* its memory is full\.$/ },
  {
    code: 137,
    stderr: 'mysql: server has',
    text: /^it ended without a message .* It had printed: mysql: server has$/,
  },
])('a failed tool that printed "$stderr" with exit code $code is explained', ({ code, stderr, text }) => {
  expect(failureText({ code, stderr })).toMatch(text);
});
