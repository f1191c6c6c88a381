import { type ByteRange, entityTag } from '../../domain/byte-range.ts';
import { ApiError } from '../../domain/errors.ts';
import type { BackupRow } from '../../store/backup-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { goneFromBucket } from './read-backup-copy.ts';

/** Time for the host to open the file. */
const openTimeoutMs = 10_000;

type Needs = Pick<Dependencies, 'hubs' | 'transfers' | 'blobs' | 'newId' | 'fingerprint'>;
interface Sent {
  backup: BackupRow;
  service: { id: string; runnerId: string };
}

/**
 * Sends the file of a backup or a part of it: streamed from the host's disk, or from the bucket if no connected host has a copy. Nothing
 * is buffered, and a client that disconnects stops the transfer.
 * @param range null: beyond the end of the file
 * @throws ApiError `conflict` for a backup that did not succeed or has no copy left; `runner_offline`; `unavailable`
 */
export async function sendBackup(deps: Needs, sent: Sent, range: ByteRange | null): Promise<Response> {
  const { backup } = sent;
  if (backup.status !== 'succeeded') {
    throw new ApiError('conflict', `This backup is ${backup.status}: only a successful backup has a file.`);
  }
  if (range === null) {
    return new Response(null, { status: 416, headers: { 'content-range': `bytes */${backup.sizeBytes}` } });
  }
  const body = await bodyOf(deps, sent, range);
  return new Response(body, { status: range.isPart ? 206 : 200, headers: headersOf(backup, range) });
}

async function bodyOf(deps: Needs, sent: Sent, range: ByteRange): Promise<ReadableStream> {
  const { localPath, remoteKey } = sent.backup;
  if (localPath === null && remoteKey !== null) return fromBucket(deps, remoteKey, range);
  try {
    return await fromHost(deps, sent, range);
  } catch (error) {
    if (!(error instanceof ApiError) || remoteKey === null) throw error;
    return fromBucket(deps, remoteKey, range);
  }
}

async function fromHost(deps: Needs, { backup, service }: Sent, { first, last }: ByteRange) {
  const transferId = deps.newId('transfer');
  const ask = {
    op: 'send-backup' as const,
    backupId: backup.id,
    serviceId: service.id,
    transferId,
    transferToken: await deps.fingerprint('transfer', transferId),
    offset: first,
    end: last + 1,
  };
  const opened = await deps.hubs.request(service.runnerId, ask, openTimeoutMs);
  if (!opened.ok) throw new ApiError('conflict', opened.message);
  return deps.transfers.receive(transferId, last + 1 - first);
}

async function fromBucket({ blobs }: Pick<Needs, 'blobs'>, key: string, range: ByteRange) {
  const body = await blobs.read(key, range);
  if (body === null) throw goneFromBucket();
  return body;
}

function headersOf(backup: BackupRow, { first, last, isPart }: ByteRange): HeadersInit {
  return {
    'content-type': 'application/octet-stream',
    'content-length': String(last + 1 - first),
    'content-disposition': `attachment; filename="${fileNameOf(backup)}"`,
    'accept-ranges': 'bytes',
    etag: entityTag(backup),
    'repr-digest': digestOf(backup.checksum),
    ...(isPart ? { 'content-range': `bytes ${first}-${last}/${backup.sizeBytes}` } : {}),
  };
}

/** The checksum of the whole file, also with a part of it, so that clients notice damage: RFC 9530, section 3. */
function digestOf(checksum: string): string {
  const bytes = checksum.replace('sha256:', '').match(/../g) ?? [];
  return `sha-256=:${btoa(String.fromCharCode(...bytes.map((hex) => Number.parseInt(hex, 16))))}:`;
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
