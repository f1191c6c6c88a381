import { expect, test } from 'vitest';
import { usedMemory } from '../../../../runner/engines/redis/archive/memory-needed.ts';

const head = (value: number[] | Buffer) =>
  Buffer.concat([Buffer.from('REDIS0012\xfa\x08used-mem', 'latin1'), Buffer.from(value), Buffer.alloc(8)]);

test.each([
  ['8 bits', [0xc0, 100], 100],
  ['16 bits', [0xc1, 0x10, 0x27], 10_000],
  ['32 bits', [0xc2, 0x00, 0xca, 0x9a, 0x3b], 1_000_000_000],
  ['digits', [10, ...Buffer.from('5000000000')], 5_000_000_000],
  ['another encoding', [0xc3, 1, 1, 1], undefined],
])('the memory of a dump is read from %s', (_, value, bytes) => {
  expect(usedMemory(head(value))).toBe(bytes);
});

test('a dump that does not say how much memory it took, or is cut there, is not refused', () => {
  expect(usedMemory(Buffer.from('REDIS0012\xff', 'latin1'))).toBeUndefined();
  expect(usedMemory(head([0xc2]).subarray(0, 20))).toBeUndefined();
});
