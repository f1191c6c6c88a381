/** An S3-compatible bucket for the copies of backups, as the operator sets it (setting `backupBucket`); without one they lie in R2. */
import { z } from 'zod';
import { ApiError } from './errors.ts';
import { isPrivateHost } from './private-host.ts';

/** Its secret key lies beside it, sealed, in a row that no answer shows. */
export const bucketSecretName = 'backupBucketSecret';

const printable = (max: number) =>
  z.string().regex(new RegExp(`^[\\x21-\\x7e]{1,${max}}$`), `must be 1 to ${max} printable characters`);

export const backupBucketSchema = z.strictObject({
  /** Where the S3 API answers, without the bucket: `https://s3.eu-central-1.amazonaws.com`. */
  endpoint: z.string().max(500),
  /** What requests are signed for; many servers take any, such as `us-east-1`. */
  region: z.string().regex(/^[A-Za-z0-9-]{1,64}$/, 'must be 1 to 64 letters, digits and dashes'),
  /** https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html */
  bucket: z
    .string()
    .regex(
      /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/,
      'must be 3 to 63 lower-case letters, digits, dots and dashes, as S3 names buckets',
    ),
  accessKeyId: printable(200),
  /** Goes before the name of every object, so that instances can share a bucket. */
  prefix: z
    .string()
    .max(200)
    .regex(
      /^(?:[A-Za-z0-9_-][A-Za-z0-9._-]*\/)*$/,
      'must be empty, or folders that each end with a slash, such as longshore/',
    ),
  /** Whether the bucket is in the path of a URL (every server can) or in front of the host name. */
  pathStyle: z.boolean(),
});
export type BackupBucket = z.infer<typeof backupBucketSchema>;

/** As it is set. Without `secretAccessKey` the stored one stays, where it belongs to the same key and server. */
export const newBackupBucketSchema = backupBucketSchema.extend({
  secretAccessKey: printable(500).optional(),
  prefix: backupBucketSchema.shape.prefix.default(''),
  pathStyle: backupBucketSchema.shape.pathStyle.default(true),
});
export type NewBackupBucket = z.infer<typeof newBackupBucketSchema>;

/** What the sealed row holds. */
export const bucketSecretSchema = z.object({ secretAccessKey: z.string() });

/** A bucket with all that it takes to use it. */
export type BucketAccess = BackupBucket & z.infer<typeof bucketSecretSchema>;

/** Why a bucket can't be used. `field`: of the setting, where that tells. `why`: what follows "The bucket": no credentials are in it. */
export interface BucketTrouble {
  field: keyof BucketAccess | null;
  why: string;
}

/** Whether both hold the same objects; null is R2. */
export function isSamePlace(one: BackupBucket | null, other: BackupBucket | null): boolean {
  const place = (of: BackupBucket | null) => of && [of.endpoint, of.bucket, of.prefix].join('\n');
  return place(one) === place(other);
}

/**
 * An endpoint in the form that is stored: without a slash at its end. Public https alone, unless the operator allows a bucket on this
 * machine or its network (setting `allowPrivateBackupBucket`).
 * @throws ApiError `invalid_request`
 */
export function checkedEndpoint(text: string, isPrivateAllowed: boolean): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !['https:', 'http:'].includes(url.protocol)) throw refusal('must be an https URL');
  if (url.username || url.password || url.search || url.hash) {
    throw refusal(
      'must be a URL without user, password, query and fragment: the keys have fields of their own',
    );
  }
  const wayOut = 'unless the setting "allowPrivateBackupBucket" is true';
  if (!isPrivateAllowed) {
    if (url.protocol === 'http:') throw refusal(`must begin with https://, ${wayOut}`);
    if (isPrivateHost(url.hostname)) throw refusal(`must not lead to a private address, ${wayOut}`);
  }
  return url.href.replace(/\/+$/, '');
}

const refusal = (predicate: string) =>
  new ApiError('invalid_request', `The field "backupBucket.endpoint" ${predicate}.`);
