import { defaultImageOf, engineOf } from '../../domain/databases/database-engines.ts';
import { assertImageFitsData } from '../../domain/databases/database-image.ts';
import {
  assertSettingsFit,
  changedEngineSettings,
} from '../../domain/databases/engine-settings/engine-settings.ts';
import { workerWithDomains } from '../../domain/domains/custom-domain.ts';
import { ApiError } from '../../domain/errors.ts';
import { settingsOf } from '../../domain/instance/settings.ts';
import { candidateRange, generatedHostname } from '../../domain/names/host-names.ts';
import { type KindAndSource, patchedSource } from '../../domain/services/patched-source.ts';
import { isRouted } from '../../domain/services/service-kind.ts';
import { assertServiceRules } from '../../domain/services/service-rules.ts';
import {
  assertSettingsOfKind,
  changedColumns,
  jsonChanges,
  type ServicePatch,
} from '../../domain/services/settings/service-settings.ts';
import { canBeSite, keepsGitToken } from '../../domain/services/source-change.ts';
import { countedMemoryMb } from '../../domain/tenants/quotas.ts';
import { selectUsableHosts } from '../../store/hosts/placement-store.ts';
import { selectSettings } from '../../store/instance/settings-store.ts';
import type { ProjectRow } from '../../store/projects/project-store.ts';
import { type QuotaGuard, refuseOverQuota } from '../../store/projects/tenant-store.ts';
import {
  gitTokenOf,
  mergedSettings,
  type ServiceChanges,
  type ServiceRow,
  selectHostnames,
  updateService as updateRow,
} from '../../store/services/service-store.ts';
import { type ServiceView, selectServiceView } from '../../store/services/service-view-store.ts';
import { selectVolumes } from '../../store/services/volume-store.ts';
import { violates } from '../../store/sql/store-failure.ts';
import { assertPublicHostname } from '../databases/assert-public-hostname.ts';
import type { Dependencies } from '../dependencies.ts';
import { retryNameClash } from '../retry-name-clash.ts';
import { type Asked, askedQuotas, withinQuota } from '../within-quota.ts';
import { assertReadableChecks } from './assert-readable-checks.ts';
import { isMove, moveService } from './move-service.ts';
import { sealGitToken } from './seal-service-secrets.ts';

interface Loaded {
  service: ServiceRow;
  project: ProjectRow;
}

/**
 * Changes the settings of a service; they take effect with its next deployment. The result must satisfy the same rules as a new service.
 * @throws ApiError `invalid_request`, `unsupported`, `conflict`, `not_isolated`, `not_found`
 */
export async function updateService(
  deps: Dependencies,
  loaded: Loaded,
  patch: ServicePatch,
): Promise<ServiceView> {
  const { tenantId } = loaded.project;
  const { databasePublicHostname } = patch;
  if (isNewName(loaded.service, databasePublicHostname)) {
    await assertPublicHostname(deps, loaded.project, databasePublicHostname);
  }
  const asked = askedOf(loaded.service, patch);
  const guard = () => refuseOverQuota(deps.db, tenantId, askedQuotas(asked));
  const apply = () => applyPatch(deps, loaded, patch, guard);
  const view = await withinQuota(deps, tenantId, asked, apply).catch((error: unknown) => {
    throw violates(error, 'CHECK', 'services.runtime_mode') ? workerWithDomains() : error;
  });
  if (patch.gitToken !== undefined && view.service.projectId !== loaded.project.id) {
    throw new ApiError('conflict', 'The service was transferred in the meantime: send its "gitToken" again.');
  }
  return view;
}

function isNewName(
  { kind, databasePublicHostname }: ServiceRow,
  wanted: string | null | undefined,
): wanted is string {
  return kind === 'database' && typeof wanted === 'string' && wanted !== databasePublicHostname;
}

/** Reducing memory is always allowed. */
function askedOf(service: ServiceRow, patch: ServicePatch): Asked {
  const { memoryLimitMb = service.memoryLimitMb, replicas = service.replicas } = patch;
  const more = countedMemoryMb({ memoryLimitMb, replicas }) - countedMemoryMb(service);
  return more > 0 ? { memoryMb: more } : {};
}

