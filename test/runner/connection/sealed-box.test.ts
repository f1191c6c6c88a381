import { expect, test } from 'vitest';
import { openSealedBox } from '../../../runner/connection/sealed-box.ts';
import { ensureIdentity } from '../../../runner/setup/identity.ts';
import { seal } from '../../support/runner/seal.ts';
import { temporaryDirectory } from '../../support/runner/temporary-directory.ts';

const place = { runnerId: 'run_a', job: 'job_1', epoch: 3 };

test('a sealed box opens for the runner, job and attempt it was made for', () => {
  const { sealingKey, openingKey } = ensureIdentity(temporaryDirectory());
  expect(openSealedBox(openingKey, place, seal(sealingKey, place, 'geheim – 秘密'))).toBe('geheim – 秘密');
  expect(openSealedBox(openingKey, place, seal(sealingKey, place, ''))).toBe('');
});

test.each([
  ['host', { runnerId: 'run_b' }],
  ['job', { job: 'job_2' }],
  ['attempt', { epoch: 4 }],
])('a sealed box made for another %s does not open', (_, other) => {
  const { sealingKey, openingKey } = ensureIdentity(temporaryDirectory());
  const sealed = seal(sealingKey, { ...place, ...other }, 'secret');
  expect(() => openSealedBox(openingKey, place, sealed)).toThrow();
});

test('a sealed box does not open with another key, or when a byte of it was changed', () => {
  const { sealingKey, openingKey } = ensureIdentity(temporaryDirectory());
  const sealed = seal(sealingKey, place, 'secret');
  expect(() => openSealedBox(ensureIdentity(temporaryDirectory()).openingKey, place, sealed)).toThrow();
  const bytes = Buffer.from(sealed, 'base64url');
  for (let at = 0; at < bytes.length; at++) {
    // The highest bit of an X25519 public key is ignored (RFC 7748, 5).
    const changed = bytes.map((byte, index) => (index === at ? byte ^ 1 : byte));
    expect(() => openSealedBox(openingKey, place, Buffer.from(changed).toString('base64url'))).toThrow();
  }
});

test.each(['', 'AAAA', 'not base64 at all'])('a sealed box that is %j does not open', (sealed) => {
  const { openingKey } = ensureIdentity(temporaryDirectory());
  expect(() => openSealedBox(openingKey, place, sealed)).toThrow('too short');
});

test('a sealed box with a key of low order is refused', () => {
  const { openingKey } = ensureIdentity(temporaryDirectory());
  const sealed = Buffer.alloc(32 + 12 + 16).toString('base64url');
  expect(() => openSealedBox(openingKey, place, sealed)).toThrow();
});
