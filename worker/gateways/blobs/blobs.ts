/** The control plane's bucket for backup copies and uploads: R2, or the bucket that the operator has set. The interface fits both. */

import { ApiError } from '../../domain/errors.ts';
import type { ByteRange } from '../../domain/values/byte-range.ts';

/** Tag of a completely received part of an upload. Parts count from 1. */
export type PartTag = string;

export type Range = Pick<ByteRange, 'first' | 'last'>;

export interface Blobs {
  /**
   * The reason why the bucket does not work, as a sentence; null if a test object could be written, read and deleted. The isolate caches the
   * result for a minute. @param isFresh tests again
   */
  trouble(isFresh?: boolean): Promise<string | null>;
  /** Size of an object in bytes; null if it does not exist. */
  size(key: string): Promise<number | null>;
  /** Null if the object does not exist. If the stream breaks off, the reader gets an error. */
  read(key: string, range: Range): Promise<ReadableStream | null>;
  /** Deletes at most 1,000 objects; missing ones are ignored. */
  remove(keys: string[]): Promise<void>;
  /** Deletes objects below a prefix, at most 1,000. @returns number of deleted objects */
  removeBelow(prefix: string): Promise<number>;
  /** Names of objects below a prefix in byte order, at most 1,000. @param after only names after this one */
  list(prefix: string, after: string): Promise<ListedKeys>;
  /** Writes a small object, or replaces it. */
  put(key: string, bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  /** Starts an upload in parts. @param owner is stored with the object @returns the upload's id */
  begin(key: string, owner: string): Promise<string>;
  /** @param body of known length @throws ApiError `conflict` if the upload does not exist, or no longer exists */
  putPart(upload: UploadRef, part: number, body: ReadableStream): Promise<PartTag>;
  /** Joins the parts into the object; safe to repeat. @throws ApiError `conflict` if the upload does not exist, or parts are missing */
  complete(upload: UploadRef, owner: string, tags: readonly PartTag[]): Promise<void>;
  /** Aborts an upload and deletes its parts; no effect on a finished upload. */
  abort(upload: UploadRef): Promise<void>;
  /**
   * Aborts uploads below a prefix that were started before a time, a few per call; none if the bucket does that itself.
   * @returns number of aborted uploads
   */
  abortStaleUploads(prefix: string, before: number): Promise<number>;
}

export interface ListedKeys {
  keys: string[];
  /** Whether there are more names after these. */
  more: boolean;
}

export interface UploadRef {
  key: string;
  id: string;
}

/** The part of `Blobs` that each kind of bucket implements. */
export type BlobStore = Omit<Blobs, 'trouble'> & {
  /** Tests the bucket, without caching. */
  probe(): Promise<string | null>;
};

export const removedMax = 1_000;

/**
 * @param isOver whether the failure means that the upload has ended or lacks parts, so that a retry is useless
 * @throws ApiError `conflict`, `unavailable`
 */
export async function reached<T>(work: Promise<T>, isOver: (error: unknown) => boolean): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    const why = sentenceOf(cause);
    if (isOver(cause)) throw new ApiError('conflict', `The upload has ended: ${why}`, { cause });
    throw new ApiError('unavailable', `The control plane's bucket failed: ${why}`, { cause });
  }
}

/**
 * Completes an upload. After an error it checks whether an earlier completion, whose response was lost, already succeeded. @param ownerNow owner of
 * the existing object; null for none
 */
export async function completeOnce(
  complete: () => Promise<unknown>,
  owner: string,
  ownerNow: () => Promise<string | null>,
): Promise<void> {
  try {
    await complete();
  } catch (error) {
    if ((await ownerNow().catch(() => null)) !== owner) throw error;
  }
}

/** @throws what `abort` throws, unless the upload has already ended */
export async function abortOnce(abort: Promise<unknown>): Promise<void> {
  await abort.catch((error: unknown) => {
    if (!(error instanceof ApiError && error.code === 'conflict')) throw error;
  });
}

export const sentenceOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