/** @param guard the last statement of the batch */
async function applyPatch(
  deps: Dependencies,
  loaded: Loaded,
  patch: ServicePatch,
  guard: () => QuotaGuard,
): Promise<ServiceView> {
  const { service } = loaded;
  const source = patchedSource(service, patch);
  const { kind, repoFullName } = source ?? service;
  const { runtimeMode = service.runtimeMode, replicas = service.replicas } = patch;
  const { sleepAfterMinutes = service.sleepAfterMinutes } = patch;
  const merged = { kind, runtimeMode, replicas, sleepAfterMinutes };
  const { internalPort, postgresLogicalReplicationEnabled, startCommand } = patch;
  const { imageUpdates = service.pushSettings?.imageUpdates } = patch;
  const { imageRef } = source ?? service;
  assertServiceRules({
    ...merged,
    ...{ imageRef, imageUpdates },
    repoFullName,
    internalPort,
    postgresLogicalReplicationEnabled,
    startCommand,
  });
  assertSettingsOfKind(kind, patch);
  if (patch.waitForChecks)
    await assertReadableChecks(
      deps.db,
      loaded.project.id,
      {
        repoUrl: source?.repoUrl ?? service.repoUrl,
        hasStoredToken: service.sealedGitToken !== null,
      },
      patch.gitToken,
    );
  if (replicas > 1 || sleepAfterMinutes !== null) await assertNoVolumes(deps, service.id, replicas);
  const changes = await changesOf(deps, loaded, patch, source);
  const needsHostname = service.generatedHostname === null && isRouted(merged);
  const { runnerId } = patch;
  const moves = isMove(service, runnerId);
  if (!needsHostname && !moves) return writeAndRead(deps, service, changes, guard);
  return retryNameClash(async () => {
    const { hosts, hostname } = await readSurroundings(deps, loaded, runnerId);
    const all = needsHostname ? { ...changes, generatedHostname: hostname } : changes;
    return moves
      ? moveService(deps, service, {
          changes: all,
          tenantId: loaded.project.tenantId,
          runnerId,
          hosts,
          guard,
        })
      : writeAndRead(deps, service, all, guard);
  });
}

/** Two containers must not write to one volume, and jobs on the data of a volume start and stop the container themselves. */
async function assertNoVolumes({ db }: Dependencies, serviceId: string, replicas: number): Promise<void> {
  if ((await selectVolumes(db, serviceId)).length === 0) return;
  const [field, must] = replicas > 1 ? ['replicas', '1'] : ['sleepAfterMinutes', 'null'];
  throw new ApiError(
    'conflict',
    `The field "${field}" of a service with volumes must be ${must}: delete its volumes first, or keep the files in a bucket or a database.`,
  );
}

/** The columns that a patch changes; source fields are completed from each other. */
async function changesOf(
  deps: Dependencies,
  { service, project }: Loaded,
  patch: ServicePatch,
  source: KindAndSource | undefined,
): Promise<ServiceChanges> {
  const endsToken = service.sealedGitToken !== null && source && !keepsGitToken(service, source);
  const { gitToken = endsToken ? null : undefined } = patch;
  const token = gitToken === undefined ? undefined : await sealGitToken(deps, project, service.id, gitToken);
  const sealedGitToken = token === undefined ? undefined : gitTokenOf(project.id, token);
  const json = jsonChanges(patch).map(([column, changes]) => mergedSettings(column, changes));
  const settings: ServiceChanges = Object.assign(changedColumns(patch), ...json);
  return {
    ...settings,
    ...source,
    ...(source && !canBeSite(source) && service.staticOutput !== null ? { staticOutput: null } : {}),
    ...databaseChanges(service, patch),
    sealedGitToken,
    updatedAt: deps.now(),
  };
}

/** Changes of a patch that apply only to databases. */
function databaseChanges(service: ServiceRow, patch: ServicePatch): ServiceChanges {
  const engine = engineOf(service);
  const { engineSettings: changes, memoryLimitMb = service.memoryLimitMb, imageRef } = patch;
  const before = service.engineSettings ?? {};
  const engineSettings = changes === undefined ? before : changedEngineSettings(engine, before, changes);
  if (changes !== undefined || patch.memoryLimitMb !== undefined) {
    assertSettingsFit(engine, engineSettings, memoryLimitMb);
  }
  if (imageRef !== undefined) assertImageFitsData(service, imageRef);
  const needsDefault = imageRef === null && service.defaultImageRef === null;
  return {
    ...(changes === undefined ? {} : { engineSettings }),
    ...(needsDefault ? { defaultImageRef: defaultImageOf({ ...service, imageRef }) } : {}),
  };
}

/** The host of a move, and the host name that the service would get. */
async function readSurroundings(
  { db }: Dependencies,
  { service, project }: Loaded,
  runnerId: string | undefined,
) {
  const [hosts, settings, hostnames] = await db.batch([
    selectUsableHosts(db, project.tenantId, runnerId === undefined ? [] : [runnerId]),
    selectSettings(db),
    selectHostnames(db, candidateRange(service.slug), project.tenantId),
  ]);
  const { rootDomain } = settingsOf(settings);
  const taken = new Set(hostnames.map(({ hostname }) => hostname));
  const hostname = generatedHostname({ slug: service.slug, projectSlug: project.slug }, rootDomain, taken);
  return { hosts, hostname };
}

/** Changes the service and reads the result in one round trip. */
async function writeAndRead(
  { db }: Dependencies,
  service: ServiceRow,
  changes: ServiceChanges,
  guard: () => QuotaGuard,
): Promise<ServiceView> {
  const [, [view]] = await db.batch([
    updateRow(db, service.id, changes),
    selectServiceView(db, service.id),
    guard(),
  ]);
  if (!view) throw new ApiError('not_found', 'This service was deleted in the meantime.');
  return view;
}
