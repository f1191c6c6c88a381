import { run } from '@stricli/core';
import { expect, test } from 'vitest';
import { createApp } from '../../cli/app.ts';

async function said(words: string): Promise<string> {
  let text = '';
  const stream = { write: (piece: string) => (text += piece) };
  const process = { stdout: stream, stderr: stream, env: {}, exitCode: undefined as number | undefined };
  await run(createApp(false, '0'), words.split(' '), { process } as never);
  return text.trim();
}

test.for([
  ['keys create ci --access admin', `--access can't be "admin". It is one of: read, deploy, write, destroy.`],
  [
    'up --timeout soon',
    'The value of timeout is wrong: "soon" is not a duration. Examples: 30s, 10m, 2h, 1d',
  ],
  ['db create', 'The argument <name> is missing. Add --help to the command to see its arguments and flags.'],
  ['restart --wate', 'There is no flag --wate. Did you mean --wait?'],
  [
    'restart --nosuch',
    'There is no flag --nosuch. Add --help to the command to see its arguments and flags.',
  ],
  ['env unset NAME -y', 'This command asks nothing: leave -y out.'],
  ['restart -z', 'There is no flag -z. Add --help to the command to see its arguments and flags.'],
  [
    'cron pause',
    'The argument <schedule> is missing. Add --help to the command to see its arguments and flags.',
  ],
  [
    'db create a b',
    `"b" is one argument too many. Put quotes around an argument with a * or spaces: '*.example.com'`,
  ],
  ['frobnicate', 'No command registered for `frobnicate`'],
  [
    'delete web',
    'There is no command delete: longshore down removes a service or a project, and longshore restore brings it back.',
  ],
  ['config:set A=b', 'There is no command config:set: longshore env set changes variables.'],
])('wrong usage, %s, names the word and what is taken', async ([words, sentence]) => {
  expect(await said(words ?? '')).toBe(sentence);
});
