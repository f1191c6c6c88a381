import { plainBytesOf } from '../../../protocol/backup-encryption.ts';
import { requestPlace } from '../../../protocol/sealed-box.ts';
import { ApiError, absent } from '../../domain/errors.ts';
import { type ByteRange, byteRange, entityTag } from '../../domain/values/byte-range.ts';
import { decryptBackup } from '../../security/backup-identity.ts';
import { sealBox } from '../../security/sealed-box.ts';
import type { BackupRow } from '../../store/backups/backup-store.ts';
import { selectRunner } from '../../store/hosts/runner-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { openBackupIdentity } from './backup-keys.ts';
import { assertSucceeded } from './backup-subjects.ts';
import { goneFromBucket } from './read-backup-copy.ts';

/** Time for the host to open the file. */
const openTimeoutMs = 10_000;

type Needs = Pick<Dependencies, 'db' | 'envelope' | 'hubs' | 'transfers' | 'blobs' | 'newId' | 'fingerprint'>;
interface Sent {
  backup: BackupRow;
  service: { id: string; runnerId: string };
  /** Decrypts the sent bytes; undefined if they are sent as stored. */
  identity?: string | undefined;
}
/** The content for the client. */
interface Content {
  sizeBytes: number;
  /** Checksum of the sent bytes or, for decrypted bytes, its replacement in the entity tag. */
  checksum: string;
  isDecrypted: boolean;
}

/**
 * Sends the file of a backup or a part of it: streamed from the host's disk, or from the bucket if no connected host has a copy. Nothing
 * is buffered, and a client that disconnects stops the transfer.
 * @param asked `isStored`: an encrypted file is sent as stored, without decryption
 * @throws ApiError `conflict` for a backup that did not succeed, has no copy left, or whose key is lost; `runner_offline`; `unavailable`
 */
export async function sendBackup(
  deps: Needs,
  { backup, service }: Omit<Sent, 'identity'>,
  asked: { headers: Headers; isStored: boolean },
): Promise<Response> {
  assertSucceeded(backup, 'has a file');
  const content = contentOf(backup, asked.isStored);
  const range = byteRange(asked.headers, content);
  if (range === null) {
    return new Response(null, { status: 416, headers: { 'content-range': `bytes */${content.sizeBytes}` } });
  }
  const { encryptedWith } = backup;
  const identity =
    content.isDecrypted && encryptedWith !== null ? await openBackupIdentity(deps, encryptedWith) : undefined;
  const body = await bodyOf(deps, { backup, service, identity }, range);
  return new Response(body, { status: range.isPart ? 206 : 200, headers: headersOf(backup, content, range) });
}

function contentOf({ encryptedWith, sizeBytes, checksum }: BackupRow, isStored: boolean): Content {
  if (encryptedWith === null || isStored) return { sizeBytes, checksum, isDecrypted: false };
  return { sizeBytes: plainBytesOf(sizeBytes), checksum: `${checksum}-decrypted`, isDecrypted: true };
}

async function bodyOf(deps: Needs, sent: Sent, range: ByteRange): Promise<ReadableStream> {
  const { localPath, remoteKey } = sent.backup;
  if (localPath === null && remoteKey !== null) return fromBucket(deps, sent, remoteKey, range);
  try {
    return await fromHost(deps, sent, range);
  } catch (error) {
    if (!(error instanceof ApiError) || remoteKey === null) throw error;
    return fromBucket(deps, sent, remoteKey, range);
  }
}

async function fromHost(deps: Needs, { backup, service, identity }: Sent, { first, last }: ByteRange) {
  const transferId = deps.newId('transfer');
  const ask = {
    op: 'send-backup' as const,
    backupId: backup.id,
    serviceId: service.id,
    transferId,
    transferToken: await deps.fingerprint('transfer', transferId),
    offset: first,
    end: last + 1,
    ...(identity !== undefined && { sealedIdentity: await sealedFor(deps, service.runnerId, identity) }),
  };
  const opened = await deps.hubs.request(service.runnerId, ask, openTimeoutMs);
  if (!opened.ok) throw new ApiError('conflict', opened.message);
  return deps.transfers.receive(transferId, last + 1 - first);
}

async function sealedFor({ db }: Needs, runnerId: string, identity: string): Promise<string> {
  const [found] = await selectRunner(db, runnerId);
  if (!found) throw absent('host');
  return sealBox(found.runner.sealingKey, requestPlace(runnerId, 'send-backup'), identity);
}

async function fromBucket({ blobs }: Needs, { backup, identity }: Sent, key: string, range: ByteRange) {
  const read = identity === undefined ? range : { first: 0, last: backup.sizeBytes - 1 };
  const body = await blobs.read(key, read);
  if (body === null) throw goneFromBucket();
  return identity === undefined ? body : partOf(await decryptBackup(identity, body), range);
}

/** The chunks before a range are decrypted as well, so a resumed download costs as much as a whole one. */
function partOf(whole: ReadableStream<Uint8Array>, { first, last }: ByteRange): ReadableStream {
  let at = 0;
  return whole.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        const part = chunk.subarray(Math.max(0, first - at), Math.max(0, last + 1 - at));
        at += chunk.length;
        if (part.length > 0) controller.enqueue(part);
        if (at > last) controller.terminate();
      },
    }),
  );
}

function headersOf(backup: BackupRow, content: Content, { first, last, isPart }: ByteRange): HeadersInit {
  const { sizeBytes, isDecrypted } = content;
  return {
    'content-type': 'application/octet-stream',
    'content-length': String(last + 1 - first),
    'content-disposition': `attachment; filename="${fileNameOf(backup)}${backup.encryptedWith === null || isDecrypted ? '' : '.age'}"`,
    'accept-ranges': 'bytes',
    etag: entityTag(content),
    // Decrypted bytes have no stored checksum: each chunk was authenticated during decryption.
    ...(!isDecrypted && { 'repr-digest': digestOf(backup.checksum) }),
    ...(isPart ? { 'content-range': `bytes ${first}-${last}/${sizeBytes}` } : {}),
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
  tar: 'tar.gz',
} as const;

const fileNameOf = ({ id, engine, format, createdAt }: BackupRow) =>
  `${engine}-${new Date(createdAt).toISOString().replaceAll(':', '-').slice(0, 19)}-${id}.${extensions[format]}`;
