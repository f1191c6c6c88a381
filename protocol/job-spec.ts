/** The description of a job for the runner. It contains no secrets: they are sent separately, sealed (sealed-box.ts). */
import { z } from 'zod';
import { containerSettingsSchema, healthSettingsSchema, stopSettingsSchema } from './container-settings.ts';
import { gitCredentialSchema, registryLoginSchema } from './credentials.ts';
import { engineNames } from './database.ts';
import { idSchema } from './ids.ts';
import { importSources } from './import-source.ts';
import { mountedFileSchema } from './mounts.ts';
import { serviceNamesSchema } from './service-names.ts';
import { deploySourceSchema } from './sources/deploy-source.ts';
import { storedBackupSchema } from './stored-backup.ts';
import { scopedVariablesSchema } from './variable-scope.ts';
import { encryptionSchema, volumeJobSpecSchemas } from './volumes/volume-job-spec.ts';

export const runtimeModes = ['web', 'worker', 'static'] as const;
export const buildMethods = ['auto', 'dockerfile', 'analyzer'] as const;

/** Settings of a build that most services leave alone. */
export const buildSettingsSchema = z.object({
  /** The stage of the Dockerfile that is built, by name or number. Absent: the last one. */
  buildTarget: z.string().optional(),
  /** Runs once in the new image before a version becomes live. Absent: the one that the source names, if any. */
  releaseCommand: z.string().optional(),
});
export type BuildSettings = z.infer<typeof buildSettingsSchema>;

/** Limits of the tenant for the containers of a service and for its build log; null: only the platform's own limits apply. */
export const specLimitsSchema = z.object({
  /** Processes and threads of a container. */
  pids: z.number().int().nullable(),
  /** Open files of each process. */
  openFiles: z.number().int().nullable(),
  /** How much a container may write outside its data volume, in units of 2^20 bytes. */
  diskMb: z.number().int().nullable(),
  /** Remaining bytes of the tenant's build logs for this day. */
  buildLogBytes: z.number().int().nullable(),
});

/** A volume of a service that is not a database. */
const mountedVolumeSchema = z.object({
  id: idSchema('volume'),
  /** Used in messages. */
  name: z.string(),
  /** Absolute path in the container. */
  mountPath: z.string(),
  /** Its size limit in units of 2^20 bytes; null: no limit. */
  sizeMb: z.number().int().nullable(),
});

export const deploySpecSchema = z.object({
  kind: z.literal('deploy'),
  /** Absent: the default tenant. */
  tenantId: idSchema('tenant').optional(),
  projectId: idSchema('project'),
  serviceId: idSchema('service'),
  deploymentId: idSchema('deployment'),
  /** The slug is also the service's host name on the project's network. */
  serviceSlug: z.string(),
  source: deploySourceSchema,
  build: z.object({
    method: z.enum(buildMethods),
    dockerfilePath: z.string().nullable(),
    installCommand: z.string().nullable(),
    buildCommand: z.string().nullable(),
    startCommand: z.string().nullable(),
    staticOutput: z.string().nullable(),
    ...buildSettingsSchema.shape,
  }),
  runtimeMode: z.enum(runtimeModes),
  internalPort: z.number().int(),
  hostPort: z.number().int(),
  /** All names that the proxy routes to this service: the generated name and custom domains. */
  hostnames: z.array(z.string()),
  /** The same names with details. The host uses the higher of this revision and its own. Absent: all names are active. */
  names: serviceNamesSchema.optional(),
  healthCheckPath: z.string().nullable(),
  /** Replace the runner's own times. Absent: none. */
  health: healthSettingsSchema.optional(),
  /** How its versions end. Absent: the defaults apply. */
  stop: stopSettingsSchema.optional(),
  /** Replace settings of the image. Absent: none. */
  container: containerSettingsSchema.optional(),
  /** The old container stops before the new one starts, so that they never write to the volumes at the same time. Absent: none. */
  volumes: z.array(mountedVolumeSchema).optional(),
  /** The containers stop after so many minutes without a request, until the next request. Absent: never. */
  sleepAfterMinutes: z.number().int().min(1).optional(),
  /** Number of containers of a version on this host. Absent: 1. */
  replicas: z.number().int().min(1).optional(),
  memoryLimitMb: z.number().int().nullable(),
  cpuLimit: z.number().nullable(),
  /** Absent: none. */
  limits: specLimitsSchema.optional(),
  /**
   * Earlier deployments whose images stay on the host for rollbacks. Images of all others are deleted once this one runs. Absent: none are deleted.
   */
  keptDeployments: z.array(idSchema('deployment')).optional(),
  /** Sentences about unresolved references for the log; the deployment continues. */
  warnings: z.array(z.string()),
  /** For a move: end when the image is ready, before anything starts. Absent: false. */
  preparesOnly: z.boolean().optional(),
  /** The number of lines in the deployment's log from the job that prepared its image. Absent: none. */
  logLinesBefore: z.number().int().nonnegative().optional(),
});

