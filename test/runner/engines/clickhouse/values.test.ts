import fc from 'fast-check';
import { expect, test } from 'vitest';
import { binary, parsedLine, rowLine } from '../../../../runner/engines/clickhouse/values.ts';
import type { Row } from '../../../../runner/engines/row.ts';

test('written values are read back unchanged, whatever the texts are', { tags: 'slow' }, () => {
  const row = fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue({ stringUnit: 'grapheme' }));
  fc.assert(
    fc.property(row, (given) => {
      const plain = JSON.parse(JSON.stringify(given)) as Row;
      expect(parsedLine(rowLine(plain))).toEqual(plain);
    }),
  );
});

/** Texts that look like bytes, some of which look like bytes themselves. */
const hexadecimal = fc
  .tuple(fc.uint8Array({ maxLength: 3 }), fc.integer({ min: 1, max: 3 }))
  .map(([bytes, times]) => {
    let text = Buffer.from(bytes);
    for (let time = 0; time < times; time++) text = Buffer.from(`\\x${text.toString('hex')}`);
    return text;
  });

test('bytes that are no UTF-8 are shown as hexadecimal, and become the same bytes again', () => {
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array({ minLength: 1 }), hexadecimal), (given) => {
      const bytes = Buffer.from(given);
      // ClickHouse escapes what JSON must have escaped, and leaves other bytes as they are.
      const line = Buffer.from(JSON.stringify([bytes.toString('latin1')]), 'latin1');
      const [shown] = parsedLine(line);
      expect(binary(shown) ?? Buffer.from(String(shown))).toEqual(bytes);
      expect(rowLine({ value: shown ?? null })).toEqual(
        Buffer.from(JSON.stringify({ value: bytes.toString('latin1') }), 'latin1'),
      );
    }),
  );
});

test('a text that only looks like hexadecimal stays a text', () => {
  expect(binary('\\x6162')).toBeUndefined();
  expect(binary('\\xff0')).toBeUndefined();
  expect(binary('\\xff')).toEqual(Buffer.from([0xff]));
  expect(parsedLine(Buffer.from('["\\\\x6162", "\\\\xff"]'))).toEqual(['\\x6162', '\\x5c786666']);
});

test('separators that ClickHouse escapes are read among bytes that it does not', () => {
  const line = Buffer.concat([Buffer.from('["ü\\u2028'), Buffer.from('漢"]')]);
  expect(parsedLine(line)).toEqual(['ü\u2028漢']);
});
