/** A service as the API shows it. */
import { z } from 'zod';
import { buildMethods, runtimeModes } from '../../../protocol/job-spec.ts';
import {
  defaultStopGraceSeconds,
  drainSecondsOf,
  stopSignals,
} from '../../../protocol/settings/stop-settings.ts';
import { databaseImageOf, engineOf } from '../../domain/databases/database-engines.ts';
import { serviceUrls } from '../../domain/names/host-names.ts';
import { isRouted } from '../../domain/services/service-kind.ts';
import { timestamp, timestampOrNull, timestampSchema } from '../../http/timestamps.ts';
import type { ListedView } from '../../usecases/projects/read-projects.ts';

export const serviceSchema = z.strictObject({
  id: z.string(),
  projectId: z.string(),
  name: z.string(),
  slug: z.string(),
  repoFullName: z.string().nullable(),
  repoUrl: z.string(),
  imageRef: z.string().nullable(),
  branch: z.string(),
  rootDir: z.string().nullable(),
  hasGitHostToken: z.boolean(),
  installCommand: z.string().nullable(),
  buildCommand: z.string().nullable(),
  startCommand: z.string().nullable(),
  staticOutput: z.string().nullable(),
  buildMethod: z.enum(buildMethods),
  dockerfilePath: z.string().nullable(),
  detectedBuildMethod: z.enum(['dockerfile', 'analyzer']).nullable(),
  runtimeMode: z.enum(runtimeModes),
  internalPort: z.int(),
  hostPort: z.int(),
  databasePublicEnabled: z.boolean(),
  databasePublicHostname: z.string().nullable(),
  postgresLogicalReplicationEnabled: z.boolean(),
  /** What was chosen, by the engine's own names; empty unless the service is a database. */
  engineSettings: z.record(z.string(), z.string()),
  /** The image that its next deployment runs; null unless the service is a database. */
  databaseImage: z.string().nullable(),
  status: z.enum(['idle', 'queued', 'building', 'active', 'failed', 'crashed', 'stopped']),
  reachable: z.boolean(),
  localUrl: z.string(),
  primaryUrl: z.string(),
  preferredDomain: z.string().nullable(),
  framework: z.string().nullable(),
  lastDeployedAt: timestampSchema.nullable(),
  createdAt: timestampSchema,
  updatedAt: timestampSchema,
  runnerId: z.string(),
  healthCheckPath: z.string().nullable(),
  healthCheckIntervalSeconds: z.number().nullable(),
  healthCheckTimeoutSeconds: z.number().nullable(),
  healthCheckStartPeriodSeconds: z.number().nullable(),
  drainSeconds: z.int().nullable(),
  stopGraceSeconds: z.int().nullable(),
  stopSignal: z.enum(stopSignals).nullable(),
  /** Null, as the next four: what the image says. */
  command: z.array(z.string()).nullable(),
  entrypoint: z.array(z.string()).nullable(),
  user: z.string().nullable(),
  /** Size of `/dev/shm` in units of 2^20 bytes. */
  shmSizeMb: z.int().nullable(),
  variableNames: z.array(z.object({ key: z.string(), name: z.string() })).nullable(),
  replicas: z.int(),
  sleepAfterMinutes: z.int().nullable(),
  /** Null: its live version has not slept yet. */
  sleep: z
    .strictObject({
      asleep: z.boolean(),
      asleepSince: timestampSchema.nullable(),
      lastWokeAt: timestampSchema.nullable(),
      lastWakeMs: z.int().nullable(),
    })
    .nullable(),
  memoryLimitMb: z.int().nullable(),
  cpuLimit: z.number().nullable(),
  protected: z.boolean(),
});

export function presentService({
  service,
  facts,
  isConnected,
  preferredDomain,
}: ListedView): z.infer<typeof serviceSchema> {
  const { hostPort, generatedHostname, containerSettings: container, healthSettings: health } = service;
  const isDatabase = service.kind === 'database';
  const engine = engineOf(service);
  const urls = serviceUrls(
    { isRouted: isRouted(service), hostPort, generatedHostname },
    preferredDomain,
    facts,
  );
  return {
    id: service.id,
    projectId: service.projectId,
    name: service.name,
    slug: service.slug,
    repoFullName: service.repoFullName,
    repoUrl: service.repoUrl,
    imageRef: service.imageRef,
    branch: service.branch,
    rootDir: service.rootDir,
    hasGitHostToken: service.sealedGitToken !== null,
    installCommand: service.installCommand,
    buildCommand: service.buildCommand,
    startCommand: service.startCommand,
    staticOutput: service.staticOutput,
    buildMethod: service.buildMethod,
    dockerfilePath: service.dockerfilePath,
    detectedBuildMethod: service.detectedBuildMethod,
    runtimeMode: service.runtimeMode,
    internalPort: service.internalPort,
    hostPort,
    databasePublicEnabled: service.databasePublicEnabled,
    databasePublicHostname: service.databasePublicHostname,
    postgresLogicalReplicationEnabled: service.postgresLogicalReplicationEnabled,
    engineSettings: service.engineSettings ?? {},
    databaseImage: engine && databaseImageOf(service, engine),
    status: service.status,
    reachable: service.reachable && isConnected && !facts.trouble,
    ...urls,
    preferredDomain,
    framework: service.framework,
    lastDeployedAt: timestampOrNull(service.lastDeployedAt),
    createdAt: timestamp(service.createdAt),
    updatedAt: timestamp(service.updatedAt),
    // A host to which the service is going to move: like other settings, it takes effect with the next deployment.
    runnerId: service.nextRunnerId ?? service.runnerId,
    healthCheckPath: service.healthCheckPath,
    healthCheckIntervalSeconds: health?.healthCheckIntervalSeconds ?? null,
    healthCheckTimeoutSeconds: health?.healthCheckTimeoutSeconds ?? null,
    healthCheckStartPeriodSeconds: health?.healthCheckStartPeriodSeconds ?? null,
    // A database has no connections that outlive its version, and its engine decides how it stops.
    drainSeconds: isDatabase ? null : drainSecondsOf(service.stopSettings ?? undefined),
    stopGraceSeconds: isDatabase ? null : (service.stopSettings?.stopGraceSeconds ?? defaultStopGraceSeconds),
    stopSignal: service.stopSettings?.stopSignal ?? null,
    command: container?.command ?? null,
    entrypoint: container?.entrypoint ?? null,
    user: container?.user ?? null,
    shmSizeMb: container?.shmSizeMb ?? null,
    variableNames: container?.variableNames ?? null,
    replicas: service.replicas,
    sleepAfterMinutes: service.sleepAfterMinutes,
    sleep: service.sleep && {
      asleep: service.sleep.asleepSince !== null,
      asleepSince: timestampOrNull(service.sleep.asleepSince),
      lastWokeAt: timestampOrNull(service.sleep.lastWokeAt),
      lastWakeMs: service.sleep.lastWakeMs,
    },
    memoryLimitMb: service.memoryLimitMb,
    cpuLimit: service.cpuLimit,
    protected: service.protected,
  };
}
