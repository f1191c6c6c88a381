import { expect, test } from 'vitest';
import { clearBytesOf, createSecretEnvelope } from '../../../worker/security/secret-envelope.ts';

const fillRandom = (bytes: Uint8Array<ArrayBuffer>) => void crypto.getRandomValues(bytes);
const keyA = 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';
const keyB = 'BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBA';
const envelope = createSecretEnvelope({ current: keyA }, fillRandom);
const place = { table: 'variables', column: 'sealed_value', rowId: 'env_1' };

test.each(['', 'x', 'Ünïcödé \n "quoted"', 'y'.repeat(64 * 1024)])(
  'a sealed text opens again',
  async (clear) => {
    const dataKey = await envelope.newDataKey('prj_1');
    const sealed = await envelope.seal(dataKey, 'prj_1', place, clear);
    expect(sealed).toMatch(/^d[0-9a-f]{8}\.[\w-]+\.[\w-]+$/);
    expect(clearBytesOf(sealed)).toBe(new TextEncoder().encode(clear).byteLength);
    expect(await envelope.open(dataKey, 'prj_1', place, sealed)).toBe(clear);
  },
);

test('the same text sealed twice looks different', async () => {
  const dataKey = await envelope.newDataKey('prj_1');
  const seal = () => envelope.seal(dataKey, 'prj_1', place, 'same');
  expect(await seal()).not.toBe(await seal());
});

const setUp = async () => {
  const dataKey = await envelope.newDataKey('prj_1');
  return { dataKey, sealed: await envelope.seal(dataKey, 'prj_1', place, 'secret') };
};

test.each([{ table: 'services' }, { column: 'other' }, { rowId: 'env_2' }])(
  'a ciphertext does not open in another place: %j',
  async (change) => {
    const { dataKey, sealed } = await setUp();
    await expect(envelope.open(dataKey, 'prj_1', { ...place, ...change }, sealed)).rejects.toThrow(
      "can't be decrypted",
    );
  },
);

test('a ciphertext does not open in another project, even with its own data key', async () => {
  const { dataKey, sealed } = await setUp();
  await expect(envelope.open(dataKey, 'prj_2', place, sealed)).rejects.toThrow("can't be decrypted");
  const other = await envelope.newDataKey('prj_2');
  await expect(envelope.open(other, 'prj_2', place, sealed)).rejects.toThrow("can't be decrypted");
});

test('a ciphertext does not open under another ENCRYPTION_KEY', async () => {
  const { dataKey, sealed } = await setUp();
  const stranger = createSecretEnvelope({ current: keyB }, fillRandom);
  await expect(stranger.open(dataKey, 'prj_1', place, sealed)).rejects.toThrow("can't be decrypted");
});

test('a ciphertext does not open with one character changed, or another form', async () => {
  const { dataKey, sealed } = await setUp();
  const changed = sealed.replace(/.(.)$/, (_, last) => (sealed.at(-2) === 'A' ? 'B' : 'A') + last);
  await expect(envelope.open(dataKey, 'prj_1', place, changed)).rejects.toThrow("can't be decrypted");
  for (const form of ['', 'v2.a.b', 'v1.a', `${sealed}.x`]) {
    await expect(envelope.open(dataKey, 'prj_1', place, form)).rejects.toThrow('form');
  }
});

test('secrets of the instance are bound to their place too', async () => {
  const sealed = await envelope.sealForInstance(place, 'provider');
  expect(await envelope.openForInstance(place, sealed)).toBe('provider');
  await expect(envelope.openForInstance({ ...place, rowId: 'x' }, sealed)).rejects.toThrow(
    "can't be decrypted",
  );
});

test.each([undefined, '', 'short'])('a missing or short ENCRYPTION_KEY is refused: %s', async (key) => {
  await expect(createSecretEnvelope({ current: key }, fillRandom).newDataKey('prj_1')).rejects.toThrow(
    'ENCRYPTION_KEY',
  );
});
