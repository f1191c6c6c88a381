import { run } from '@stricli/core';
import { expect, test } from 'vitest';
import { createApp } from '../../../cli/app.ts';
import { ownCommandFor, words } from '../../../cli/names/other-words.ts';

async function exitCodeOf(...words: string[]): Promise<unknown> {
  const stream = { write: () => undefined };
  const process = { stdout: stream, stderr: stream, env: {}, exitCode: undefined as unknown };
  await run(createApp(false, '0'), words, { process } as never);
  return process.exitCode;
}

test.each(Object.keys(words))('the sentence begins with a command that exists: %s', async (sentence) => {
  const [, ...command] = /^longshore ([a-z]+)( (?:set|GET))?/.exec(sentence) ?? [];
  const given = command.filter(Boolean).map((word) => word.trim());
  expect(await exitCodeOf(...given.filter((word) => word !== 'GET'), '--help')).toBe(0);
});

test('each word stands once, and is no command of ours', async () => {
  const all = Object.values(words).flatMap((others) => others.split(' '));
  expect(all.filter((word, index) => all.indexOf(word) !== index)).toEqual([]);
  for (const word of all) expect([word, await exitCodeOf(word, '--help')]).not.toEqual([word, 0]);
});

test("Heroku's words with a colon are found by their topic", () => {
  expect(ownCommandFor('pg:backups')).toBe(ownCommandFor('pg')?.replace('pg', 'pg:backups'));
  expect(ownCommandFor('frobnicate')).toBeUndefined();
});
