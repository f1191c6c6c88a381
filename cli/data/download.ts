/** Writes an answer of the API into a file that appears only when it is complete. */
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Failure, networkFailure } from '../base/failure.ts';
import { createProgress } from '../base/progress.ts';
import type { Session } from '../session.ts';

/** @param path of the file; only its owner may read it, because it contains data of the app @param total its size, if known */
export async function saveAs(session: Session, reply: Response, path: string, total: number | null) {
  if (reply.body === null) throw new Failure('The answer has no content.');
  const progress = createProgress(session.streams);
  const part = `${path}.part`;
  let done = 0;
  try {
    await pipeline(
      Readable.fromWeb(reply.body as Parameters<typeof Readable.fromWeb>[0]),
      async function* (chunks: AsyncIterable<Uint8Array>) {
        for await (const chunk of chunks) {
          done += chunk.length;
          progress.show('Downloading', { done, total, unit: 'bytes' });
          yield chunk;
        }
      },
      createWriteStream(part, { mode: 0o600 }),
    );
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    const isLocal = error instanceof Error && 'path' in error;
    throw isLocal
      ? new Failure(`${path} cannot be written: ${error.message}`)
      : networkFailure(error, session.context.url);
  } finally {
    progress.end();
  }
  return done;
}
