/** The subjects of backups, restores and drills: the database of a service, or each of its volumes separately. */
import { ApiError } from '../../domain/errors.ts';
import type { BackupCheck } from '../../store/backups/backup-check-store.ts';
import type { BackupRow } from '../../store/backups/backup-store.ts';
import type { ServiceRow } from '../../store/services/service-store.ts';
import { assertDeployed } from '../databases/ask-database.ts';

export type SubjectKind = 'database' | 'volume';

/** @returns whether a backup has a subject of this kind */
export const isOf =
  (kind: SubjectKind) =>
  ({ volumeId }: Pick<BackupRow, 'volumeId'>): boolean =>
    (volumeId !== null) === (kind === 'volume');

/** @throws ApiError `unsupported` for a backup of a database */
export function volumeIdOf({ volumeId }: Pick<BackupRow, 'volumeId'>): string {
  if (volumeId !== null) return volumeId;
  throw new ApiError(
    'unsupported',
    'This is a backup of a database: use the routes under "database/backups".',
  );
}

/**
 * Asserts that there is data on a host. The first deployment of a service creates its volumes there.
 * @throws ApiError `conflict` for a database that is not running, and for volumes of a service that was never deployed
 */
export function assertOnHost(service: ServiceRow, kind: SubjectKind): void {
  if (kind === 'database') assertDeployed(service);
  if (service.lastDeployedAt !== null) return;
  throw new ApiError(
    'conflict',
    'The service was never deployed, so its volume is not on a host yet: deploy it first.',
  );
}

/**
 * @param purpose the caller's purpose, as in "has a file"
 * @throws ApiError `conflict`
 */
export function assertSucceeded({ status }: Pick<BackupRow, 'status'>, purpose: string): void {
  if (status === 'succeeded') return;
  throw new ApiError('conflict', `This backup is ${status}: only a successful backup ${purpose}.`);
}

export interface BackupSubject {
  /** `null` for the database. */
  volume: BackupCheck['volumes'][number] | null;
  /** Scheduled, safety and running backups of the subject. */
  backups: BackupCheck['backups'];
  /** The newest successful backup of the subject; undefined if there is none. */
  newest: BackupCheck['newest'][number] | undefined;
  /** Running drills, and those of the last week. */
  drills: BackupCheck['drills'];
}

/** @returns none for a service without volumes, unless it is a database */
export function subjectsOf(check: BackupCheck): BackupSubject[] {
  const { service, volumes } = check;
  const found = service.kind === 'database' ? [null] : volumes;
  return found.map((volume) => {
    const isIts = ({ volumeId }: { volumeId: string | null }) => volumeId === (volume?.id ?? null);
    return {
      volume,
      backups: check.backups.filter(isIts),
      newest: check.newest.find(isIts),
      drills: check.drills.filter(isIts),
    };
  });
}

/**
 * Whether there is data to back up. A service that was never deployed has none, and the host creates a volume with the next deployment
 * after the volume was added.
 */
export const isOnHost = ({ service }: BackupCheck, { volume }: BackupSubject): boolean =>
  service.lastDeployedAt !== null && (volume === null || volume.createdAt <= service.lastDeployedAt);
