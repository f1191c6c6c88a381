import { type ByteRange, entityTag } from '../domain/byte-range.ts';
import { ApiError } from '../domain/errors.ts';
import type { BackupRow } from '../store/backup-store.ts';
import type { Dependencies } from './dependencies.ts';

/** For the host to look whether the file is there. */
const openTimeoutMs = 10_000;

/**
 * The file of a backup, or a part of it, from the host's disk as the host sends it: nothing is buffered, and a client that leaves stops it.
 * @param range null: it lies beyond the end of the file
 * @throws ApiError `conflict` for a backup that did not succeed or has no copy left; `runner_offline`; `unavailable`
 */
export async function sendBackup(
  deps: Pick<Dependencies, 'hubs' | 'transfers' | 'newId'>,
  { backup, service }: { backup: BackupRow; service: { id: string; runnerId: string } },
  range: ByteRange | null,
): Promise<Response> {
  if (backup.status !== 'succeeded') {
    throw new ApiError('conflict', `This backup is ${backup.status}: only one that succeeded has a file.`);
  }
  if (range === null) {
    return new Response(null, { status: 416, headers: { 'content-range': `bytes */${backup.sizeBytes}` } });
  }
  const { first, last } = range;
  const transferId = deps.newId('transfer');
  const ask = {
    op: 'send-backup' as const,
    backupId: backup.id,
    serviceId: service.id,
    transferId,
    offset: first,
    end: last + 1,
  };
  const opened = await deps.hubs.request(service.runnerId, ask, openTimeoutMs);
  if (!opened.ok) throw new ApiError('conflict', opened.message);
  const body = await deps.transfers.receive(transferId, last + 1 - first);
  return new Response(body, { status: range.isPart ? 206 : 200, headers: headersOf(backup, range) });
}

function headersOf(backup: BackupRow, { first, last, isPart }: ByteRange): HeadersInit {
  return {
    'content-type': 'application/octet-stream',
    'content-length': String(last + 1 - first),
    'content-disposition': `attachment; filename="${fileNameOf(backup)}"`,
    'accept-ranges': 'bytes',
    etag: entityTag(backup),
    ...(isPart ? { 'content-range': `bytes ${first}-${last}/${backup.sizeBytes}` } : {}),
  };
}

const extensions = {
  custom: 'dump',
  sql: 'sql.gz',
  rdb: 'rdb',
  archive: 'archive.gz',
  native: 'tar',
} as const;

const fileNameOf = ({ id, engine, format, createdAt }: BackupRow) =>
  `${engine}-${new Date(createdAt).toISOString().replaceAll(':', '-').slice(0, 19)}-${id}.${extensions[format]}`;
