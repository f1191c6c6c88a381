/** What a job is to do, as the runner receives it. Secrets are not in here: they travel beside it, sealed (sealed-box.ts). */
import { z } from 'zod';
import { engineNames } from './database.ts';
import { idSchema } from './ids.ts';
import { importSources } from './import-source.ts';
import { serviceNamesSchema } from './service-names.ts';

export const runtimeModes = ['web', 'worker', 'static'] as const;
export const buildMethods = ['auto', 'dockerfile', 'analyzer'] as const;

export const deploySourceSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('git'),
    /** https, ssh, or (where the runner's operator allows it) http. */
    url: z.string(),
    branch: z.string(),
    rootDir: z.string().nullable(),
  }),
  z.object({ type: z.literal('image'), imageRef: z.string() }),
  /** A rollback: the image that the host has kept of an earlier deployment of this service. Nothing is built. */
  z.object({
    type: z.literal('kept'),
    deploymentId: idSchema('deployment'),
    commitSha: z.string().nullable(),
  }),
  /** One container on the service's own volume: the old one is stopped before the new one starts. */
  z.object({
    type: z.literal('database'),
    engine: z.enum(engineNames),
    imageRef: z.string(),
    /** Where Docker publishes `hostPort`: this host alone, or all its addresses. */
    publicAddress: z.enum(['127.0.0.1', '0.0.0.0']),
    /** PostgreSQL: `wal_level=logical`. */
    logicalReplication: z.boolean(),
    /** Host names and addresses by which clients reach it from outside: its certificate has them. Absent: none. */
    publicNames: z.array(z.string()).optional(),
  }),
]);

export const deploySpecSchema = z.object({
  kind: z.literal('deploy'),
  projectId: idSchema('project'),
  serviceId: idSchema('service'),
  deploymentId: idSchema('deployment'),
  /** Becomes the service's host name on the project's network. */
  serviceSlug: z.string(),
  source: deploySourceSchema,
  build: z.object({
    method: z.enum(buildMethods),
    dockerfilePath: z.string().nullable(),
    installCommand: z.string().nullable(),
    buildCommand: z.string().nullable(),
    startCommand: z.string().nullable(),
    staticOutput: z.string().nullable(),
  }),
  runtimeMode: z.enum(runtimeModes),
  internalPort: z.number().int(),
  hostPort: z.number().int(),
  /** Every name the proxy answers for this service, the generated one and custom domains. */
  hostnames: z.array(z.string()),
  /** The same with all that is known of them: the host takes the later one of these and what it was told before. Absent: all are active. */
  names: serviceNamesSchema.optional(),
  healthCheckPath: z.string().nullable(),
  memoryLimitMb: z.number().int().nullable(),
  cpuLimit: z.number().nullable(),
  /** Earlier deployments whose images stay on the host for a rollback; others go once this one runs. Absent: none go. */
  keptDeployments: z.array(idSchema('deployment')).optional(),
  /** Sentences about references that could not be resolved: written to the log, the deployment goes on. */
  warnings: z.array(z.string()),
});

/** The database that a data job works on: a service that is deployed. Its credentials are in its container. */
const databaseJob = {
  projectId: idSchema('project'),
  serviceId: idSchema('service'),
  engine: z.enum(engineNames),
};

/** A backup that exists. */
export const storedBackupSchema = z.object({
  id: idSchema('backup'),
  /** Whose data it holds; a restore may go into another service of the same engine. */
  serviceId: idSchema('service'),
  sizeBytes: z.number().int(),
  checksum: z.string(),
  /** What it was taken with: what a restore must find again. */
  tables: z.number().int(),
  rows: z.number().int(),
  localPath: z.string().nullable(),
  remoteKey: z.string().nullable(),
});

export const backupSpecSchema = z.object({
  kind: z.literal('backup'),
  ...databaseJob,
  backupId: idSchema('backup'),
  /** A copy stays on the host. */
  toDisk: z.boolean(),
  /** The copy in the control plane's bucket; null: none. */
  remoteKey: z.string().nullable(),
});

export const restoreSpecSchema = z.object({
  kind: z.literal('restore'),
  ...databaseJob,
  restoreId: idSchema('restore'),
  backup: storedBackupSchema,
  /** What is there now is kept on the host as this backup before anything changes. */
  safetyBackupId: idSchema('backup'),
});

export const importSpecSchema = z.object({
  kind: z.literal('import'),
  ...databaseJob,
  importId: idSchema('import'),
  source: z.enum(importSources),
  /** The uploaded file, of the source `file`; checksum: as its user has said it. */
  file: z.object({ sizeBytes: z.number().int().positive(), checksum: z.string().nullable() }).optional(),
  /** What is there goes, and is kept on the host as this backup; null: a database that holds anything is refused. */
  safetyBackupId: idSchema('backup').nullable(),
});

/** Tries a backup out: into a container of its own beside the service, counted, and thrown away. */
export const drillSpecSchema = z.object({
  kind: z.literal('drill'),
  ...databaseJob,
  drillId: idSchema('drill'),
  /** Of this very service. */
  backup: storedBackupSchema,
});

/** Secrets of a job; the clear text inside the sealed box of a `start` frame. */
export const deploySecretsSchema = z.object({
  /** Environment variables with references resolved; none for data jobs. */
  env: z.record(z.string(), z.string()),
  gitToken: z.string().nullable(),
  /** Of a job on data: proves its requests that move bytes. */
  transferToken: z.string().optional(),
  /** Of an import: where the data is read, credentials and all. */
  sourceUrl: z.string().optional(),
});

/** Every kind of job. */
export const jobSpecSchema = z.discriminatedUnion('kind', [
  deploySpecSchema,
  backupSpecSchema,
  restoreSpecSchema,
  importSpecSchema,
  drillSpecSchema,
]);

export type DeploySource = z.infer<typeof deploySourceSchema>;
export type DeploySpec = z.infer<typeof deploySpecSchema>;
export type DeploySecrets = z.infer<typeof deploySecretsSchema>;
export type BackupSpec = z.infer<typeof backupSpecSchema>;
export type RestoreSpec = z.infer<typeof restoreSpecSchema>;
export type ImportSpec = z.infer<typeof importSpecSchema>;
export type DrillSpec = z.infer<typeof drillSpecSchema>;
export type StoredBackup = z.infer<typeof storedBackupSchema>;
export type JobSpec = z.infer<typeof jobSpecSchema>;
export type JobKind = JobSpec['kind'];
