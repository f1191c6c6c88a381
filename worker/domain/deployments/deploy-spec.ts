/** Builds the deployment spec that a service's host receives. */
import type { FailureCode } from '../../../protocol/job-report.ts';
import type { DeploySpec, SpecLimits } from '../../../protocol/job-spec.ts';
import type { ServiceNames } from '../../../protocol/service-names.ts';
import type { DeploySource } from '../../../protocol/sources/deploy-source.ts';
import type { TrafficRules } from '../../../protocol/traffic/traffic-rules.ts';
import { buildEnvOf, type ScopedVariables } from '../../../protocol/variable-scope.ts';
import { databaseEngines, databaseImageOf, engineOf } from '../databases/database-engines.ts';
import type { EngineSettings } from '../databases/engine-settings/engine-settings.ts';
import type { ServiceKind } from '../services/service-kind.ts';
import {
  columnsIn,
  type JsonColumns,
  type SettingColumns,
  settingsOfKind,
} from '../services/settings/service-settings.ts';
import { defaultTenantId } from '../tenants/tenant-limits.ts';
import { platformVariableWarnings } from './platform-variables.ts';

/** The columns of a service that its deployment needs. */
export interface DeployableService extends SettingColumns, JsonColumns {
  id: string;
  projectId: string;
  slug: string;
  kind: ServiceKind;
  repoFullName: string | null;
  repoUrl: string;
  imageRef: string | null;
  engineSettings: EngineSettings | null;
  defaultImageRef: string | null;
  hostPort: number;
  generatedHostname: string | null;
  routesRevision: number;
  trafficRules: TrafficRules | null;
}

/** The common parts of all deployment specs, for a build or a rollback. */
interface CommonParts {
  service: DeployableService;
  tenantId: string;
  deploymentId: string;
  /** Verified custom domains, in display order. */
  domains: readonly { hostname: string; status: 'pending' | 'active' }[];
  /** The operator's setting for the address that custom domains should point to. */
  publicIp: string | null;
  limits: SpecLimits;
  /** Current volumes, also for a rollback: the data belongs to the service, not to one of its versions. */
  volumes: NonNullable<DeploySpec['volumes']>;
  /** Earlier deployments whose images the host keeps. */
  keptDeployments: readonly string[];
}

export interface DeploySpecParts extends CommonParts {
  /** The uploaded folder to build from; `null` if none is stored, or if the service is built from something else. */
  folder: { checksum: string | null; sizeBytes: number } | null;
  /** The commit, tag or branch that the request names; `null`: the service's branch. */
  ref: string | null;
  /** The digest of the image that an update deploys; `null`: what its tag has now. */
  imageDigest: string | null;
  variables: ScopedVariables;
  warnings: readonly string[];
}

type OfSource = 'folder' | 'ref' | 'imageDigest';

/** The parts of a restart besides the current variables and settings. */
export interface RestartSpecParts extends Omit<DeploySpecParts, OfSource> {
  /** The live deployment. */
  source: { id: string; commitSha: string | null };
  /** The spec of the live deployment. */
  frozen: DeploySpec;
  /** The kind of the live version: the service may have got another source since. */
  kind: ServiceKind;
}

export interface RollbackSpecParts extends CommonParts {
  source: { id: string; commitSha: string | null };
  /** The spec of the earlier deployment. */
  frozen: DeploySpec;
}

/** A job whose spec can't be built; retries would not help. The message is for the user. */
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

export function settingsPart(parts: Omit<DeploySpecParts, OfSource>): Omit<DeploySpec, 'source'> {
  const { service, variables } = parts;
  const container = settingsOfKind(service, 'containerSettings');
  const { buildMethod: method, ...build } = columnsIn('build', service);
  return {
    ...currentPart(parts, service.runtimeMode),
    build: {
      ...build,
      ...settingsOfKind(service, 'buildSettings'),
      method,
      dockerfilePath: buildEnvOf(variables)[dockerfileVariable] || service.dockerfilePath,
    },
    ...columnsIn('version', service),
    ...(container === null ? {} : { container }),
    ...(service.healthSettings === null ? {} : { health: service.healthSettings }),
    warnings: [
      ...parts.warnings,
      ...platformVariableWarnings(service, new Map(Object.entries(variables.env))),
    ],
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
 * The image of the live version with current variables and settings. The build's settings do not change, nor does the kind (web, worker
 * or static); a database keeps its image.
 * @throws UndispatchableError when a database lacks its password
 */
export function restartSpecOf(parts: RestartSpecParts): DeploySpec {
  const { source, frozen, kind } = parts;
  const service = { ...parts.service, kind };
  const now = settingsPart({ ...parts, service });
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
    ...(runtimeMode === 'web' && volumes.length === 0 ? ofWeb(service) : {}),
    ...(service.stopSettings === null ? {} : { stop: service.stopSettings }),
    ...columnsIn('service', service),
    limits,
    ...(volumes.length > 0 ? { volumes } : {}),
    keptDeployments: [...keptDeployments],
  };
}

/**
 * Settings that only web services without volumes have: an earlier version may be of another kind, and a volume may have been added
 * since. Defaults are left out.
 */
function ofWeb(service: DeployableService): Pick<DeploySpec, 'replicas' | 'sleepAfterMinutes'> {
  const { replicas, sleepAfterMinutes } = columnsIn('web', service);
  return {
    ...(replicas > 1 ? { replicas } : {}),
    ...(sleepAfterMinutes === null ? {} : { sleepAfterMinutes }),
  };
}

/** The names in the order of a change of names (store/service-names-store). */
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
  const { service, ref, imageDigest } = parts;
  switch (service.kind) {
    case 'git':
      return {
        type: 'git',
        url: service.repoFullName ? `https://github.com/${service.repoFullName}.git` : service.repoUrl,
        branch: ref ?? service.branch,
        ...(ref === null ? {} : { isRef: true }),
        rootDir: service.rootDir,
      };
    case 'image':
      if (service.imageRef)
        return {
          ...{ type: 'image', imageRef: service.imageRef },
          ...(imageDigest === null ? {} : { digest: imageDigest }),
        };
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

function databaseSource({ service, variables: { env }, publicIp }: Omit<DeploySpecParts, OfSource>) {
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
