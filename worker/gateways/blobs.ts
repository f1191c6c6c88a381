/**
 * The bucket of the control plane, where remote copies of backups lie. The interface says nothing of R2: another store of objects that
 * takes parts can stand behind it.
 */
import { copyPartBytes } from '../../protocol/backup-copy.ts';
import type { ByteRange } from '../domain/byte-range.ts';
import { ApiError } from '../domain/errors.ts';

/** A part of an upload that came whole, from the first one on. */
export type PartTag = string;

export interface Blobs {
  /**
   * Why nothing can be kept in the bucket, as a sentence; null when an object could be written, read and removed. Remembered for a
   * minute in the isolate. @param isFresh looks again
   */
  trouble(isFresh?: boolean): Promise<string | null>;
  /** Bytes of an object; null when there is none. */
  size(key: string): Promise<number | null>;
  /** Null when there is none. A stream that breaks off is an error to its reader. */
  read(key: string, range: Pick<ByteRange, 'first' | 'last'>): Promise<ReadableStream | null>;
  /** What is not there is no error. At most 1,000 keys. */
  remove(keys: string[]): Promise<void>;
  /** Removes what lies below a prefix, 1,000 objects at most. @returns how many went */
  removeBelow(prefix: string): Promise<number>;
  /** Begins an upload in parts. @param owner is kept with the object @returns the upload's id */
  begin(key: string, owner: string): Promise<string>;
  /** @param body of known length @throws ApiError `conflict` when there is no such upload (any more) */
  putPart(upload: UploadRef, part: number, body: ReadableStream): Promise<PartTag>;
  /** Makes the object; the same completion again finds it made. @throws ApiError `conflict` likewise, or for parts that did not come */
  complete(upload: UploadRef, owner: string, tags: readonly PartTag[]): Promise<void>;
  /** Takes an upload back, with all its parts; one that is over is no error. */
  abort(upload: UploadRef): Promise<void>;
}

export interface UploadRef {
  key: string;
  id: string;
}

const probedForMs = 60_000;
/** A client waits for the answer. */
const probeTimeoutMs = 5_000;
/** An object is read in pieces of this size: what serves it here, on one machine, holds a whole answer in memory. */
const pieceBytes = copyPartBytes;
const removedMax = 1_000;

/** By bucket, since the gateway is made anew for each request. */
const probes = new WeakMap<object, { at: number; trouble: string | null }>();

export function createBlobs(bucket: R2Bucket, now: () => number = Date.now): Blobs {
  const resumed = ({ key, id }: UploadRef) => bucket.resumeMultipartUpload(key, id);
  return {
    async trouble(isFresh = false) {
      const known = probes.get(bucket);
      if (known && !isFresh && now() - known.at < probedForMs) return known.trouble;
      const trouble = await probe(bucket);
      probes.set(bucket, { at: now(), trouble });
      return trouble;
    },
    size: async (key) => (await reached(bucket.head(key)))?.size ?? null,
    read: (key, range) => read(bucket, key, range),
    remove: (keys) => reached(bucket.delete(keys)),
    async removeBelow(prefix) {
      const { objects } = await reached(bucket.list({ prefix, limit: removedMax }));
      if (objects.length > 0) await reached(bucket.delete(objects.map(({ key }) => key)));
      return objects.length;
    },
    begin: async (key, owner) =>
      (await reached(bucket.createMultipartUpload(key, { customMetadata: { owner } }))).uploadId,
    putPart: async (upload, part, body) => (await reached(resumed(upload).uploadPart(part, body))).etag,
    async complete(upload, owner, tags) {
      const parts = tags.map((etag, index) => ({ etag, partNumber: index + 1 }));
      try {
        await reached(resumed(upload).complete(parts));
      } catch (error) {
        // The answer to the first attempt may have got lost.
        const made = await bucket.head(upload.key).catch(() => null);
        if (made?.customMetadata?.owner !== owner) throw error;
      }
    },
    async abort(upload) {
      await reached(resumed(upload).abort()).catch((error: unknown) => {
        if (!(error instanceof ApiError && error.code === 'conflict')) throw error;
      });
    },
  };
}

/** @returns why it failed; null when all went well */
async function probe(bucket: R2Bucket): Promise<string | null> {
  const key = `probe/${crypto.randomUUID()}`;
  const tried = async () => {
    await bucket.put(key, key);
    const found = await (await bucket.get(key))?.text();
    await bucket.delete(key);
    return found === key ? null : 'what was written could not be read again';
  };
  const late = scheduler
    .wait(probeTimeoutMs)
    .then(() => `it did not answer within ${probeTimeoutMs / 1000} s`);
  return Promise.race([tried().catch(sentenceOf), late]);
}

async function read(
  bucket: R2Bucket,
  key: string,
  { first, last }: Pick<ByteRange, 'first' | 'last'>,
): Promise<ReadableStream | null> {
  const piece = async (offset: number) => {
    const length = Math.min(pieceBytes, last + 1 - offset);
    return (await reached(bucket.get(key, { range: { offset, length } })))?.body ?? null;
  };
  const begin = await piece(first);
  if (begin === null || last + 1 - first <= pieceBytes) return begin;
  const { readable, writable } = new FixedLengthStream(last + 1 - first);
  const rest = async () => {
    await begin.pipeTo(writable, { preventClose: true });
    for (let offset = first + pieceBytes; offset <= last; offset += pieceBytes) {
      const next = await piece(offset);
      if (next === null) throw new Error(`${key} was removed while it was read.`);
      await next.pipeTo(writable, { preventClose: true });
    }
    await writable.close();
  };
  // Its reader is told by the stream; one that has left has broken it.
  rest().catch((error: unknown) => writable.abort(error).catch(() => {}));
  return readable;
}

/** R2's words for an upload that is over or was never begun, and for parts that it doesn't have: 10024, 10025. */
const noSuchUpload = /\((?:10024|10025)\)/;

async function reached<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    const why = sentenceOf(cause);
    if (noSuchUpload.test(why)) throw new ApiError('conflict', `The upload is over: ${why}`, { cause });
    throw new ApiError('unavailable', `The bucket of the control plane did not take this: ${why}`, { cause });
  }
}

const sentenceOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
