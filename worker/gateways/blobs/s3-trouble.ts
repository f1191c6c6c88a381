import type { BucketAccess, BucketTrouble } from '../../domain/backups/backup-bucket.ts';
import { ProbeFailure, probeBucket } from './probe.ts';
import { notS3, S3Failure, S3Requests, unreachable } from './s3-requests.ts';

/** The field of the setting that an error code points to. */
const fields: Readonly<Record<string, BucketTrouble['field']>> = {
  [unreachable]: 'endpoint',
  [notS3]: 'endpoint',
  NoSuchBucket: 'bucket',
  InvalidBucketName: 'bucket',
  InvalidAccessKeyId: 'accessKeyId',
  AccessDenied: 'accessKeyId',
  SignatureDoesNotMatch: 'secretAccessKey',
  AuthorizationHeaderMalformed: 'region',
  PermanentRedirect: 'region',
  TemporaryRedirect: 'region',
};

/** Tests a bucket before it is set, by writing, reading and deleting an object. Null if it works. */
export const tryBucket = (
  bucket: BucketAccess,
  fetch?: typeof globalThis.fetch,
): Promise<BucketTrouble | null> => troubleOf(new S3Requests(bucket, fetch), bucket.prefix);

/** @param prefix prefix of all objects */
export async function troubleOf(requests: S3Requests, prefix: string): Promise<BucketTrouble | null> {
  try {
    await probeBucket({
      write: (key, body) => may('write', requests.open({ method: 'PUT', key: prefix + key, body }).then(end)),
      read: (key) => may('read', requests.text({ method: 'GET', key: prefix + key })),
      remove: (key) => may('remove', requests.text({ method: 'DELETE', key: prefix + key })),
    });
    return null;
  } catch (error) {
    if (error instanceof ProbeFailure) return { field: 'endpoint', why: error.message };
    if (error instanceof S3Failure) return { field: fields[error.code] ?? null, why: error.message };
    throw error;
  }
}

async function may<T>(step: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof S3Failure && error.code === 'AccessDenied')) throw error;
    throw new S3Failure(error.code, `the access key is not allowed to ${step} objects there (${error.code})`);
  }
}

const end = (response: Response) => response.body?.cancel();
