/**
 * Runs `redis-cli --rdb -`: the server forks and streams a snapshot, as to a replica. Nothing is written in its container.
 * `redis-check-rdb` counts the dump in transit.
 */
import { once } from 'node:events';
import { PassThrough, Transform, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { DataPlace, DumpedContents } from '../../archive/archive.ts';
import { runTool } from '../../archive/run-tool.ts';
import { EngineError } from '../../engine-error.ts';
import { fullOf } from '../resp-connection.ts';
import { cliEnvironment } from './cli.ts';
import { contentsOf } from './rdb-check.ts';
import { userName, usersOf } from './users.ts';

/** A transfer without an announced length ends with a mark of this many hexadecimal digits. */
const markBytes = 40;
const mark = /^[0-9a-f]{40}$/;
/** The interval of progress reports. */
const progressEveryBytes = 4 * 1024 * 1024;

export async function dump(place: DataPlace, sink: Writable): Promise<DumpedContents> {
  const { tools, signal } = place;
  const printed = new WithoutMark();
  const counted = new PassThrough();
  counted.on('error', () => {}); // the reader of the stream reports the error
  const [written, ended, contents] = await Promise.allSettled([
    pipeline(printed, (chunks: AsyncIterable<Buffer>) => passing(chunks, counted, place), sink),
    tools
      .run(['redis-cli', '--rdb', '-'], { env: cliEnvironment(place), stdout: printed, signal })
      .catch((error: Error) => {
        printed.destroy(error);
        throw error;
      }),
    runTool(place, ['redis-check-rdb', '/dev/stdin'], { stdin: counted }),
  ]);
  signal.throwIfAborted();
  if (ended.status === 'fulfilled' && ended.value.code !== 0) {
    const { code, stderr } = ended.value;
    throw (
      fullOf(stderr) ?? new EngineError('unavailable', `redis-cli ended with exit code ${code}: ${stderr}`)
    );
  }
  if (written.status === 'rejected') throw written.reason;
  if (ended.status === 'rejected') throw ended.reason;
  if (contents.status === 'rejected') throw contents.reason;
  return { ...contentsOf(contents.value), notKept: usersNotKept(await usersOf(place)) };
}

function usersNotKept(users: readonly string[]): string[] {
  if (users.length === 0) return [];
  const names = users.map(userName).join(', ');
  return [
    `Not in the backup: the users ${names}, because an RDB file contains no users. They stay with this service; create them again after a restore into another one.`,
  ];
}

/** Passes each piece on, and also to the tool that counts. If that tool ends early, the dump continues without it. */
async function* passing(chunks: AsyncIterable<Buffer>, counted: PassThrough, { progress }: DataPlace) {
  let done = 0;
  let reportedAt = 0;
  try {
    for await (const chunk of chunks) {
      if (!counted.destroyed && !counted.write(chunk)) {
        await Promise.race([once(counted, 'drain'), once(counted, 'close')]);
      }
      yield chunk;
      done += chunk.length;
      if (done - reportedAt < progressEveryBytes) continue;
      reportedAt = done;
      progress({ done, total: null, unit: 'bytes' });
    }
  } finally {
    counted.end();
  }
}

/** An RDB file ends with 0xFF and an eight-byte checksum, so forty hexadecimal digits at the end are never part of it. */
class WithoutMark extends Transform {
  #held: Buffer = Buffer.alloc(0);

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    const bytes = Buffer.concat([this.#held, chunk]);
    const end = Math.max(0, bytes.length - markBytes);
    this.#held = bytes.subarray(end);
    if (end > 0) this.push(bytes.subarray(0, end));
    done();
  }

  override _flush(done: () => void): void {
    if (!mark.test(this.#held.toString('latin1'))) this.push(this.#held);
    done();
  }
}
