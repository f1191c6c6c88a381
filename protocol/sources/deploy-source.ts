/** The sources of deployments. */
import { z } from 'zod';
import { engineNames } from '../database.ts';
import { idSchema } from '../ids.ts';
import { imageDigestSchema } from '../image-digest.ts';

export const deploySourceSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('git'),
    /** https, ssh, or (if the runner's operator allows it) http. */
    url: z.string(),
    branch: z.string(),
    /** `branch` is a commit id, tag or branch that was asked for. A runner that does not know this field finds no such branch, and fails. */
    isRef: z.boolean().optional(),
    rootDir: z.string().nullable(),
  }),
  z.object({
    type: z.literal('image'),
    imageRef: z.string(),
    /** Pull exactly this digest of the image instead of its tag. Absent: the tag decides. */
    digest: imageDigestSchema.optional(),
  }),
  /** A folder as a gzipped tar, which the runner downloads from the control plane's bucket (backup-copy.ts). */
  z.object({
    type: z.literal('upload'),
    sizeBytes: z.number().int().positive(),
    /** `sha256:<hex>` of the archive. */
    checksum: z.string(),
    rootDir: z.string().nullable(),
  }),
  /** A rollback or restart: the image that the host has kept from an earlier deployment of this service. Nothing is built. */
  z.object({
    type: z.literal('kept'),
    deploymentId: idSchema('deployment'),
    commitSha: z.string().nullable(),
    /** That deployment is the live one: its image is started again with other variables. Absent: a rollback. */
    restarts: z.boolean().optional(),
  }),
  /** A database: one container with the service's volume. The old container is stopped before the new one starts. */
  z.object({
    type: z.literal('database'),
    engine: z.enum(engineNames),
    imageRef: z.string(),
    /** The address on which Docker publishes `hostPort`: only this host, or all addresses. */
    publicAddress: z.enum(['127.0.0.1', '0.0.0.0']),
    /** Start the image of the live container again, without a pull. Absent: `imageRef` is pulled. */
    restarts: z.boolean().optional(),
    /** PostgreSQL: `wal_level=logical`. */
    logicalReplication: z.boolean(),
    /** Public host names and addresses, which its certificate includes. Absent: none. */
    publicNames: z.array(z.string()).optional(),
    /** Settings of the engine under its own names; sizes are a whole number with `kB`, `MB` or `GB`. Absent: none. */
    engineSettings: z.record(z.string(), z.string()).optional(),
  }),
]);

export type DeploySource = z.infer<typeof deploySourceSchema>;
