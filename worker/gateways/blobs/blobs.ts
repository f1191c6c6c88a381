/** The bucket of the control plane, where remote copies of backups lie: R2, or what the operator has set. The interface says nothing of either. */
import type { ByteRange } from '../../domain/byte-range.ts';
import { ApiError } from '../../domain/errors.ts';

/** A part of an upload that came whole, from the first one on. */
export type PartTag = string;

export type Range = Pick<ByteRange, 'first' | 'last'>;

export interface Blobs {
  /**
   * Why nothing can be kept in the bucket, as a sentence; null when an object could be written, read and removed. Remembered for a
   * minute in the isolate. @param isFresh looks again
   */
  trouble(isFresh?: boolean): Promise<string | null>;
  /** Bytes of an object; null when there is none. */
  size(key: string): Promise<number | null>;
  /** Null when there is none. A stream that breaks off is an error to its reader. */
  read(key: string, range: Range): Promise<ReadableStream | null>;
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
  /**
   * Takes back uploads below a prefix that were begun before a moment, a few at a time; of a bucket that does that by itself, none.
   * @returns how many
   */
  abortForgotten(prefix: string, before: number): Promise<number>;
}

export interface UploadRef {
  key: string;
  id: string;
}

/** What one kind of bucket does for `Blobs`. */
export type BlobStore = Omit<Blobs, 'trouble'> & {
  /** A probe that is not remembered. */
  probe(): Promise<string | null>;
};

export const removedMax = 1_000;

/**
 * @param isOver whether the failure says that the upload is over, or lacks parts: another try is no use
 * @throws ApiError `conflict`, `unavailable`
 */
export async function reached<T>(work: Promise<T>, isOver: (error: unknown) => boolean): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    const why = sentenceOf(cause);
    if (isOver(cause)) throw new ApiError('conflict', `The upload is over: ${why}`, { cause });
    throw new ApiError('unavailable', `The bucket of the control plane did not take this: ${why}`, { cause });
  }
}

/** @param owner of the object that lies there now; null for none. The answer to a first completion may have got lost. */
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

/** @throws what `abort` throws, but for an upload that is over */
export async function abortOnce(abort: Promise<unknown>): Promise<void> {
  await abort.catch((error: unknown) => {
    if (!(error instanceof ApiError && error.code === 'conflict')) throw error;
  });
}

export const sentenceOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
