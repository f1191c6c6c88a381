/** Reads a dump to its end with the `redis-check-rdb` of the service's own version: it checks the structure and checksum, and counts. */
import type { ArchiveFile, Contents, DataPlace } from '../../archive/archive.ts';
import { toolWords } from '../../archive/run-tool.ts';
import { EngineError } from '../../engine-error.ts';

/** @returns `tables`: logical databases with keys; `rows`: keys, including those that have expired since */
export async function checkRdb(
  place: Pick<DataPlace, 'tools' | 'signal'>,
  file: ArchiveFile,
): Promise<Contents> {
  const stdin = file.pieces();
  const ended = await toolWords(place, ['redis-check-rdb', '/dev/stdin'], { stdin });
  if (ended.code !== 0) throw new EngineError('unavailable', refusalOf(ended));
  const said = ended.printed;
  const end = Number(/\[offset (\d+)\] \\o\/ RDB looks OK/.exec(said)?.[1] ?? Number.NaN);
  if (end !== file.sizeBytes) {
    throw new EngineError(
      'unavailable',
      `The dump has ${file.sizeBytes} bytes and redis-check-rdb found its end after ${end} bytes.`,
    );
  }
  return contentsOf(said);
}

/**
 * The line below the headline contains the error; the lines after it describe the part that was read.
 * https://github.com/redis/redis/blob/8.0/src/redis-check-rdb.c, `rdbCheckError`
 */
function refusalOf({ code, stderr, printed }: Awaited<ReturnType<typeof toolWords>>): string {
  const [, at, words] = /RDB ERROR DETECTED ---\s+\[offset (\d+)\] (.+)/.exec(printed) ?? [];
  if (words === undefined)
    return `redis-check-rdb ended with exit code ${code}: ${stderr || 'it named no error in the file.'}`;
  const cause = causes.find(([pattern]) => pattern.test(words))?.[1] ?? 'is damaged';
  return `The RDB file ${cause} (redis-check-rdb: ${words}, at byte ${at}).`;
}

const causes: readonly (readonly [RegExp, string])[] = [
  [/Unexpected EOF/, 'is cut off: it ends where more should follow'],
  [/CRC error/, 'is damaged: its checksum is wrong'],
  [/RDB format version/, 'is of a newer version than this Redis reads'],
];

/** The report mentions each database once, at its beginning: a server writes the databases one after the other. */
export function contentsOf(said: string): Contents {
  const rows = /\[info\] (\d+) keys read/.exec(said)?.[1];
  if (rows === undefined)
    throw new EngineError('unavailable', 'redis-check-rdb did not say how many keys it read.');
  return { tables: said.match(/Selecting DB ID \d+/g)?.length ?? 0, rows: Number(rows) };
}
