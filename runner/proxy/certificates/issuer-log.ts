/** Follows Caddy's log with the reasons why a CA issued no certificate. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { FailureReader, type IssuerFailure } from './issuer-failure.ts';

export interface IssuerLog {
  /** The last failure of this name since following started; each failure is a new object. */
  failureOf(hostname: string): IssuerFailure | undefined;
}

/** Bytes per read; the rest is read at the next poll. */
const readBytesMax = 256 * 1024;

/** Follows from the current end of the log. When Caddy rotates the log, continues with the new file. */
export function followIssuerLog(file: string): IssuerLog {
  const reader = new FailureReader();
  const failures = new Map<string, IssuerFailure>();
  let place = { inode: 0, offset: 0 };
  let rest = Buffer.alloc(0);

  /** @param skip treats the present content as already read */
  function readNew(skip: boolean): void {
    let descriptor: number;
    try {
      descriptor = openSync(file, 'r');
    } catch {
      return; // Caddy creates the file with its first line.
    }
    try {
      const { ino, size } = fstatSync(descriptor);
      if (ino !== place.inode || size < place.offset) {
        place = { inode: ino, offset: 0 };
        rest = Buffer.alloc(0);
      }
      if (skip) place.offset = size;
      const bytes = Buffer.alloc(Math.min(readBytesMax, size - place.offset));
      const read = readSync(descriptor, bytes, 0, bytes.length, place.offset);
      place.offset += read;
      take(bytes.subarray(0, read));
    } finally {
      closeSync(descriptor);
    }
  }

  function take(bytes: Buffer): void {
    const all = Buffer.concat([rest, bytes]);
    const end = all.lastIndexOf('\n') + 1;
    rest = Buffer.from(all.subarray(end));
    for (const line of all.subarray(0, end).toString('utf8').split('\n')) {
      const ended = reader.take(line);
      if (ended) failures.set(ended.hostname, ended.failure);
    }
  }

  readNew(true);
  return {
    failureOf(hostname) {
      readNew(false);
      return failures.get(hostname);
    },
  };
}
