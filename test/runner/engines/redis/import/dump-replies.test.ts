import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AskedKeys } from '../../../../../runner/engines/redis/import/asked-keys.ts';
import {
  DumpReplies,
  DumpRequests,
  type ExpiryCommand,
} from '../../../../../runner/engines/redis/import/dump-replies.ts';
import { commandBytes } from '../../../../../runner/engines/redis/resp-connection.ts';

const awkward = Buffer.from([0xff, 0x0d, 0x0a, 0x00]);

/** What comes out when these replies to these keys come in pieces of these sizes. */
function passed(
  keys: Buffer[],
  replies: Buffer,
  sizes = [replies.length],
  expiry: ExpiryCommand = 'PEXPIRETIME',
) {
  const asked = new AskedKeys();
  asked.add(keys);
  const restored: [string, number][] = [];
  const dumps = new DumpReplies(asked, {
    expiry,
    restored: (key, at) => void restored.push([key.toString('latin1'), at]),
  });
  const out: Buffer[] = [];
  for (let at = 0, turn = 0; at < replies.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    out.push(...dumps.commands(replies.subarray(at, at + size)));
    at += size;
  }
  return { commands: Buffer.concat(out), restored, isEnded: dumps.isEnded, open: asked.length };
}

const text = (value: string) => Buffer.from(value, 'latin1');
const value = (bytes: Buffer) => Buffer.concat([text(`$${bytes.length}\r\n`), bytes, text('\r\n')]);
const restore = (key: Buffer, at: number, bytes: Buffer) => ['RESTORE', key, String(at), bytes, 'ABSTTL'];

test('the dumps of a source are restored with their bytes and their times, in whatever pieces they come', () => {
  const keys = [text('a'), awkward, text(''), text('large')];
  const values = [text('x'), Buffer.concat([awkward, awkward]), text(''), Buffer.alloc(30_000, '\r\n$-1')];
  const times = [-1, 1_900_000_000_123, -1, 7];
  const replies = Buffer.concat(
    keys.flatMap((_, at) => [text(`:${times[at]}\r\n`), value(values[at] ?? Buffer.alloc(0))]),
  );
  const whole = commandBytes(
    keys.map((key, at) => restore(key, Math.max(0, times[at] ?? 0), values[at] ?? Buffer.alloc(0))),
  );
  const sizes = fc.array(fc.integer({ min: 1, max: 9_000 }), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(sizes, (sizes) => {
      const { commands, restored, isEnded, open } = passed(keys, replies, sizes);
      expect(commands.equals(whole)).toBe(true);
      expect(restored.map(([, at]) => at)).toEqual([0, 1_900_000_000_123, 0, 7]);
      expect([isEnded, open]).toEqual([false, 0]);
    }),
    { numRuns: 50 },
  );
});

test('dumps leave out keys that are gone, also one that came back without its time to live', () => {
  const replies = text(':-2\r\n$-1\r\n:-1\r\n$-1\r\n:-2\r\n$3\r\nnew\r\n:-1\r\n$4\r\nkept\r\n');
  const { commands } = passed(['gone', 'going', 'again', 'kept'].map(text), replies);
  expect(commands).toEqual(commandBytes([restore(text('kept'), 0, text('kept'))]));
});

test('dumps of a server that reports the remaining time are restored with the moment of expiry', () => {
  const before = Date.now();
  const { restored } = passed(
    [text('a'), text('b')],
    text(':60000\r\n$1\r\nx\r\n:-1\r\n$1\r\ny\r\n'),
    [5],
    'PTTL',
  );
  expect(restored).toEqual([
    ['a', expect.any(Number)],
    ['b', 0],
  ]);
  expect(restored[0]?.[1]).toBeGreaterThanOrEqual(before + 60_000);
  expect(restored[0]?.[1]).toBeLessThanOrEqual(Date.now() + 60_000);
});

test('the dumps of a source end with any answer after the last key', () => {
  expect(passed([text('a')], text(':-1\r\n$1\r\nx\r\n')).isEnded).toBe(false);
  expect(passed([text('a')], text(':-1\r\n$1\r\nx\r\n+PONG\r\n')).isEnded).toBe(true);
  expect(passed([text('a')], text(':-1\r\n$1\r\nx\r\n-NOPERM ping\r\n')).isEnded).toBe(true);
});

test.each([
  [":-1\r\n-NOPERM this user has no permissions to run the 'dump' command\r\n", /may not use DUMP.*\+dump/],
  ['-NOPERM No permissions to access a key\r\n', /may not read every key/],
  ["-ERR unknown command 'PEXPIRETIME'\r\n", /does not offer PEXPIRETIME/],
  ['-LOADING Redis is loading the dataset in memory\r\n', /LOADING.*Try again when it is ready/],
  ['-MOVED 1 10.0.0.1:6379\r\n', /part of a cluster/],
  ['HTTP/1.1 400 Bad Request\r\n', /not Redis/],
  [`:-1\r\n$${'1'.repeat(70_000)}`, /not Redis/],
])('the dumps of a source that are %j are refused with a way out', (replies, words) => {
  expect(() => passed([text('a')], text(replies))).toThrow(words);
});

test('the dumps of a source are requested with the time before the value, so that it is known when the value passes', () => {
  const [commands] = new DumpRequests('PTTL').commands([awkward]);
  expect(commands).toEqual(
    commandBytes([
      ['PTTL', awkward],
      ['DUMP', awkward],
    ]),
  );
});
