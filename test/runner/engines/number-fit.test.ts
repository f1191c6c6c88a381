import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decimalsOf, isSameNumber } from '../../../protocol/exact-number.ts';
import { misfitOfDocument } from '../../../runner/engines/mysql/values.ts';
import { misfitOfFloat, misfitOfScale } from '../../../runner/engines/number-fit.ts';

test('every double and every single is kept, with the digits of JavaScript and with more', () => {
  fc.assert(
    fc.property(
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.integer({ min: 17, max: 60 }),
      (value, digits) => {
        expect(misfitOfFloat(String(value), 'double', 64)).toBeUndefined();
        expect(misfitOfFloat(value.toPrecision(digits), 'double', 64)).toBeUndefined();
        const single = Math.fround(value);
        expect(misfitOfFloat(single.toPrecision(9), 'real', 32)).toBeUndefined();
      },
    ),
  );
});

test.each([
  ['9007199254740993', 64, '9007199254740992'],
  ['+0.1234567890123456789', 64, '0.12345678901234568'],
  ['1e-400', 64, '0'],
  [' 16777217 ', 32, '16777216'],
  ['0.30000000000000004', 32, '0.3'],
  [`0.${'1'.repeat(120)}`, 64, '0.1111111111111111'],
] as const)(
  '%s does not fit into %i bits, and the reason says what would be stored',
  (text, bits, rounded) => {
    expect(misfitOfFloat(text, 'real', bits)).toContain(`to ${rounded}: `);
  },
);

test.each(['NaN', '-Infinity', 'x', '', '0x10', '-0', '+.5', '1.'])(
  'what is no number to round, such as %j, is left to the server',
  (text) => expect(misfitOfFloat(text, 'real', 32)).toBeUndefined(),
);

test('a number beyond the range of a float does not fit', () => {
  expect(misfitOfFloat('1e400', 'double', 64)).toBe("is double, which can't hold 1e400");
  expect(misfitOfFloat('-3.5e38', 'real', 32)).toContain("can't hold -3.5e38");
});

test('decimals beyond a scale do not fit, however they are written', () => {
  for (const text of ['1.23', '1.2300', '123e-2', '-.5', '1e5', '0.000', 'NaN'])
    expect([text, misfitOfScale(text, 'numeric(10,2)', 2)]).toEqual([text, undefined]);
  for (const text of ['1.239', '1e-3', '-0.001', '123.4E-2'])
    expect(misfitOfScale(text, 'numeric(10,2)', 2)).toContain('at most 2 decimals');
  expect([150, 0, 15].map((number) => misfitOfScale(String(number), 'numeric(3,-1)', -1))).toEqual([
    undefined,
    undefined,
    expect.stringContaining('would round 15: '),
  ]);
});

test('numbers are the same however they are written, and have the decimals that they need', () => {
  for (const [one, other] of [
    ['1.50', '15e-1'],
    ['+1', '1.'],
    ['-0', '0.00e5'],
    ['1e3', '1000'],
  ] as const)
    expect([one, isSameNumber(one, other)]).toEqual([one, true]);
  expect([isSameNumber('1', '-1'), isSameNumber('10', '1'), isSameNumber('0', '1')]).toEqual([
    false,
    false,
    false,
  ]);
  expect(['1.50e-1', '15e-1', '150e-1', '1500', '0.00'].map(decimalsOf)).toEqual([
    2,
    1,
    0,
    -2,
    Number.NEGATIVE_INFINITY,
  ]);
});

test('a document is kept by MySQL if its numbers are 64-bit integers or doubles', () => {
  const kept =
    '[18446744073709551615, -9223372036854775808, 1e22, 0.1, -0.0, 18446744073709551616, "-0 1e400x"]';
  expect(misfitOfDocument(kept)).toBeUndefined();
  for (const number of ['18446744073709551617', '-0', '0.1234567890123456789'])
    expect(misfitOfDocument(`{"a": ["0.1", ${number}]}`)).toContain(`round ${number}: `);
});
