/** R2 through a Worker binding. */
import {
  abortOnce,
  type BlobStore,
  completeOnce,
  reached as reachedUnless,
  removedMax,
  sentenceOf,
  type UploadRef,
} from './blobs.ts';
import { probeBucket } from './probe.ts';
import { readPieces } from './read-pieces.ts';

export function createR2Store(bucket: R2Bucket): BlobStore {
  const resumed = ({ key, id }: UploadRef) => bucket.resumeMultipartUpload(key, id);
  return {
    probe: () => probe(bucket),
    size: async (key) => (await reached(bucket.head(key)))?.size ?? null,
    read: (key, range) =>
      readPieces(key, range, async (offset, length) => {
        return (await reached(bucket.get(key, { range: { offset, length } })))?.body ?? null;
      }),
    remove: (keys) => reached(bucket.delete(keys)),
    async removeBelow(prefix) {
      const { objects } = await reached(bucket.list({ prefix, limit: removedMax }));
      if (objects.length > 0) await reached(bucket.delete(objects.map(({ key }) => key)));
      return objects.length;
    },
    async list(prefix, after) {
      const { objects, truncated } = await reached(bucket.list({ prefix, startAfter: after }));
      return { keys: objects.map(({ key }) => key), more: truncated };
    },
    async put(key, bytes) {
      await reached(bucket.put(key, bytes));
    },
    begin: async (key, owner) =>
      (await reached(bucket.createMultipartUpload(key, { customMetadata: { owner } }))).uploadId,
    putPart: async (upload, part, body) => (await reached(resumed(upload).uploadPart(part, body))).etag,
    complete(upload, owner, tags) {
      const parts = tags.map((etag, index) => ({ etag, partNumber: index + 1 }));
      const ownerNow = async () => (await bucket.head(upload.key))?.customMetadata?.owner ?? null;
      return completeOnce(() => reached(resumed(upload).complete(parts)), owner, ownerNow);
    },
    abort: (upload) => abortOnce(reached(resumed(upload).abort())),
    /** R2 aborts stale uploads after 7 days. https://developers.cloudflare.com/r2/buckets/object-lifecycles/ */
    abortStaleUploads: async () => 0,
  };
}

const probe = (bucket: R2Bucket) =>
  probeBucket({
    write: (key, text) => bucket.put(key, text),
    read: async (key) => (await bucket.get(key))?.text(),
    remove: (key) => bucket.delete(key),
  }).then(() => null, sentenceOf);

/** R2's error codes for an upload that has ended or never existed, and for missing parts: 10024, 10025. */
const noSuchUpload = /\((?:10024|10025)\)/;

const reached = <T>(work: Promise<T>) => reachedUnless(work, (error) => noSuchUpload.test(sentenceOf(error)));
