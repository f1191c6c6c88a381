import { once } from 'node:events';
import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { TarWriter } from '../../../../runner/engines/archive/tar-file.ts';

/** A file on a disk that never finishes its first write. */
class StuckFile extends Writable {
  override _write(): void {
    this.emit('reached');
  }
}

test('a tar whose disk is slow is aborted in the middle of a file, with the reason, and nothing else fails', async () => {
  const aborting = new AbortController();
  const reason = new Error('the disk is full');
  const stuck = new StuckFile({ highWaterMark: 1024 });
  stuck.on('error', () => {});
  const reached = once(stuck, 'reached');
  const tar = new TarWriter(stuck, aborting.signal);
  const bytes = Buffer.alloc(2 ** 20);
  const added = Promise.allSettled([tar.add('one', bytes), tar.add('two', bytes), tar.add('three', bytes)]);
  await reached;
  aborting.abort(reason);
  const aborted = { name: 'AbortError', cause: reason };
  const [, ...waiting] = await added;
  expect(waiting).toMatchObject([{ reason: aborted }, { reason: aborted }]);
  await expect(tar.add('four', bytes)).rejects.toThrow();
});
