/**
 * The archive of logs in the control plane's bucket: `logs/<id>.jsonl.gz`, one line of JSON for each line of the log. It is written once,
 * when the lines are removed from their object, and read for later requests of the log (decision 0053).
 */
import type { StoredLine } from '../../domain/logs/log-intake.ts';
import { removedMax } from '../../gateways/blobs/blobs.ts';
import {
  findArchivedLog,
  forgetArchivedLogs,
  listOldArchivedLogs,
  noteArchivedLog,
  noteEmptiedLog,
} from '../../store/logs/stored-log-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { readSettings } from '../instance/change-settings.ts';
import { repeatPass } from '../repeat-pass.ts';

type Needs = Pick<Dependencies, 'db' | 'blobs' | 'now'>;

/** Keys that one call to the bucket removes. */
const archivedPerPass = removedMax;

export const archiveKey = (streamName: string) => `logs/${streamName}.jsonl.gz`;

/**
 * Writes the copy. A repeat replaces it.
 * @throws ApiError `unavailable` if the bucket fails; then the lines must not be removed
 */
export async function archiveLog(
  { db, blobs, now }: Needs,
  streamName: string,
  chunks: Iterable<StoredLine[]>,
): Promise<void> {
  const bytes = await compressed(chunks);
  const isNoted = await noteArchivedLog(db, { streamName, archivedBytes: bytes.byteLength, at: now() });
  if (isNoted) await blobs.put(archiveKey(streamName), bytes);
}

/** Stores that the log's object is empty. If the log has been deleted since, nothing else would remove its copy. */
export async function leaveToArchive(
  { db, blobs }: Needs,
  streamName: string,
  isWritten: boolean,
): Promise<void> {
  const isKept = await noteEmptiedLog(db, streamName);
  if (isWritten && !isKept) await blobs.remove([archiveKey(streamName)]);
}

/** Removes the copies of these logs. */
export async function removeArchived(
  { db, blobs }: Pick<Needs, 'db' | 'blobs'>,
  streamNames: readonly string[],
): Promise<void> {
  if (streamNames.length === 0) return;
  await blobs.remove(streamNames.map(archiveKey));
  await forgetArchivedLogs(db, streamNames);
}

/**
 * The lines of the copy, in order, a batch at a time.
 * @returns null if there is none
 * @throws ApiError `unavailable` if the bucket fails
 */
export async function readArchive(
  { db, blobs }: Pick<Needs, 'db' | 'blobs'>,
  streamName: string,
): Promise<AsyncIterable<StoredLine> | null> {
  const bytes = await findArchivedLog(db, streamName);
  if (bytes === 0) return null;
  const stream = await blobs.read(archiveKey(streamName), { first: 0, last: bytes - 1 });
  if (!stream) console.error(`The archive of the log ${streamName} is not in the bucket.`);
  return stream && linesOf(stream);
}

async function compressed(chunks: Iterable<StoredLine[]>): Promise<Uint8Array<ArrayBuffer>> {
  const gzip = new CompressionStream('gzip');
  const whole = new Response(gzip.readable).arrayBuffer();
  const writer = gzip.writable.getWriter();
  const encoder = new TextEncoder();
  try {
    for (const chunk of chunks) await writer.write(encoder.encode(chunk.map(textOf).join('')));
    await writer.close();
  } catch (error) {
    await whole.catch(() => undefined);
    throw error;
  }
  return new Uint8Array(await whole);
}

const textOf = ({ stream, at, line }: StoredLine) => `${JSON.stringify({ stream, at, line })}\n`;

/** Only this file writes the archive, so its shape is trusted. */
async function* linesOf(stream: ReadableStream): AsyncGenerator<StoredLine> {
  const text = stream.pipeThrough(new DecompressionStream('gzip')).pipeThrough(new TextDecoderStream());
  let id = 0;
  let rest = '';
  for await (const piece of text) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield { id: ++id, ...(JSON.parse(line) as Omit<StoredLine, 'id'>) };
  }
}

const dayMs = 24 * 3_600_000;
/** Allows 50,000 logs in a run. */
const passesMax = 50;

/**
 * Removes archived logs that are older than the setting `logArchiveDays`. While that is null, nothing more is archived, and archived
 * logs remain until their deployment is removed: switching the archive off must not delete it. @returns number of removed logs
 */
export async function sweepLogArchive(deps: Pick<Dependencies, 'db' | 'blobs' | 'now'>): Promise<number> {
  const { logArchiveDays } = await readSettings(deps);
  if (logArchiveDays === null) return 0;
  let removed = 0;
  await repeatPass(deps, passesMax, async () => {
    const before = deps.now() - logArchiveDays * dayMs;
    const old = await listOldArchivedLogs(deps.db, before, archivedPerPass);
    await removeArchived(deps, old);
    removed += old.length;
    return old.length === archivedPerPass;
  });
  return removed;
}
