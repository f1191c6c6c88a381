/**
 * The complete input of a deployment, fixed at dispatch and sealed in its row, so that a repeated `start` and a later rollback start
 * exactly the same version.
 */
import type { SpecLimits } from '../../../protocol/job-spec.ts';
import type { MountedFile } from '../../../protocol/mounts.ts';
import { allVariables } from '../../../protocol/variable-scope.ts';
import {
  deploySpecOf,
  restartSpecOf,
  rollbackSpecOf,
  UndispatchableError,
} from '../../domain/deployments/deploy-spec.ts';
import {
  hostChanged,
  keptVersions,
  noLongerKept,
  nothingToRestart,
} from '../../domain/deployments/kept-versions.ts';
import { settingsOf } from '../../domain/instance/settings.ts';
import { clashOf, mountedFiles, withSecretFilesSince } from '../../domain/services/mounted-files.ts';
import { isBuilt } from '../../domain/services/service-kind.ts';
import { mountedVolumes } from '../../domain/services/volumes.ts';
import { containerLimitsOf } from '../../domain/tenants/quotas.ts';
import { buildMinutesQuota, buildMinutesUsedUp } from '../../domain/tenants/tenant-day.ts';
import { limitsOfTenant, type TenantLimits } from '../../domain/tenants/tenant-limits.ts';
import { snapshotPlace } from '../../security/secret-places.ts';
import { selectDomains } from '../../store/domains/domain-store.ts';
import { selectSettings } from '../../store/instance/settings-store.ts';
import {
  type DispatchRows,
  findLiveDeployment,
  findRollbackSource,
  selectKeptDeployments,
  writeSnapshot,
} from '../../store/jobs/dispatch-store.ts';
import { selectTenantDay, type TenantDay } from '../../store/projects/tenant-day-store.ts';
import { selectServiceFiles } from '../../store/services/service-file-store.ts';
import { selectServiceVariables, type VariableRow } from '../../store/services/variable-store.ts';
import { selectVolumes, type VolumeRow } from '../../store/services/volume-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { recordQuotaRefusal } from '../record-quota-refusal.ts';
import { openFiles } from '../services/mounted-files.ts';
import { resolveServiceVariables } from '../services/resolve-variables.ts';
import { kindOfVersion, openSnapshot, type Snapshot } from '../services/snapshot.ts';

/**
 * The deployment's snapshot; taken now if there is none yet.
 * @throws UndispatchableError if there is nothing to start
 */
export async function snapshotOf(deps: Dependencies, rows: DispatchRows): Promise<Snapshot> {
  const { deployment, project } = rows;
  if (deployment.sealedSnapshot !== null)
    return openSnapshot(deps, project, deployment.id, deployment.sealedSnapshot);
  const { sourceDeploymentId, ...snapshot } = await takeSnapshot(deps, rows);
  const sealed = await deps.envelope.seal(
    project.wrappedDataKey,
    project.id,
    snapshotPlace(deployment.id),
    JSON.stringify(snapshot),
  );
  if (!(await writeSnapshot(deps.db, project.id, { id: deployment.id, sourceDeploymentId, sealed }))) {
    throw new Error(`The service of ${deployment.id} was transferred or deleted.`);
  }
  return snapshot;
}

/** A snapshot, and the deployment whose image it reuses. */
type NewSnapshot = Snapshot & { sourceDeploymentId: string | null };

