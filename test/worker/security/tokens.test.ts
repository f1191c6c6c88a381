import { expect, test } from 'vitest';
import { issueToken, isValidToken, readToken } from '../../../worker/security/api-token.ts';
import { operatorTokenCheck } from '../../../worker/security/operator-token.ts';

const fillRandom = (bytes: Uint8Array<ArrayBuffer>) => void crypto.getRandomValues(bytes);

test('a token has the published form, is accepted, and only its hash is stored', async () => {
  const { token, record } = await issueToken(fillRandom, 'b7');
  expect(token).toMatch(/^lsk_b7[a-z0-9]{6}_[A-Za-z0-9]{43}[A-Za-z0-9]{6}$/);
  const presented = readToken(token);
  expect(presented?.tokenId).toBe(record.tokenId);
  expect(presented && (await isValidToken(presented, record.secretHash))).toBe(true);
  expect(record.secretHash).toMatch(/^[0-9a-f]{64}$/);
  expect(JSON.stringify(record)).not.toContain(presented?.secret);
});

test('no token is accepted against another hash or against none', async () => {
  const [one, other] = [await issueToken(fillRandom, 'b7'), await issueToken(fillRandom, 'b7')];
  const presented = readToken(one.token);
  if (!presented) throw new Error('not read');
  expect(await isValidToken(presented, other.record.secretHash)).toBe(false);
  expect(await isValidToken(presented, null)).toBe(false);
});

test('a typing error is found by the checksum, without any store', async () => {
  const { token } = await issueToken(fillRandom, 'b7');
  for (let place = 0; place < token.length; place++) {
    const wrong = token.slice(0, place) + (token[place] === 'a' ? 'b' : 'a') + token.slice(place + 1);
    expect(readToken(wrong)).toBeNull();
  }
});

test.each([undefined, '', 'too-short'])(
  'an operator token that is missing or short opens nothing: %s',
  async (secret) => {
    const check = operatorTokenCheck(secret);
    expect(await check(secret ?? '')).toBe(false);
  },
);

test('the operator token is compared as a whole', async () => {
  const check = operatorTokenCheck('operator-token-of-enough-length');
  expect(await check('operator-token-of-enough-length')).toBe(true);
  expect(await check('operator-token-of-enough-lengtx')).toBe(false);
  expect(await check('operator-token-of-enough')).toBe(false);
});
