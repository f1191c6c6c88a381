import { expect, test } from 'vitest';
import { ExpiryCounts } from '../../../../../runner/engines/redis/import/expiry-counts.ts';
import { RestoreReplies } from '../../../../../runner/engines/redis/import/restore-replies.ts';

function replies(keys: [name: string, expiresAt: number][], now = 0) {
  const expiries = new ExpiryCounts(now);
  const read = new RestoreReplies(expiries);
  for (const [name, expiresAt] of keys) read.sent(Buffer.from(name), expiresAt);
  return { read, expiries };
}

test('answers of the filled server are counted, and a key that SCAN returned twice counts once', () => {
  const { read } = replies([
    ['a', 0],
    ['b', 0],
    ['a', 0],
  ]);
  for (const piece of ['+O', 'K\r\n+OK\r', '\n-BUSYKEY Target key name already exists.\r\n'])
    read.read(Buffer.from(piece));
  expect([read.restored, read.held]).toEqual([2, undefined]);
  read.read(Buffer.from(':2\r\n'));
  expect(read.held).toBe(2);
});

test('a refusal of the filled server is reported with its key', () => {
  const { read } = replies([
    ['a', 0],
    ['second', 0],
  ]);
  expect(() => read.read(Buffer.from('+OK\r\n-ERR Bad data format\r\n'))).toThrow(
    expect.objectContaining({ message: 'ERR Bad data format', key: Buffer.from('second') }),
  );
});

test('a key counts as expired from the second of its expiry on; a repeated key, or one without expiry, never does', () => {
  const now = 1_800_000_000_000;
  const { read, expiries } = replies(
    [
      ['past', now - 5_000],
      ['soon', now + 2_500],
      ['soon', now + 2_500],
      ['later', now + 3_600_000],
      ['next year', now + 365 * 86_400_000],
      ['stays', 0],
    ],
    now,
  );
  read.read(Buffer.from('+OK\r\n+OK\r\n-BUSYKEY\r\n+OK\r\n+OK\r\n+OK\r\n'));
  expect([0, 1_900, 2_000, 3_599_000, 3_600_000].map((ms) => expiries.dueBy(now + ms))).toEqual([
    1, 1, 2, 2, 3,
  ]);
});
