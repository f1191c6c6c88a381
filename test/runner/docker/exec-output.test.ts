/** The two streams of a command in a container, however the connection cuts what comes. */
import { PassThrough, Readable, Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ExecOutput } from '../../../runner/docker/exec-output.ts';

/** A frame as the daemon makes it. */
function frame(stream: 1 | 2, payload: Buffer): Buffer {
  const header = Buffer.alloc(8);
  header[0] = stream;
  header.writeUInt32BE(payload.length, 4);
  return Buffer.concat([header, payload]);
}

const frameOf = fc.tuple(fc.constantFrom(1 as const, 2 as const), fc.uint8Array({ maxLength: 40 }));

function cut(bytes: Buffer, sizes: number[]): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0, index = 0; at < bytes.length; index++) {
    const size = sizes[index % sizes.length] ?? 1;
    pieces.push(bytes.subarray(at, at + size));
    at += size;
  }
  return pieces;
}

test('every byte of standard output arrives once and in order, wherever frames and headers are cut', async () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 25 }), { minLength: 1 });
  await fc.assert(
    fc.asyncProperty(fc.array(frameOf), sizes, async (frames, pieces) => {
      const all = Buffer.concat(frames.map(([stream, payload]) => frame(stream, Buffer.from(payload))));
      const stdout = new PassThrough();
      const [, read] = await Promise.all([
        new ExecOutput(stdout).readFrom(Readable.from(cut(all, pieces))),
        buffer(stdout),
      ]);
      const expected = frames.flatMap(([stream, payload]) => (stream === 1 ? [Buffer.from(payload)] : []));
      expect(read).toEqual(Buffer.concat(expected));
    }),
  );
});

test('the first line of standard error is the process id, the rest is its output with whole letters', async () => {
  const all = Buffer.concat([
    frame(2, Buffer.from('42')),
    frame(2, Buffer.from('\nnicht ')),
    frame(1, Buffer.from('data')),
    frame(2, Buffer.from('möglich\n')),
  ]);
  const output = new ExecOutput(undefined);
  await output.readFrom(Readable.from(cut(all, [1])));
  expect([output.pid, output.stderr]).toEqual(['42', 'nicht möglich']);
});

test('the last words of a tool that prints too much are kept', async () => {
  const output = new ExecOutput(undefined);
  const said = Buffer.from(`1\n${'progress '.repeat(10_000)}the end`);
  await output.readFrom(Readable.from([frame(2, said)]));
  expect(output.stderr.length).toBeLessThanOrEqual(16 * 1024);
  expect(output.stderr).toMatch(/progress the end$/);
});

// An image of a tenant has a `sh` of its own.
test.each(['1', 'x', '\n'])(
  'a program that prints %j without end instead of its process id costs no memory',
  async (text) => {
    const output = new ExecOutput(undefined);
    const piece = frame(2, Buffer.from(text.repeat(64 * 1024)));
    let longest = 0;
    const endless = async function* () {
      for (let at = 0; at < 100; at++) {
        yield Buffer.from(piece);
        longest = Math.max(longest, output.stderr.length);
      }
    };
    await output.readFrom(Readable.from(endless()));
    expect(longest).toBeLessThanOrEqual(16 * 1024);
  },
);

test('a sink that breaks ends the reading with its error', async () => {
  const full = new Writable({ write: (_chunk, _encoding, done) => done(new Error('no space')) });
  full.on('error', () => {});
  const endless = Readable.from(
    (async function* () {
      for (;;) {
        yield frame(1, Buffer.alloc(1_000));
        await new Promise(setImmediate);
      }
    })(),
  );
  await expect(new ExecOutput(full).readFrom(endless)).rejects.toThrow('no space');
});
