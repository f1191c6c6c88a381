/**
 * Calls for uploads in parts that s3rver lacks: abort and list uploads, refuse parts without an upload, and refuse a completion with
 * other parts than were received. https://docs.aws.amazon.com/AmazonS3/latest/userguide/mpuoverview.html
 */
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const require = createRequire(import.meta.url);

interface Context {
  method: string;
  path: string;
  query: Record<string, string>;
  params: Record<string, string>;
  headers: Record<string, string | undefined>;
  status: number;
  body: unknown;
}
type Next = () => Promise<unknown>;

/** The used part of s3rver, which has no types: a Koa application. */
export interface S3App {
  middleware: ((context: Context, next: Next) => Promise<unknown>)[];
  store: {
    getResourcePath(bucket: string, key: undefined, resource: string): string;
    putObjectMultipart(
      bucket: string,
      id: string,
      parts: { number: number; etag: string }[],
    ): Promise<unknown>;
  };
  configureBuckets(): Promise<unknown>;
  callback(): RequestListener;
}

/** Adds keys to the one pair of keys that s3rver has, whose two parts are the same text. */
export function addKey(accessKeyId: string, secretAccessKey: string): void {
  const { registry } = require('@20minutes/s3rver/lib/models/account');
  const [account] = registry.values();
  account.createKeyPair(accessKeyId, secretAccessKey);
}

export function addUploadCalls(app: S3App): void {
  const S3Error = require('@20minutes/s3rver/lib/models/error');
  const authenticated = require('@20minutes/s3rver/lib/middleware/authentication')();
  const uploads = (bucket: string) => app.store.getResourcePath(bucket, undefined, 'uploads');
  // The router is last, so insert before it.
  app.middleware.splice(-1, 0, async (context, next) => {
    if (!context.headers.authorization) throw new S3Error('AccessDenied', 'Nobody signed this.');
    const [, bucket = '', ...rest] = context.path.split('/');
    const { uploadId } = context.query;
    const isList = context.method === 'GET' && 'uploads' in context.query;
    if (uploadId === undefined && !isList) return next();
    context.params = {
      bucket,
      ...(rest.length === 0 ? {} : { key: rest.map(decodeURIComponent).join('/') }),
    };
    await authenticated(context, async () => {});
    if (isList) {
      context.body = await listed(uploads(bucket), context.query.prefix ?? '');
      return;
    }
    const directory = join(uploads(bucket), uploadId ?? '');
    if (!(await stat(directory).catch(() => null))) throw new S3Error('NoSuchUpload', 'It is over.');
    if (context.method === 'DELETE') {
      await rm(directory, { recursive: true });
      context.status = 204;
      return;
    }
    return next();
  });
  assertParts(app.store, S3Error);
}

async function listed(directory: string, prefix: string) {
  const ids = await readdir(directory).catch(() => []);
  const uploads = ids.map(async (id) => ({
    Key: await readFile(join(directory, id, 'key'), 'utf8'),
    UploadId: id,
    Initiated: (await stat(join(directory, id, 'key'))).mtime.toISOString(),
  }));
  const Upload = (await Promise.all(uploads)).filter(({ Key }) => Key.startsWith(prefix));
  return { ListMultipartUploadsResult: { Prefix: prefix, IsTruncated: false, Upload } };
}

/** Checks parts when they are joined, because the body of the request has been read by then. */
function assertParts(store: S3App['store'], S3Error: new (code: string, message: string) => Error): void {
  const putTogether = store.putObjectMultipart.bind(store);
  store.putObjectMultipart = async (bucket, id, parts) => {
    for (const { number, etag } of parts) {
      const path = join(store.getResourcePath(bucket, undefined, 'uploads'), id, `${number}.md5`);
      const kept = await readFile(path, 'utf8').catch(() => '');
      if (kept !== etag) throw new S3Error('InvalidPart', 'That part is not here.');
    }
    return putTogether(bucket, id, parts);
  };
}
