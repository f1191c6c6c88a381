/** @module-tag slow */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { pack } from 'tar-stream';
import { expect, test } from 'vitest';
import { TarCounter } from '../../../../../runner/jobs/data/files/tar-counter.ts';

const piece = Buffer.alloc(64 * 1024);

/** An archive with one file of zeros. */
async function* archiveOf(size: number): AsyncGenerator<Buffer> {
  const tar = pack();
  tar.entry({ name: './file', size }).on('error', () => {});
  for await (const header of tar) {
    yield header as Buffer;
    break;
  }
  for (let sent = 0; sent < size; sent += piece.length) yield piece;
}

test('memory does not grow with the size of an archive', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const used = () => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  const counter = new TarCounter();
  const size = 4 * 2 ** 30;
  let [at, first, last] = [0, 0, 0];
  async function* measured() {
    for await (const chunk of archiveOf(size)) {
      at += 1;
      if (at === 1_000) first = used();
      if (at === size / piece.length) last = used();
      yield chunk;
    }
  }
  await counter.drain(measured());
  expect(await counter.end()).toMatchObject({ rows: 1, bytes: size });
  expect((last - first) / 2 ** 20).toBeLessThan(5);
}, 60_000);

test('a path that leads out of the volume ends the reading in the middle of an archive', async () => {
  const tar = pack();
  tar.entry({ name: '../evil' }, 'x'.repeat(1_000));
  tar.entry({ name: './other' }, Buffer.alloc(5_000_000));
  tar.finalize();
  const counter = new TarCounter();
  const reading = counter.drain(tar as AsyncIterable<Buffer>).then(() => counter.end());
  await expect(reading).rejects.toThrow('leads out of the volume');
});
