/** An S3-compatible bucket. https://docs.aws.amazon.com/AmazonS3/latest/API/Welcome.html */
import type { BucketAccess } from '../../domain/backups/backup-bucket.ts';
import {
  abortOnce,
  type BlobStore,
  completeOnce,
  type ListedKeys,
  type PartTag,
  reached as reachedUnless,
  removedMax,
  type UploadRef,
} from './blobs.ts';
import { readPieces } from './read-pieces.ts';
import { S3Failure, S3Requests, unreachable } from './s3-requests.ts';
import { troubleOf } from './s3-trouble.ts';
import { completionXml, deletionXml, elementsIn, textIn } from './s3-xml.ts';

/** A part needs 0.9 Mbit/s to finish in this time; the host uses the same limit (runner/storage/copy-requests). */
const partTimeoutMs = 10 * 60_000;
/** S3 can take minutes to join parts; a host repeats a request that took longer. */
const completionTimeoutMs = 120_000;
/** Uploads aborted per call: the free plan allows 50 requests to other servers per run. */
const abortedMax = 5;
const ownerHeader = 'x-amz-meta-owner';

/** @param fetch reaches the bucket; if absent, the Worker's own fetch */
export function createS3Store(bucket: BucketAccess, fetch?: typeof globalThis.fetch): BlobStore {
  const requests = new S3Requests(bucket, fetch);
  const objects = new S3Objects(requests, bucket.prefix);
  const uploads = new S3Uploads(requests, bucket.prefix);
  return {
    probe: async () => (await troubleOf(requests, bucket.prefix))?.why ?? null,
    size: (key) => reached(objects.head(key)).then((head) => head?.size ?? null),
    read: (key, range) =>
      readPieces(key, range, (offset, length) => reached(objects.piece(key, offset, length))),
    remove: (keys) => reached(objects.remove(keys)),
    removeBelow: (prefix) => reached(objects.removeBelow(prefix)),
    list: (prefix, after) => reached(objects.list(prefix, after)),
    put: (key, bytes) => reached(objects.put(key, bytes)),
    begin: (key, owner) => reached(uploads.begin(key, owner)),
    putPart: (upload, part, body) => reached(uploads.putPart(upload, part, body)),
    complete(upload, owner, tags) {
      const ownerNow = async () => (await objects.head(upload.key))?.owner ?? null;
      return completeOnce(() => reached(uploads.complete(upload, tags)), owner, ownerNow);
    },
    abort: (upload) => abortOnce(reached(uploads.abort(upload))),
    abortStaleUploads: (prefix, before) => reached(uploads.abortStaleUploads(prefix, before)),
  };
}

const overCodes = ['NoSuchUpload', 'InvalidPart', 'InvalidPartOrder', 'EntityTooSmall'];
const hasCode = (error: unknown, ...codes: string[]) =>
  error instanceof S3Failure && codes.includes(error.code);
const reached = <T>(work: Promise<T>) => reachedUnless(work, (error) => hasCode(error, ...overCodes));

/** Null if the object does not exist. */
const ifThere = (error: unknown): null => {
  if (hasCode(error, 'NoSuchKey')) return null;
  throw error;
};

class S3Objects {
  readonly #requests: S3Requests;
  readonly #prefix: string;

  constructor(requests: S3Requests, prefix: string) {
    this.#requests = requests;
    this.#prefix = prefix;
  }

  async head(key: string): Promise<{ size: number; owner: string | null } | null> {
    const response = await this.#requests.open({ method: 'HEAD', key: this.#prefix + key }).catch(ifThere);
    if (response === null) return null;
    const size = Number(response.headers.get('content-length') ?? Number.NaN);
    if (!Number.isSafeInteger(size)) throw new S3Failure('NotS3', 'it does not report the size of an object');
    return { size, owner: response.headers.get(ownerHeader) };
  }

