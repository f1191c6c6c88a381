/** The description of a job for the runner. It contains no secrets: they are sent separately, sealed (sealed-box.ts). */
import { z } from 'zod';
import { containerSettingsSchema } from './container-settings.ts';
import { gitCredentialSchema, registryLoginSchema } from './credentials.ts';
import { engineNames } from './database.ts';
import { healthSettingsSchema } from './health-settings.ts';
import { idSchema } from './ids.ts';
import { importSources } from './import-source.ts';
import { mountedFileSchema } from './mounts.ts';
import { serviceNamesSchema } from './service-names.ts';
import { stopSettingsSchema } from './settings/stop-settings.ts';
import { deploySourceSchema } from './sources/deploy-source.ts';
import { storedBackupSchema } from './stored-backup.ts';
import { encryptionSchema, volumeJobSpecSchemas } from './volumes/volume-job-spec.ts';

export const runtimeModes = ['web', 'worker', 'static'] as const;
export const buildMethods = ['auto', 'dockerfile', 'analyzer'] as const;

/** Limits of the tenant for the containers of a service and for its build log; null: only the platform's own limits apply. */
export const specLimitsSchema = z.object({
  /** Processes and threads of a container. */
  pids: z.number().int().nullable(),
  /** Open files of each process. */
  openFiles: z.number().int().nullable(),
  /** What a container may write outside its data volume, in units of 2^20 bytes. */
  diskMb: z.number().int().nullable(),
  /** What is left of the tenant's build logs of this day, in bytes. */
  buildLogBytes: z.number().int().nullable(),
});

/** A volume of a service that is no database. */
const mountedVolumeSchema = z.object({
  id: idSchema('volume'),
  /** For messages. */
  name: z.string(),
  /** Absolute path in the container. */
  mountPath: z.string(),
  /** What it may hold, in units of 2^20 bytes; null: no limit. */
  sizeMb: z.number().int().nullable(),
});

export const deploySpecSchema = z.object({
  kind: z.literal('deploy'),
  /** Absent: the default tenant. */
  tenantId: idSchema('tenant').optional(),
  projectId: idSchema('project'),
  serviceId: idSchema('service'),
  deploymentId: idSchema('deployment'),
  /** Also the service's host name on the project's network. */
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
  /** All names for which the proxy routes to this service: the generated one and custom domains. */
  hostnames: z.array(z.string()),
  /** The same names with details. The host uses the higher of this revision and the one that it already has. Absent: all are active. */
  names: serviceNamesSchema.optional(),
  healthCheckPath: z.string().nullable(),
  /** In place of the runner's own times. Absent: none. */
  health: healthSettingsSchema.optional(),
  /** How its versions end. Absent: as usual. */
  stop: stopSettingsSchema.optional(),
  /** In place of what the image says. Absent: nothing. */
  container: containerSettingsSchema.optional(),
  /** The old container stops before the new one starts, so that two never write to them. Absent: none. */
  volumes: z.array(mountedVolumeSchema).optional(),
  /** After so many minutes without a request its containers stop until the next one. Only for hosts with `sleepsWhenIdle`. Absent: never. */
  sleepAfterMinutes: z.number().int().min(1).optional(),
  /** How many containers of the version serve it, on this host. Only for hosts with `runsReplicas`. Absent: 1. */
  replicas: z.number().int().min(1).optional(),
  memoryLimitMb: z.number().int().nullable(),
  cpuLimit: z.number().nullable(),
  /** Absent: none. */
  limits: specLimitsSchema.optional(),
  /** Earlier deployments whose images stay on the host for rollbacks; others are deleted once this one runs. Absent: none are deleted. */
  keptDeployments: z.array(idSchema('deployment')).optional(),
  /** Sentences about unresolved references, which are written to the log; the deployment continues. */
  warnings: z.array(z.string()),
  /** A move: end when the image is ready, before anything starts. Only for hosts with `preparesMoves`. Absent: false. */
  preparesOnly: z.boolean().optional(),
  /** The lines that the deployment's log has from the job that prepared its image. Absent: none. */
  logLinesBefore: z.number().int().nonnegative().optional(),
});

/** The deployed database that a data job uses. Its credentials are in its container. */
const databaseJob = {
  projectId: idSchema('project'),
  serviceId: idSchema('service'),
  engine: z.enum(engineNames),
  /** Encrypts the backup that the job takes. `recipient`: `age1...`. Absent: it is stored as it is. */
  encryption: encryptionSchema.optional(),
};

export const backupSpecSchema = z.object({
  kind: z.literal('backup'),
  ...databaseJob,
  backupId: idSchema('backup'),
  /** Keep a copy on the host. */
  toDisk: z.boolean(),
  /** Key of the copy in the control plane's bucket; null: none. */
  remoteKey: z.string().nullable(),
});

