import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bytesOf, textOf } from '../../../../runner/engines/redis/byte-text.ts';
import { keyId, parseKeyId } from '../../../../runner/engines/redis/key-list.ts';

const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 40 }).map((array) => Buffer.from(array)),
  fc.string({ unit: 'grapheme' }).map((text) => Buffer.from(text)),
  fc.string().map((text) => Buffer.from(`\\x${text}`)),
);

test('bytes shown as text come back unchanged, whatever they are', () => {
  fc.assert(
    fc.property(bytes, (value) => {
      const text = textOf(value);
      expect(bytesOf(text, 'value')).toEqual(value);
      expect(JSON.parse(JSON.stringify(text))).toBe(text);
    }),
  );
});

test('bytes are shown as text when they are UTF-8, and as hexadecimal otherwise', () => {
  expect(textOf(Buffer.from('ünï \u0000 💧'))).toBe('ünï \u0000 💧');
  expect(textOf(Buffer.from([0xc3]))).toBe('\\xc3');
  expect(textOf(Buffer.from('\\x41'))).toBe('\\x5c783431');
  expect(textOf(Buffer.from('\ufeffa'))).toBe('\ufeffa');
});

test('bytes as the id of a key have one spelling', () => {
  fc.assert(
    fc.property(bytes, fc.nat({ max: 15 }), (key, database) => {
      expect(parseKeyId(keyId({ database, key }))).toEqual({ database, key });
    }),
  );
  for (const id of [
    '',
    '0',
    '0:a',
    '0:YQ==',
    '0:YR',
    '00:YQ',
    '-1:YQ',
    '0:YQ ',
    '0:Y+',
    '1e3:YQ',
    '9999999999:',
  ]) {
    expect([id, parseKeyId(id)]).toEqual([id, undefined]);
  }
});
