import { expect, test } from 'vitest';
import { shortestFloat } from '../../../../runner/engines/mysql/float-text.ts';

test.each([
  [16_777_216, '16777216'],
  [123_456_792, '123456792'],
  [Math.fround(1.1), '1.1'],
  [Math.fround(1.2345678), '1.2345678'],
  [Math.fround(-0.1), '-0.1'],
  [Math.fround(3.4028234e38), '3.4028234e38'],
  [-Math.fround(3.4028234e38), '-3.4028234e38'],
  [Math.fround(1e-45), '1.4013e-45'],
])('the float %d is written as %s', (value, text) => {
  expect(shortestFloat(value)).toBe(text);
});

test('every float is read back as itself, and none is above the largest that MySQL accepts', {
  tags: 'slow',
}, () => {
  const bits = new DataView(new ArrayBuffer(4));
  for (let at = 0; at < 2 ** 32; at += 40_009) {
    bits.setUint32(0, at);
    const value = bits.getFloat32(0);
    if (!Number.isFinite(value) || value === 0) continue;
    const text = shortestFloat(value);
    expect(Math.fround(Number(text)), text).toBe(value);
    expect(Math.abs(Number(text))).toBeLessThanOrEqual(2 ** 127 * (2 - 2 ** -23));
  }
});