export const restoreSpecSchema = z.object({
  kind: z.literal('restore'),
  ...databaseJob,
  restoreId: idSchema('restore'),
  backup: storedBackupSchema,
  /** The current data is first saved on the host as this backup. */
  safetyBackupId: idSchema('backup'),
});

export const importSpecSchema = z.object({
  kind: z.literal('import'),
  ...databaseJob,
  importId: idSchema('import'),
  source: z.enum(importSources),
  /** The uploaded file, for the source `file`; checksum: from the user, if given. */
  file: z.object({ sizeBytes: z.number().int().positive(), checksum: z.string().nullable() }).optional(),
  /** The current data is first saved on the host as this backup, then replaced. Null: a database that is not empty is refused. */
  safetyBackupId: idSchema('backup').nullable(),
  /** For PostgreSQL: go on after an object that can't be loaded, and report it as `skipped`. Absent: false. */
  continueOnError: z.boolean().optional(),
});

/** Tests a backup: loads it into a temporary container beside the service, counts its rows and deletes the container. */
export const drillSpecSchema = z.object({
  kind: z.literal('drill'),
  ...databaseJob,
  drillId: idSchema('drill'),
  /** A backup of this service. */
  backup: storedBackupSchema,
});

/** Moves a database to another version of its engine, or back to the version before. */
export const upgradeSpecSchema = z.object({
  kind: z.literal('upgrade'),
  ...databaseJob,
  upgradeId: idSchema('upgrade'),
  work: z.discriminatedUnion('type', [
    z.object({
      type: z.literal('upgrade'),
      imageRef: z.string(),
      /** End after the drill with the new image, before the live database is touched. */
      isDryRun: z.boolean(),
      /** Continue although a backup can't contain everything that the database has. */
      acceptsNotKept: z.boolean(),
      /** The data before the upgrade is saved on the host as this backup, which the drill loads. */
      safetyBackupId: idSchema('backup'),
    }),
    z.object({ type: z.literal('undo'), undoes: idSchema('upgrade') }),
  ]),
});

/** Runs a command once in a new container of the live image, beside the live version. */
export const runSpecSchema = z.object({
  kind: z.literal('run'),
  projectId: idSchema('project'),
  serviceId: idSchema('service'),
  runId: idSchema('run'),
  /** The live deployment, whose image it is. */
  deploymentId: idSchema('deployment'),
  commitSha: z.string().nullable(),
  /** A line for the shell of the image. */
  command: z.string(),
  timeLimitSeconds: z.number().int(),
  runtimeMode: z.enum(runtimeModes),
  internalPort: z.number().int(),
  container: containerSettingsSchema.optional(),
  memoryLimitMb: z.number().int().nullable(),
  cpuLimit: z.number().nullable(),
  limits: specLimitsSchema,
});

/** A job's secrets; the clear text of the sealed box in a `start` frame. */
export const deploySecretsSchema = z.object({
  /** Environment variables with references resolved; empty for data jobs. */
  env: z.record(z.string(), z.string()),
  /** Keys in `env` whose values are masked in logs. Absent: all. */
  secretKeys: z.array(z.string()).optional(),
  /** Absent: none. */
  files: z.array(mountedFileSchema).optional(),
  gitToken: z.string().nullable(),
  gitCredential: gitCredentialSchema.optional(), // for a service without a token of its own; absent: none
  /** Logins that images of this job may need. Absent: none. */
  registries: z.array(registryLoginSchema).optional(),
  /** Authenticates the requests that move bytes: those of data jobs, and of a deployment of an uploaded folder. */
  transferToken: z.string().optional(),
  /** For an import: the source URL with credentials. */
  sourceUrl: z.string().optional(),
  /** For a restore or drill of an encrypted backup: `AGE-SECRET-KEY-1...`. */
  backupIdentity: z.string().optional(),
});

/** All kinds of jobs. */
export const jobSpecSchema = z.discriminatedUnion('kind', [
  deploySpecSchema,
  backupSpecSchema,
  restoreSpecSchema,
  ...volumeJobSpecSchemas,
  importSpecSchema,
  drillSpecSchema,
  upgradeSpecSchema,
  runSpecSchema,
]);

export type SpecLimits = z.infer<typeof specLimitsSchema>;
export type DeploySpec = z.infer<typeof deploySpecSchema>;
export type DeploySecrets = z.infer<typeof deploySecretsSchema>;
export type BackupSpec = z.infer<typeof backupSpecSchema>;
export type RestoreSpec = z.infer<typeof restoreSpecSchema>;
export type ImportSpec = z.infer<typeof importSpecSchema>;
export type DrillSpec = z.infer<typeof drillSpecSchema>;
export type RunSpec = z.infer<typeof runSpecSchema>;
export type UpgradeSpec = z.infer<typeof upgradeSpecSchema>;
export type JobSpec = z.infer<typeof jobSpecSchema>;
export type JobKind = JobSpec['kind'];
