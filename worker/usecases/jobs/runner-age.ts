/** Refuses jobs that a runner is too old for. */
import type { DeploySecrets, DeploySpec } from '../../../protocol/job-spec.ts';
import { UndispatchableError } from '../../domain/deployments/deploy-spec.ts';
import { isWildcard } from '../../domain/names/hostname.ts';
import type { DataDispatchRows } from '../../store/jobs/data-dispatch-store.ts';
import type { DispatchRows } from '../../store/jobs/dispatch-store.ts';

/** An old runner would ignore the volumes: the app would start without its data. @throws UndispatchableError */
export function assertMountsVolumes({ name, facts }: DispatchRows['host'], { volumes }: DeploySpec): void {
  if (!volumes?.length || facts.mountsVolumes) return;
  throw new UndispatchableError(
    `The runner of the host "${name}" is too old for volumes: update it, then deploy again.`,
  );
}

/** An old runner would store the backup without encryption, and could read no encrypted one. @throws UndispatchableError */
export function assertEncrypts({ host, currentKey, restored }: DataDispatchRows): void {
  if (host.facts.encryptsBackups || (currentKey === null && !restored?.encryptedWith)) return;
  throw new UndispatchableError(
    `The runner of the host "${host.name}" is too old for encrypted backups: update it.`,
  );
}

/** An old runner does not know such jobs. @throws UndispatchableError */
export function assertBacksUpVolumes({ host, isOfVolume }: DataDispatchRows): void {
  if (!isOfVolume || host.facts.backsUpVolumes) return;
  throw new UndispatchableError(
    `The runner of the host "${host.name}" is too old for backups of volumes: update it, then try again.`,
  );
}

/** An old runner does not know such jobs. The backup is not tested, which says nothing about it. @throws UndispatchableError */
export function assertDrillsVolumes({ host, isOfVolume, drill }: DataDispatchRows): void {
  if (!isOfVolume || !drill || host.facts.drillsVolumes) return;
  throw new UndispatchableError(
    `The runner of the host "${host.name}" is too old to test backups of volumes: update it, then try again.`,
    'drill_skipped',
  );
}

/** An old runner does not know this source. @throws UndispatchableError */
export function assertBuildsUploads({ name, facts }: DispatchRows['host'], { source }: DeploySpec): void {
  if (source.type !== 'upload' || facts.buildsUploads) return;
  throw new UndispatchableError(
    `The runner of the host "${name}" is too old to build an uploaded folder: update it, then deploy again.`,
  );
}

/**
 * An old runner would route requests past the rules (no password, no maintenance), and would refuse a wildcard after the build.
 * @throws UndispatchableError
 */
export function assertServesNames({ name, facts }: DispatchRows['host'], { names }: DeploySpec): void {
  if (!facts.routesWildcards && names?.names.some(({ hostname }) => isWildcard(hostname))) {
    throw new UndispatchableError(
      `The runner of the host "${name}" is too old for wildcards: update it, then deploy again.`,
    );
  }
  if (!names?.rules || facts.appliesTrafficRules) return;
  throw new UndispatchableError(
    `The runner of the host "${name}" is too old for traffic rules: update it, then deploy again.`,
  );
}

/** An old runner would never let it sleep. @throws UndispatchableError */
export function assertSleepsWhenIdle(
  { name, facts }: DispatchRows['host'],
  { sleepAfterMinutes }: DeploySpec,
): void {
  if (!sleepAfterMinutes || facts.sleepsWhenIdle) return;
  throw new UndispatchableError(
    `The runner of the host "${name}" is too old for services that sleep: update it, or set "sleepAfterMinutes" to null, then deploy again.`,
  );
}

/** An old runner would start one container. @throws UndispatchableError */
export function assertRunsReplicas({ name, facts }: DispatchRows['host'], { replicas }: DeploySpec): void {
  if (!replicas || facts.runsReplicas) return;
  throw new UndispatchableError(
    `The runner of the host "${name}" is too old for replicas: update it, then deploy again.`,
  );
}

/** An old runner would ignore the files: the app would start without them. @throws UndispatchableError */
export function assertMountsFiles(
  { name, facts }: DispatchRows['host'],
  { files }: Pick<DeploySecrets, 'files'>,
): void {
  if (!files?.length || facts.mountsFiles) return;
  throw new UndispatchableError(
    `The runner of the host "${name}" is too old for mounted files: update it, then try again.`,
  );
}
