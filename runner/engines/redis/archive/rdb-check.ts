/** `redis-check-rdb` of the service's own version reads a dump to its end: structure, checksum, and what it holds. */
import type { ArchiveFile, Contents, DataPlace } from '../../archive/archive.ts';
import { runTool } from '../../archive/run-tool.ts';
import { EngineError } from '../../engine-error.ts';

/** @returns `tables`: logical databases with keys; `rows`: keys, those that have expired since included */
export async function checkRdb(
  place: Pick<DataPlace, 'tools' | 'signal'>,
  file: ArchiveFile,
): Promise<Contents> {
  const said = await runTool(place, ['redis-check-rdb', '/dev/stdin'], { stdin: file.pieces() });
  const end = Number(/\[offset (\d+)\] \\o\/ RDB looks OK/.exec(said)?.[1] ?? Number.NaN);
  if (end !== file.sizeBytes) {
    throw new EngineError(
      'unavailable',
      `The dump has ${file.sizeBytes} bytes and redis-check-rdb found its end after ${end}.`,
    );
  }
  return contentsOf(said);
}

/** Its report names each database as it comes to it, once: a server writes them one after the other. */
export function contentsOf(said: string): Contents {
  const rows = /\[info\] (\d+) keys read/.exec(said)?.[1];
  if (rows === undefined)
    throw new EngineError('unavailable', 'redis-check-rdb did not say how many keys it read.');
  return { tables: said.match(/Selecting DB ID \d+/g)?.length ?? 0, rows: Number(rows) };
}
