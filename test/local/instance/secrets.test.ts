import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ensureSecrets, rememberApiKey, workerSecrets } from '../../../local/instance/secrets.ts';
import { temporaryDirectory } from '../../support/runner/temporary.ts';

test('secrets are made once, of full length, for their owner only', async () => {
  const path = join(await temporaryDirectory(), 'secrets.json');
  const made = ensureSecrets(path);
  expect(Buffer.from(made.encryptionKey, 'base64url')).toHaveLength(32);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(ensureSecrets(path)).toEqual(made);
});

test('two instances have different secrets', async () => {
  const directory = await temporaryDirectory();
  const [one, other] = ['one', 'other'].map((name) => ensureSecrets(join(directory, name)));
  expect(one?.operatorToken).not.toBe(other?.operatorToken);
  expect(one?.encryptionKey).not.toBe(other?.encryptionKey);
});

test('a damaged file stops the start and is not changed: a new key would make every stored secret unreadable', async () => {
  const path = join(await temporaryDirectory(), 'secrets.json');
  writeFileSync(path, '{"operatorToken": "cut');
  expect(() => ensureSecrets(path)).toThrow('move it away');
  expect(readFileSync(path, 'utf8')).toBe('{"operatorToken": "cut');
});

test('the first key is kept beside them', async () => {
  const path = join(await temporaryDirectory(), 'secrets.json');
  const made = ensureSecrets(path);
  expect(made.apiKey).toBeNull();
  rememberApiKey(path, made, 'lsk_1');
  expect(ensureSecrets(path)).toEqual({ ...made, apiKey: 'lsk_1' });
});

test('secrets of before reach the Worker while they are in the file, and stay there', async () => {
  const path = join(await temporaryDirectory(), 'secrets.json');
  const made = ensureSecrets(path);
  expect(workerSecrets(made)).toEqual({
    OPERATOR_TOKEN: made.operatorToken,
    ENCRYPTION_KEY: made.encryptionKey,
  });
  const previous = { previousOperatorToken: 'old token', previousEncryptionKey: 'A'.repeat(43) };
  writeFileSync(path, JSON.stringify({ ...made, ...previous }));
  rememberApiKey(path, ensureSecrets(path), 'lsk_1');
  expect(workerSecrets(ensureSecrets(path))).toMatchObject({
    OPERATOR_TOKEN_PREVIOUS: 'old token',
    ENCRYPTION_KEY_PREVIOUS: 'A'.repeat(43),
  });
});
