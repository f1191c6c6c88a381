import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Reply, ReplyTooLarge, RespReader } from '../../../../runner/engines/redis/resp-reader.ts';

/** The bytes in pieces of these sizes, over and over. */
async function* pieces(text: string, sizes: number[]): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text, 'latin1');
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}
const reader = (text: string, sizes = [1_000]) => new RespReader(pieces(text, sizes));
const caps = { itemsMax: 1_000, bytesMax: 10_000 };
const text = (value: string): Reply => ({ type: 'string', value: Buffer.from(value, 'latin1') });

const everything =
  '*11\r\n+OK\r\n:-9223372036854775808\r\n$4\r\na\r\nb\r\n$-1\r\n_\r\n#t\r\n,1.5\r\n(123456789012345678901234567890\r\n' +
  '=7\r\ntxt:a\r\n\r\n%1\r\n+k\r\n~1\r\n,inf\r\n-ERR no\r\n';
const everythingRead: Reply = {
  type: 'array',
  items: [
    text('OK'),
    { type: 'integer', value: '-9223372036854775808' },
    text('a\r\nb'),
    { type: 'null' },
    { type: 'null' },
    { type: 'boolean', value: true },
    { type: 'double', value: '1.5' },
    { type: 'integer', value: '123456789012345678901234567890' },
    text('a\r\n'),
    { type: 'map', entries: [[text('k'), { type: 'set', items: [{ type: 'double', value: 'inf' }] }]] },
    { type: 'error', value: 'ERR no' },
  ],
};

test('a reply of Redis is the same in whatever pieces it comes, and ends where it ends', async () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(sizes, async (sizes) => {
      const read = reader(`${everything}>2\r\n+message\r\n+x\r\n:7\r\n`, sizes);
      expect(await read.reply({ bytesLeft: 10_000 })).toEqual(everythingRead);
      expect(await read.reply({ bytesLeft: 10_000 })).toEqual({ type: 'integer', value: '7' });
    }),
  );
});

test('a reply of Redis is cut after whole items, by number and by size', async () => {
  const list = '*3\r\n$3\r\naaa\r\n$3\r\nbbb\r\n$3\r\nccc\r\n';
  const two = { reply: { type: 'array', items: [text('aaa'), text('bbb')] }, truncated: true };
  expect(await reader(list).cappedReply({ ...caps, itemsMax: 2 })).toEqual(two);
  expect(await reader(list).cappedReply({ ...caps, bytesMax: 25 })).toEqual(two);
  expect((await reader(list).cappedReply({ ...caps, itemsMax: 3 })).truncated).toBe(false);
  const map = await reader('%2\r\n+a\r\n:1\r\n+b\r\n:2\r\n').cappedReply({ ...caps, itemsMax: 1 });
  expect(map).toEqual({
    reply: { type: 'map', entries: [[text('a'), { type: 'integer', value: '1' }]] },
    truncated: true,
  });
});

test('a reply of Redis that is too large is not waited for: its length is enough', async () => {
  const announced = '$999999999999\r\nabc';
  await expect(reader(announced).reply({ bytesLeft: 1_000 })).rejects.toBeInstanceOf(ReplyTooLarge);
  expect(await reader(announced).cappedReply(caps)).toEqual({
    reply: { type: 'array', items: [] },
    truncated: true,
  });
  await expect(reader('*999999999\r\n').reply({ bytesLeft: 1_000 })).rejects.toThrow('closed');
});

test('a reply of Redis that is malformed, endless or endlessly nested is an error', async () => {
  for (const broken of [
    'HTTP/1.1 400\r\n',
    '*2\r\n+a\r\n',
    '$5\r\nab',
    '',
    '*1\r\n'.repeat(100),
    'x'.repeat(70_000),
  ]) {
    await expect(reader(broken).reply({ bytesLeft: 1e6 }), broken.slice(0, 20)).rejects.toThrow(Error);
  }
});
