/** R2 that fails when a test wants it; all other calls reach the real one. */
import { env } from 'cloudflare:workers';

export type BucketCall =
  | 'put'
  | 'get'
  | 'head'
  | 'list'
  | 'delete'
  | 'createMultipartUpload'
  | `part ${number}`
  | 'complete'
  | 'complete, answer lost'
  | 'abort';

const failure = () => new Error('We encountered an internal error. Please try again. (10001)');

/** @param fails called before each call */
export function failingBucket(fails: (call: BucketCall) => boolean): R2Bucket {
  const assert = (call: BucketCall) => (fails(call) ? Promise.reject(failure()) : undefined);
  const upload = (real: R2MultipartUpload): R2MultipartUpload => ({
    key: real.key,
    uploadId: real.uploadId,
    uploadPart: async (part, body) => (await assert(`part ${part}`)) ?? real.uploadPart(part, body),
    async complete(parts) {
      await assert('complete');
      const made = await real.complete(parts);
      return (await assert('complete, answer lost')) ?? made;
    },
    abort: async () => (await assert('abort')) ?? real.abort(),
  });
  return new Proxy(env.BLOBS, {
    get(bucket, name) {
      const member = Reflect.get(bucket, name);
      if (name === 'resumeMultipartUpload')
        return (...given: Parameters<R2Bucket['resumeMultipartUpload']>) =>
          upload(bucket.resumeMultipartUpload(...given));
      return async (...given: unknown[]) =>
        (await assert(name as BucketCall)) ?? Reflect.apply(member, bucket, given);
    },
  });
}
