/** Builds the deployment spec that a service's host receives. */
import type { ContainerSettings } from '../../../protocol/container-settings.ts';
import type { HealthSettings } from '../../../protocol/health-settings.ts';
import type { FailureCode } from '../../../protocol/job-report.ts';
import type { DeploySpec, SpecLimits } from '../../../protocol/job-spec.ts';
import type { ServiceNames } from '../../../protocol/service-names.ts';
import type { DeploySource } from '../../../protocol/sources/deploy-source.ts';
import type { TrafficRules } from '../../../protocol/traffic/traffic-rules.ts';
import { databaseEngines, databaseImageOf, engineOf } from '../databases/database-engines.ts';
import type { EngineSettings } from '../databases/engine-settings/engine-settings.ts';
import { type RunSettings, settingsOfWeb } from '../domains/traffic/web-settings.ts';
import type { ServiceKind } from '../services/service-kind.ts';
import { defaultTenantId } from '../tenants/tenant.ts';
import { platformVariableWarnings } from './platform-variables.ts';

/** The columns of a service that its deployment needs. */
export interface DeployableService extends RunSettings {
  id: string;
  projectId: string;
  slug: string;
  kind: ServiceKind;
  repoFullName: string | null;
  repoUrl: string;
  imageRef: string | null;
  databasePublicEnabled: boolean;
  databasePublicHostname: string | null;
  postgresLogicalReplicationEnabled: boolean;
  engineSettings: EngineSettings | null;
  defaultImageRef: string | null;
  branch: string;
  rootDir: string | null;
  buildMethod: DeploySpec['build']['method'];
  dockerfilePath: string | null;
  installCommand: string | null;
  buildCommand: string | null;
  startCommand: string | null;
  staticOutput: string | null;
  runtimeMode: DeploySpec['runtimeMode'];
  internalPort: number;
  hostPort: number;
  generatedHostname: string | null;
  routesRevision: number;
  trafficRules: TrafficRules | null;
  healthCheckPath: string | null;
  containerSettings: ContainerSettings | null;
  healthSettings: HealthSettings | null;
  memoryLimitMb: number | null;
  cpuLimit: number | null;
}

/** What every deployment spec needs, for a build or a rollback. */
interface CommonParts {
  service: DeployableService;
  tenantId: string;
  deploymentId: string;
  /** Verified custom domains, in display order. */
  domains: readonly { hostname: string; status: 'pending' | 'active' }[];
  /** The operator's setting for the address that custom domains should point to. */
  publicIp: string | null;
  limits: SpecLimits;
  /** Of now, also for a rollback: the data belongs to the service, not to one of its versions. */
  volumes: NonNullable<DeploySpec['volumes']>;
  /** Earlier deployments whose images the host keeps. */
  keptDeployments: readonly string[];
}

export interface DeploySpecParts extends CommonParts {
  /** The uploaded folder that it is built from; null: none is stored, or the service is built from something else. */
  folder: { checksum: string | null; sizeBytes: number } | null;
  env: Readonly<Record<string, string>>;
  warnings: readonly string[];
}

/** What a restart needs beside today's variables and settings. */
export interface RestartSpecParts extends Omit<DeploySpecParts, 'folder'> {
  /** The live deployment. */
  source: { id: string; commitSha: string | null };
  /** Its spec. */
  frozen: DeploySpec;
}

export interface RollbackSpecParts extends CommonParts {
  source: { id: string; commitSha: string | null };
  /** The spec of the earlier deployment. */
  frozen: DeploySpec;
}

/** A job whose spec can't be built; retrying would not help. The message is the sentence for the user. */
export class UndispatchableError extends Error {
  override readonly name = 'UndispatchableError';
  readonly code: FailureCode;
  constructor(message: string, code: FailureCode = 'internal') {
    super(message);
    this.code = code;
  }
}

/** This environment variable takes precedence over the service's `dockerfilePath`. */
const dockerfileVariable = 'SERVICE_DOCKERFILE_PATH';

/** @throws UndispatchableError when the service's settings name nothing to deploy. */
export function deploySpecOf(parts: DeploySpecParts): DeploySpec {
  return { ...settingsPart(parts), source: sourceOf(parts) };
}

export function settingsPart(parts: Omit<DeploySpecParts, 'folder'>): Omit<DeploySpec, 'source'> {
  const { service, env } = parts;
  return {
    ...currentPart(parts, service.runtimeMode),
    build: {
      method: service.buildMethod,
      dockerfilePath: env[dockerfileVariable] || service.dockerfilePath,
      installCommand: service.installCommand,
      buildCommand: service.buildCommand,
      startCommand: service.startCommand,
      staticOutput: service.staticOutput,
    },
    runtimeMode: service.runtimeMode,
    internalPort: service.internalPort,
    healthCheckPath: service.healthCheckPath,
    ...(service.containerSettings === null ? {} : { container: service.containerSettings }),
    ...(service.healthSettings === null ? {} : { health: service.healthSettings }),
    warnings: [...parts.warnings, ...platformVariableWarnings(service, new Map(Object.entries(env)))],
  };
}