async function takeSnapshot(deps: Dependencies, rows: DispatchRows): Promise<NewSnapshot> {
  const { db } = deps;
  const { job, service, project, deployment, quotas, storedLogBytes } = rows;
  const [domains, settingRows, kept, [today], variables, volumes, [fileRow]] = await db.batch([
    selectDomains(db, service.id),
    selectSettings(db),
    selectKeptDeployments(db, service.id, deployment.id, keptVersions - 1),
    selectTenantDay(db, project.tenantId, deps.now()),
    selectServiceVariables(db, service.id),
    selectVolumes(db, service.id),
    selectServiceFiles(db, service.id),
  ]);
  const files = await openFiles(deps, project, fileRow);
  const settings = settingsOf(settingRows);
  const limits = limitsOfTenant({ id: project.tenantId, quotas }, settings);
  const { memoryLimitMb, cpuLimit, warnings: reduced } = containerLimitsOf(service, quotas, limits);
  const now = {
    service: { ...service, memoryLimitMb, cpuLimit, hostPort: hostPortOf(job, service) },
    tenantId: project.tenantId,
    deploymentId: deployment.id,
    domains: domains.filter(({ isVerified }) => isVerified),
    publicIp: settings.publicIp,
    keptDeployments: kept.map(({ id }) => id),
    limits: specLimitsOf(limits, today, { quota: quotas.logBytes, used: storedLogBytes }),
    volumes: mountedVolumes(volumes, limits.containerDiskMb),
  };
  const { sourceDeploymentId } = deployment;
  if (sourceDeploymentId !== null && job.runnerId !== service.runnerId)
    throw new UndispatchableError(deployment.trigger === 'restart' ? nothingToRestart : hostChanged);
  if (deployment.trigger === 'restart') {
    const {
      variables: current,
      secretKeys,
      warnings,
    } = await resolveServiceVariables(deps, service, project);
    // Another version may be live since the request: a restart must not bring an earlier one back.
    const live = await findLiveDeployment(deps.db, service.id);
    if (!live) throw new UndispatchableError(nothingToRestart);
    const { source, frozen } = await openSource(deps, project, live.id);
    const kind = kindOfVersion(frozen, service);
    const scoped = { ...current, buildOnly: frozen.buildOnly };
    const warned = { ...now, variables: scoped, warnings: [...warnings, ...reduced] };
    return {
      spec: restartSpecOf({ ...warned, source, frozen: frozen.spec, kind }),
      kind,
      ...scoped,
      secretKeys,
      ...filesPart(mountedFiles(files), volumes),
      sourceDeploymentId: live.id,
    };
  }
  if (sourceDeploymentId !== null) {
    const { source, frozen } = await openSource(deps, project, sourceDeploymentId);
    const spec = rollbackSpecOf({ ...now, source, frozen: frozen.spec });
    const secretKeys = withSecretsChosenSince(frozen, variables);
    const earlier = filesPart(withSecretFilesSince(frozen.files ?? [], files), volumes);
    const kind = kindOfVersion(frozen, service);
    const { env, buildOnly, runOnly } = frozen;
    return { spec, kind, env, buildOnly, runOnly, secretKeys, ...earlier, sourceDeploymentId };
  }
  const refusal = isBuilt(service) && buildMinutesUsedUp(limits.buildMinutesPerDay, today?.buildMs ?? 0);
  if (refusal) {
    await recordQuotaRefusal(deps, project.tenantId, buildMinutesQuota);
    throw new UndispatchableError(refusal);
  }
  const { variables: current, secretKeys, warnings } = await resolveServiceVariables(deps, service, project);
  const all = [...warnings, ...reduced];
  const { ref, trigger } = deployment;
  const imageDigest = trigger === 'image-update' ? deployment.imageDigest : null;
  const spec = deploySpecOf({
    ...now,
    folder: rows.folder,
    ...{ ref, imageDigest, variables: current, warnings: all },
  });
  const { kind } = service;
  return {
    spec,
    kind,
    ...current,
    secretKeys,
    ...filesPart(mountedFiles(files), volumes),
    sourceDeploymentId,
  };
}

/** @throws UndispatchableError if a file would be written into a current volume */
function filesPart(files: readonly MountedFile[], volumes: readonly VolumeRow[]): Pick<Snapshot, 'files'> {
  const clash = clashOf(files, volumes);
  if (clash) throw new UndispatchableError(clash);
  return files.length > 0 ? { files: [...files] } : {};
}

/** A variable that was declared secret after the earlier deployment is secret for its rollback too. */
function withSecretsChosenSince(
  { secretKeys, ...frozen }: Snapshot,
  variables: readonly VariableRow[],
): Snapshot['secretKeys'] {
  if (secretKeys === undefined) return undefined;
  const values = allVariables(frozen);
  const chosen = variables.filter(({ key, secret }) => secret === true && values[key] !== undefined);
  return [...new Set([...secretKeys, ...chosen.map(({ key }) => key)])];
}

/**
 * @param today use of the tenant today @param stored quota of stored logs, and the present use
 */
export function specLimitsOf(
  limits: TenantLimits,
  today: TenantDay | undefined,
  stored: { quota: number | undefined; used: number },
): SpecLimits {
  const { containerPids, containerOpenFiles, containerDiskMb, buildLogBytesPerDay } = limits;
  const ofDay = buildLogBytesPerDay === null ? null : buildLogBytesPerDay - (today?.logBytes ?? 0);
  const ofStore = stored.quota === undefined ? null : stored.quota - stored.used;
  return {
    pids: containerPids,
    openFiles: containerOpenFiles,
    diskMb: containerDiskMb,
    buildLogBytes: leastLeft(ofDay, ofStore),
  };
}

/** Null without a limit. */
function leastLeft(...left: (number | null)[]): number | null {
  const limits = left.filter((one) => one !== null);
  return limits.length === 0 ? null : Math.max(0, Math.min(...limits));
}

/** A service can get another port on its new host in a move. */
function hostPortOf(job: DispatchRows['job'], service: DispatchRows['service']): number {
  return job.runnerId === service.nextRunnerId && service.nextHostPort !== null
    ? service.nextHostPort
    : service.hostPort;
}

async function openSource(deps: Dependencies, project: DispatchRows['project'], sourceId: string) {
  const source = await findRollbackSource(deps.db, sourceId);
  if (!source?.sealedSnapshot) throw new UndispatchableError(noLongerKept);
  const { sealedSnapshot, ...shown } = source;
  return { source: shown, frozen: await openSnapshot(deps, project, sourceId, sealedSnapshot) };
}
