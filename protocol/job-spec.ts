/** What a job is to do, as the runner receives it. Secrets are not in here: they travel beside it, sealed (sealed-box.ts). */
import { z } from 'zod';
import { engineNames } from './database.ts';
import { idSchema } from './ids.ts';
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

/** Secrets of a deployment; the clear text inside the sealed box of a `start` frame. */
export const deploySecretsSchema = z.object({
  /** Environment variables with references resolved. */
  env: z.record(z.string(), z.string()),
  gitToken: z.string().nullable(),
});

/** Every kind of job; backup, restore and import join here. */
export const jobSpecSchema = z.discriminatedUnion('kind', [deploySpecSchema]);

export type DeploySource = z.infer<typeof deploySourceSchema>;
export type DeploySpec = z.infer<typeof deploySpecSchema>;
export type DeploySecrets = z.infer<typeof deploySecretsSchema>;
export type JobSpec = z.infer<typeof jobSpecSchema>;
export type JobKind = JobSpec['kind'];