/** The build and its settings come from the earlier deployment; names, limits and other settings of the service are current. */
export function rollbackSpecOf(parts: RollbackSpecParts): DeploySpec {
  const { source, frozen } = parts;
  const { volumes: _, replicas: _r, sleepAfterMinutes: _s, stop: _t, ...before } = frozen;
  return {
    ...before,
    ...currentPart(parts, frozen.runtimeMode),
    source: { type: 'kept', deploymentId: source.id, commitSha: source.commitSha },
    warnings: [],
  };
}

/**
 * The image of the live version with the variables and settings of now. What its build used stays, and so does its kind (web, worker or
 * static); a database keeps its image.
 * @throws UndispatchableError when a database lacks its password
 */
export function restartSpecOf(parts: RestartSpecParts): DeploySpec {
  const { source, frozen, service } = parts;
  const now = settingsPart(parts);
  if (service.kind === 'database') return { ...now, source: { ...databaseSource(parts), restarts: true } };
  return {
    ...now,
    ...currentPart(parts, frozen.runtimeMode),
    source: { type: 'kept', deploymentId: source.id, commitSha: source.commitSha, restarts: true },
    build: frozen.build,
    runtimeMode: frozen.runtimeMode,
    internalPort: service.internalPort,
  };
}

function currentPart(parts: CommonParts, runtimeMode: DeploySpec['runtimeMode']) {
  const { service, deploymentId, limits, volumes, keptDeployments } = parts;
  const names = runtimeMode === 'worker' ? [] : namesOf(parts);
  const owner = parts.tenantId === defaultTenantId ? {} : { tenantId: parts.tenantId };
  return {
    kind: 'deploy' as const,
    ...owner,
    projectId: service.projectId,
    serviceId: service.id,
    deploymentId,
    serviceSlug: service.slug,
    hostPort: service.hostPort,
    hostnames: names.map(({ hostname }) => hostname),
    names: {
      ...owner,
      revision: service.routesRevision,
      names,
      publicIp: parts.publicIp,
      ...(service.trafficRules === null ? {} : { rules: service.trafficRules }),
    },
    ...(runtimeMode === 'web' && volumes.length === 0 ? settingsOfWeb(service) : {}),
    ...(service.stopSettings === null ? {} : { stop: service.stopSettings }),
    memoryLimitMb: service.memoryLimitMb,
    cpuLimit: service.cpuLimit,
    limits,
    ...(volumes.length > 0 ? { volumes } : {}),
    keptDeployments: [...keptDeployments],
  };
}

/** The same names in the same order as in a change of names (store/service-names-store). */
function namesOf({ service: { generatedHostname }, domains }: CommonParts): ServiceNames['names'] {
  const generated =
    generatedHostname === null ? [] : [{ hostname: generatedHostname, isCustom: false, isActive: true }];
  const custom = domains.map(({ hostname, status }) => ({
    hostname,
    isCustom: true,
    isActive: status === 'active',
  }));
  return [...generated, ...custom];
}

export function sourceOf(parts: DeploySpecParts): DeploySource {
  const { service } = parts;
  switch (service.kind) {
    case 'git':
      return {
        type: 'git',
        url: service.repoFullName ? `https://github.com/${service.repoFullName}.git` : service.repoUrl,
        branch: service.branch,
        rootDir: service.rootDir,
      };
    case 'image':
      if (service.imageRef) return { type: 'image', imageRef: service.imageRef };
      throw new UndispatchableError('The service has no image to start: set "imageRef".');
    case 'database':
      return databaseSource(parts);
    case 'upload':
      return uploadSource(parts);
  }
}

function uploadSource({ service, folder }: DeploySpecParts): DeploySource {
  if (folder?.checksum)
    return { type: 'upload', ...folder, checksum: folder.checksum, rootDir: service.rootDir };
  throw new UndispatchableError(
    'The uploaded folder of this deployment is no longer stored: upload it again (longshore up).',
    'source_failed',
  );
}

function databaseSource({ service, env, publicIp }: Omit<DeploySpecParts, 'folder'>) {
  const engine = engineOf(service);
  if (!engine) throw new UndispatchableError(`The database engine "${service.repoFullName}" does not exist.`);
  const open = databaseEngines[engine].variables.find(
    ({ key, initial }) => initial === 'password' && !env[key],
  );
  if (open) {
    throw new UndispatchableError(
      `The variable ${open.key} is missing or empty: set it, because a database is not started without a password.`,
    );
  }
  return {
    type: 'database' as const,
    engine,
    imageRef: databaseImageOf(service, engine),
    publicAddress: service.databasePublicEnabled ? ('0.0.0.0' as const) : ('127.0.0.1' as const),
    logicalReplication: service.postgresLogicalReplicationEnabled,
    ...(service.engineSettings === null ? {} : { engineSettings: { ...service.engineSettings } }),
    publicNames: [service.databasePublicHostname, publicIp].filter((name) => name !== null),
  };
}
