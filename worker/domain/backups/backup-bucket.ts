/** The S3-compatible bucket for backup copies that the operator can set (`backupBucket`). Without it, copies are stored in R2. */
import { z } from 'zod';
import { note } from '../../../protocol/note.ts';
import { ApiError } from '../errors.ts';
import { isPrivateHost } from '../names/private-host.ts';

/** The settings row that holds the bucket's sealed secret key; no API response includes it. */
export const bucketSecretName = 'backupBucketSecret';

const printable = (max: number) =>
  z.string().regex(new RegExp(`^[\\x21-\\x7e]{1,${max}}$`), `must be 1 to ${max} printable characters`);

export const backupBucketSchema = z.strictObject({
  endpoint: z
    .string()
    .max(500)
    .meta(
      note(
        'URL of the S3 API without the bucket: `https://s3.eu-central-1.amazonaws.com`.',
        'https://s3.example.com',
      ),
    ),
  region: z
    .string()
    .regex(/^[A-Za-z0-9-]{1,64}$/, 'must be 1 to 64 letters, digits and dashes')
    .meta(
      note('The region in request signatures; many servers accept any, such as `us-east-1`.', 'eu-central-1'),
    ),
  /** https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html */
  bucket: z
    .string()
    .regex(
      /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/,
      'must be 3 to 63 lower-case letters, digits, dots and dashes, like an S3 bucket name',
    )
    .meta(note('Name of the bucket.', 'longshore-backups')),
  accessKeyId: printable(200).meta(note('Id of the access key.', 'AKIAEXAMPLE')),
  prefix: z
    .string()
    .max(200)
    .regex(
      /^(?:[A-Za-z0-9_-][A-Za-z0-9._-]*\/)*$/,
      'must be empty or a path of folders that ends with a slash, such as longshore/',
    )
    .describe('Prefix of every object name, so that several instances can share a bucket.'),
  pathStyle: z
    .boolean()
    .describe(
      'True: the bucket is in the URL path, which every server supports. False: it is part of the host name.',
    ),
});
export type BackupBucket = z.infer<typeof backupBucketSchema>;

/** The bucket in a request. Without `secretAccessKey` the stored key remains if it belongs to the same access key and server. */
export const newBackupBucketSchema = backupBucketSchema.extend({
  secretAccessKey: printable(500)
    .optional()
    .meta(note('Secret of the access key. Stored encrypted, never returned.', '...')),
  prefix: backupBucketSchema.shape.prefix.default(''),
  pathStyle: backupBucketSchema.shape.pathStyle.default(true),
});
export type NewBackupBucket = z.infer<typeof newBackupBucketSchema>;

/** Content of the sealed settings row. */
export const bucketSecretSchema = z.object({ secretAccessKey: z.string() });

/** A bucket with its secret key. */
export type BucketAccess = BackupBucket & z.infer<typeof bucketSecretSchema>;

/** Why a bucket can't be used. `field`: the setting at fault, if known. `why`: continues "The bucket ..." and contains no credentials. */
export interface BucketTrouble {
  field: keyof BucketAccess | null;
  why: string;
}

/** Whether both settings point to the same objects; `null` means R2. */
export function isSamePlace(one: BackupBucket | null, other: BackupBucket | null): boolean {
  const place = (of: BackupBucket | null) => of && [of.endpoint, of.bucket, of.prefix].join('\n');
  return place(one) === place(other);
}

/**
 * Normalises an endpoint for storage: no slash at the end. Only public https is allowed, unless the operator allows a bucket on this
 * machine or in its network (setting `allowPrivateBackupBucket`).
 * @throws ApiError `invalid_request`
 */
export function checkedEndpoint(text: string, isPrivateAllowed: boolean): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !['https:', 'http:'].includes(url.protocol)) throw refusal('must be an https URL');
  if (url.username || url.password || url.search || url.hash) {
    throw refusal(
      'must be a URL without user, password, query and fragment: send the keys in "accessKeyId" and "secretAccessKey"',
    );
  }
  const wayOut = 'unless the setting "allowPrivateBackupBucket" is true';
  if (!isPrivateAllowed) {
    if (url.protocol === 'http:') throw refusal(`must start with https://, ${wayOut}`);
    if (isPrivateHost(url.hostname)) throw refusal(`must not point to a private address, ${wayOut}`);
  }
  return url.href.replace(/\/+$/, '');
}

const refusal = (predicate: string) =>
  new ApiError('invalid_request', `The field "backupBucket.endpoint" ${predicate}.`);
