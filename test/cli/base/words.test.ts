import { expect, test } from 'vitest';
import { commandWords } from '../../../cli/base/words.ts';

test.each([
  ['', ''],
  ['ps', 'ps'],
  ['help', '--help'],
  ['help db create', 'db create --help'],
  ['--json ps -p shop', 'ps -p shop --json'],
  ['--json run -- echo --json', 'run --json -- echo --json'],
  ['run -- help', 'run -- help'],
])('"longshore %s" is read as "longshore %s"', (given, read) => {
  expect(commandWords(given.split(' ').filter(Boolean)).join(' ')).toBe(read);
});
