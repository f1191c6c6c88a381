import { chmod, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import {
  chooseContext,
  contextsPath,
  originOf,
  readContexts,
  writeContexts,
} from '../../../cli/settings/contexts.ts';

async function emptyDirectory() {
  const directory = await mkdtemp(join(tmpdir(), 'longshore-contexts-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  return { LONGSHORE_CONFIG_DIR: join(directory, 'new') };
}

const two = {
  current: 'a',
  contexts: { a: { url: 'https://a.example', key: 'ka' }, b: { url: 'https://b.example', key: 'kb' } },
};

test('keys are written for their owner only, and are refused once others may read them', async () => {
  const env = await emptyDirectory();
  expect(await readContexts(env)).toEqual({ current: null, contexts: {} });
  await writeContexts(env, two);
  expect((await stat(contextsPath(env))).mode & 0o777).toBe(0o600);
  expect(await readContexts(env)).toEqual(two);
  await chmod(contextsPath(env), 0o640);
  await expect(readContexts(env)).rejects.toThrow(`chmod 600 ${contextsPath(env)}`);
});

test('a damaged file is an error that names it, and is not overwritten', async () => {
  const env = await emptyDirectory();
  await writeContexts(env, two);
  for (const text of ['{', '{"contexts":{"a":{}}}', '[]']) {
    await writeFile(contextsPath(env), text);
    await expect(readContexts(env), text).rejects.toThrow('is damaged');
  }
});

test('the flag goes before the environment, and the environment before the current context', async () => {
  const env = await emptyDirectory();
  await writeContexts(env, two);
  const both = { ...env, LONGSHORE_URL: 'https://c.example/x', LONGSHORE_KEY: 'kc' };
  expect(await chooseContext(both, 'b')).toMatchObject({ name: 'b', key: 'kb' });
  expect(await chooseContext(both, undefined)).toMatchObject({ url: 'https://c.example', key: 'kc' });
  expect(await chooseContext({ ...env, LONGSHORE_CONTEXT: 'b' }, undefined)).toMatchObject({ key: 'kb' });
  expect(await chooseContext(env, undefined)).toMatchObject({ name: 'a', key: 'ka' });
  await expect(chooseContext({ ...env, LONGSHORE_KEY: 'kc' }, undefined)).rejects.toThrow(
    'without LONGSHORE_URL',
  );
  await expect(chooseContext(env, 'c')).rejects.toThrow('Known: a, b.');
});

test.each(['http://longshore.example', 'http://localhost.example:8787', 'ftp://a.example', 'longshore', ''])(
  'a key is not sent to %j',
  (url) => {
    expect(() => originOf(url)).toThrow(expect.objectContaining({ exitCode: 2 }));
  },
);

test('https everywhere and http on this machine are origins', () => {
  expect(['https://a.example/api', 'http://127.0.0.1:8787/', 'http://localhost:1'].map(originOf)).toEqual([
    'https://a.example',
    'http://127.0.0.1:8787',
    'http://localhost:1',
  ]);
});