/** The deployed database for a data job. Its credentials are in its container. */
const databaseJob = {
  projectId: idSchema('project'),
  serviceId: idSchema('service'),
  engine: z.enum(engineNames),
  /** Encrypts the backup of this job. `recipient`: `age1...`. Absent: the backup is stored unencrypted. */
  encryption: encryptionSchema.optional(),
};

export const backupSpecSchema = z.object({
  kind: z.literal('backup'),
  ...databaseJob,
  backupId: idSchema('backup'),
  /** Whether to keep a copy on the host. */
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
  /** For the source `file`: the uploaded file, and its checksum if the user gave one. */
  file: z.object({ sizeBytes: z.number().int().positive(), checksum: z.string().nullable() }).optional(),
  /** The current data is first saved on the host as this backup, then replaced. Null: a database that is not empty is refused. */
  safetyBackupId: idSchema('backup').nullable(),
  /** For PostgreSQL: continue after an object that can't be loaded, and report it as `skipped`. Absent: false. */
  continueOnError: z.boolean().optional(),
});

/** Tests a backup: loads it into a temporary container next to the service, counts its rows and deletes the container. */
export const drillSpecSchema = z.object({
  kind: z.literal('drill'),
  ...databaseJob,
  drillId: idSchema('drill'),
  /** A backup of this service. */
  backup: storedBackupSchema,
});

/** Upgrades a database to another version of its engine, or undoes an upgrade. */
export const upgradeSpecSchema = z.object({
  kind: z.literal('upgrade'),
  ...databaseJob,
  upgradeId: idSchema('upgrade'),
  work: z.discriminatedUnion('type', [
    z.object({
      type: z.literal('upgrade'),
      imageRef: z.string(),
      /** End after the drill with the new image, before the live database is changed. */
      isDryRun: z.boolean(),
      /** Continue although a backup can't contain everything in the database. */
      acceptsNotKept: z.boolean(),
      /** The data before the upgrade is saved on the host as this backup, and the drill loads this backup. */
      safetyBackupId: idSchema('backup'),
    }),
    z.object({ type: z.literal('undo'), undoes: idSchema('upgrade') }),
  ]),
});

/** Where a command runs: in a new container of the live image, or in the live container itself. */
export const commandContainers = ['new', 'live'] as const;
export type CommandContainer = (typeof commandContainers)[number];

/** Runs a command once, beside the app of the live version. */
export const runSpecSchema = z.object({
  kind: z.literal('run'),
  projectId: idSchema('project'),
  serviceId: idSchema('service'),
  runId: idSchema('run'),
  /** The live deployment that the image belongs to. */
  deploymentId: idSchema('deployment'),
  commitSha: z.string().nullable(),
  /** A command line for the shell of the image. */
  command: z.string(),
  timeLimitSeconds: z.number().int(),
  /** Only a runner whose facts have `liveCommands` is sent `live`: an older one would run the command in a new container. */
  runsIn: z.enum(commandContainers).default('new'),
  runtimeMode: z.enum(runtimeModes),
  internalPort: z.number().int(),
  container: containerSettingsSchema.optional(),
  memoryLimitMb: z.number().int().nullable(),
  cpuLimit: z.number().nullable(),
  limits: specLimitsSchema,
});

/** A job's secrets: the decrypted content of the sealed box in a `start` frame. */
export const deploySecretsSchema = scopedVariablesSchema.extend({
  /** Keys of variables whose values are masked in logs. Absent: all. */
  secretKeys: z.array(z.string()).optional(),
  /** Absent: none. */
  files: z.array(mountedFileSchema).optional(),
  gitToken: z.string().nullable(),
  gitCredential: gitCredentialSchema.optional(), // for a service without its own token; absent: none
  /** Logins for images of this job. Absent: none. */
  registries: z.array(registryLoginSchema).optional(),
  /** Authenticates the requests that transfer files: for data jobs, and for deployments of an uploaded folder. */
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
