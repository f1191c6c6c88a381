import type { BucketAccess } from '../../domain/backups/backup-bucket.ts';
import { ApiError } from '../../domain/errors.ts';
import { type BlobStore, type Blobs, sentenceOf } from './blobs.ts';
import { createR2Store } from './r2.ts';
import { createS3Store } from './s3.ts';

const probedForMs = 60_000;
/** How long a read setting is reused, so that one action, such as a sweep, reads it once. Changing the setting takes longer. */
const chosenForMs = 1_000;

interface BlobsOptions {
  r2: R2Bucket;
  /** The bucket that the operator has set; `null` for R2. Called only when the bucket is used. @throws ApiError */
  setBucket?: () => Promise<BucketAccess | null>;
  /** Fetch function for the bucket that the operator has set. */
  fetch?: typeof fetch;
  now?: () => number;
}

/** Keyed by binding, since this gateway is created for each request. */
const probes = new WeakMap<object, { at: number; trouble: string | null }>();

/** The control plane's bucket: the one that the operator has set, or else R2. */
export function createBlobs({
  r2,
  setBucket = async () => null,
  fetch,
  now = Date.now,
}: BlobsOptions): Blobs {
  let chosen: { at: number; store: Promise<BlobStore> } | undefined;
  const choose = async () => {
    const bucket = await setBucket();
    return bucket === null ? createR2Store(r2) : createS3Store(bucket, fetch);
  };
  const store = () => {
    if (chosen && now() - chosen.at < chosenForMs) return chosen.store;
    const made = { at: now(), store: choose() };
    chosen = made;
    // An unusable setting is read again next time.
    made.store.catch(() => {
      if (chosen === made) chosen = undefined;
    });
    return made.store;
  };
  /** Forgets the cached probe after a failure, so that a failing bucket is not reported as working. */
  const using = async <T>(work: (one: BlobStore) => Promise<T>): Promise<T> => {
    try {
      return await work(await store());
    } catch (error) {
      if (error instanceof ApiError && error.code === 'unavailable') probes.delete(r2);
      throw error;
    }
  };
  return {
    async trouble(isFresh = false) {
      const known = probes.get(r2);
      if (known && !isFresh && now() - known.at < probedForMs) return known.trouble;
      if (isFresh) chosen = undefined;
      const trouble = await store().then((one) => one.probe(), refusalOf);
      probes.set(r2, { at: now(), trouble });
      return trouble;
    },
    size: (key) => using((one) => one.size(key)),
    read: (key, range) => using((one) => one.read(key, range)),
    remove: (keys) => using((one) => one.remove(keys)),
    removeBelow: (prefix) => using((one) => one.removeBelow(prefix)),
    list: (prefix, after) => using((one) => one.list(prefix, after)),
    put: (key, bytes) => using((one) => one.put(key, bytes)),
    begin: (key, owner) => using((one) => one.begin(key, owner)),
    putPart: (upload, part, body) => using((one) => one.putPart(upload, part, body)),
    complete: (upload, owner, tags) => using((one) => one.complete(upload, owner, tags)),
    abort: (upload) => using((one) => one.abort(upload)),
    abortStaleUploads: (prefix, before) => using((one) => one.abortStaleUploads(prefix, before)),
  };
}

/** An unusable setting is a problem of the bucket; a store failure is not. */
function refusalOf(error: unknown): string {
  if (error instanceof ApiError) return sentenceOf(error);
  throw error;
}