  async piece(key: string, offset: number, length: number): Promise<ReadableStream | null> {
    const range = `${offset}-${offset + length - 1}`;
    const request = { method: 'GET', key: this.#prefix + key, headers: { range: `bytes=${range}` } } as const;
    const response = await this.#requests.open(request).catch(ifThere);
    if (response === null) return null;
    const given = response.headers.get('content-range') ?? '';
    if (response.status === 206 && given.startsWith(`bytes ${range}/`)) return response.body;
    await response.body?.cancel();
    throw new S3Failure('InvalidRange', 'it sent other bytes than requested');
  }

  remove(keys: readonly string[]): Promise<void> {
    return this.#removeObjects(keys.map((key) => this.#prefix + key));
  }

  async removeBelow(prefix: string): Promise<number> {
    const query = { 'list-type': '2', prefix: this.#prefix + prefix, 'max-keys': String(removedMax) };
    const xml = await this.#requests.text({ method: 'GET', query });
    const keys = elementsIn(xml, 'Contents').flatMap((object) => textIn(object, 'Key') ?? []);
    await this.#removeObjects(keys);
    return keys.length;
  }

  async put(key: string, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    // The body of a response made from bytes is a stream of known length.
    const body = new Response(bytes).body ?? '';
    const request = { method: 'PUT', key: this.#prefix + key, body, timeoutMs: partTimeoutMs } as const;
    await (await this.#requests.open(request)).body?.cancel();
  }

  async list(prefix: string, after: string): Promise<ListedKeys> {
    const query = {
      'list-type': '2',
      prefix: this.#prefix + prefix,
      ...(after === '' ? {} : { 'start-after': this.#prefix + after }),
    };
    const xml = await this.#requests.text({ method: 'GET', query });
    const keys = elementsIn(xml, 'Contents').flatMap((object) => textIn(object, 'Key') ?? []);
    return {
      keys: keys.map((key) => key.slice(this.#prefix.length)),
      more: textIn(xml, 'IsTruncated') === 'true',
    };
  }

  async #removeObjects(keys: readonly string[]): Promise<void> {
    const [first, ...others] = keys;
    if (first === undefined) return;
    if (others.length === 0) {
      await this.#requests.text({ method: 'DELETE', key: first });
      return;
    }
    const body = deletionXml(keys);
    const headers = { 'content-type': 'application/xml', 'content-md5': await md5(body) };
    await this.#requests.text({ method: 'POST', query: { delete: '' }, headers, body });
  }
}

class S3Uploads {
  readonly #requests: S3Requests;
  readonly #prefix: string;

  constructor(requests: S3Requests, prefix: string) {
    this.#requests = requests;
    this.#prefix = prefix;
  }

  async begin(key: string, owner: string): Promise<string> {
    const headers = { 'content-type': 'application/octet-stream', [ownerHeader]: owner };
    const request = { method: 'POST', key: this.#prefix + key, query: { uploads: '' }, headers } as const;
    const id = textIn(await this.#requests.text(request), 'UploadId');
    if (!id) throw new S3Failure('NotS3', 'it did not start an upload');
    return id;
  }

  async putPart({ key, id }: UploadRef, part: number, body: ReadableStream): Promise<PartTag> {
    const response = await this.#requests.open({
      method: 'PUT',
      key: this.#prefix + key,
      query: { partNumber: String(part), uploadId: id },
      body,
      timeoutMs: partTimeoutMs,
    });
    await response.body?.cancel();
    const tag = response.headers.get('etag');
    if (!tag) throw new S3Failure('NotS3', 'it returned no ETag for a part');
    return tag;
  }

  async complete({ key, id }: UploadRef, tags: readonly PartTag[]): Promise<void> {
    const xml = await this.#requests.text({
      method: 'POST',
      key: this.#prefix + key,
      query: { uploadId: id },
      headers: { 'content-type': 'application/xml' },
      body: completionXml(tags),
      timeoutMs: completionTimeoutMs,
    });
    // S3 sends status 200 before it has the result; only the body shows it.
    if (elementsIn(xml, 'CompleteMultipartUploadResult').length === 0) {
      throw new S3Failure(unreachable, 'it did not confirm that the object is complete');
    }
  }

  async abort({ key, id }: UploadRef): Promise<void> {
    await this.#abortUpload(this.#prefix + key, id);
  }

  async abortStaleUploads(prefix: string, before: number): Promise<number> {
    const query = { uploads: '', prefix: this.#prefix + prefix };
    const xml = await this.#requests.text({ method: 'GET', query }).catch(ifListed);
    const forgotten = elementsIn(xml, 'Upload').flatMap((upload) => {
      const [key, id] = [textIn(upload, 'Key'), textIn(upload, 'UploadId')];
      const isOurs = key?.startsWith(query.prefix) && Date.parse(textIn(upload, 'Initiated') ?? '') < before;
      return isOurs && key && id ? [{ key, id }] : [];
    });
    const aborted = forgotten.slice(0, abortedMax);
    await Promise.all(aborted.map(({ key, id }) => this.#abortUpload(key, id)));
    return aborted.length;
  }

  async #abortUpload(key: string, id: string): Promise<void> {
    await this.#requests.text({ method: 'DELETE', key, query: { uploadId: id } });
  }
}

/** Some servers can't list uploads, and abort old ones on their own. */
const ifListed = (error: unknown): string => {
  if (hasCode(error, 'NotImplemented')) return '';
  throw error;
};

/** The Content-MD5 header, which a deletion of several objects requires. */
async function md5(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('MD5', new TextEncoder().encode(text));
  return btoa(String.fromCharCode(...new Uint8Array(digest)));
}
