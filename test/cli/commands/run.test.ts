import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { shellLine } from '../../../cli/commands/run.ts';

test('several words arrive as they are; one word is a line for the shell', () => {
  const words = ["it's", '$HOME `id`', '', '*', 'a\nb', '\\', '"', '~', '!x'];
  const line = shellLine([process.execPath, '-p', 'JSON.stringify(process.argv.slice(1))', '--', ...words]);
  expect(JSON.parse(execFileSync('sh', ['-c', line]).toString())).toEqual(words);
  expect(shellLine(['echo $HOME | wc -c'])).toBe('echo $HOME | wc -c');
});
