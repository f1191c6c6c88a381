/** Loaders of projects, services and their parts that a key may see. */
import type { KeyLevel } from '../../domain/access/key-levels.ts';
import { type BackupRow, selectScopedBackup } from '../../store/backups/backup-store.ts';
import { type RunRow, selectScopedRun } from '../../store/commands/run-store.ts';
import { type ScheduleRow, selectScopedSchedule } from '../../store/commands/schedule-store.ts';
import { type DeletionRow, selectScopedDeletion } from '../../store/deletions/deletion-store.ts';
import type { JobRow, ShownDeployment } from '../../store/deployments/deployment-store.ts';
import { selectScopedUpload, type UploadRow } from '../../store/deployments/upload-store.ts';
import type { DomainRow } from '../../store/domains/domain-store.ts';
import { type ImportRow, selectScopedImport } from '../../store/imports/import-store.ts';
import type { ProjectRow } from '../../store/projects/project-store.ts';
import type { ServiceRow } from '../../store/services/service-store.ts';
import type { VariableRow } from '../../store/services/variable-store.ts';
import { selectScopedVolume, type VolumeRow } from '../../store/services/volume-store.ts';
import { selectSignedService } from '../../store/sources/git-webhook-store.ts';
import {
  selectScopedDeployment,
  selectScopedDomain,
  selectScopedProject,
  selectScopedProjectBySlug,
  selectScopedService,
  selectScopedVariable,
} from '../../store/sql/scoped-store.ts';
import { ofAnyone, ofKey, type PathParameters, type ResourceLoader } from './loader.ts';

export interface LoadedProject {
  project: ProjectRow;
}
export interface LoadedService extends LoadedProject {
  service: ServiceRow;
}
/** A service with a webhook. */
export interface SignedService extends LoadedService {
  sealedSecret: string;
  verifiedAt: number | null;
  /** The repository of the webhook; null: unknown. */
  repoUrl: string | null;
}
export interface LoadedDeployment extends LoadedService {
  deployment: ShownDeployment;
  job: JobRow;
}
export interface LoadedVariable extends LoadedService {
  variable: VariableRow;
}
export interface LoadedBackup extends LoadedService {
  backup: BackupRow;
}
export interface LoadedImport extends LoadedService {
  import: ImportRow;
}
export interface LoadedUpload extends LoadedService {
  upload: UploadRow;
}
export interface LoadedDomain extends LoadedService {
  domain: DomainRow;
}
export interface LoadedVolume extends LoadedService {
  volume: VolumeRow;
}
export interface LoadedRun extends LoadedService {
  run: RunRow;
  job: JobRow;
}
export interface LoadedSchedule extends LoadedService {
  schedule: ScheduleRow;
}
export interface LoadedDeletion {
  deletion: DeletionRow;
  /** The caller's own level in the service's project, which may be deleted as well; `null` without one. */
  ownLevel?: KeyLevel | null;
}

export const projectResource = ofKey<LoadedProject>('project', ['projectId'], selectScopedProject);
/** Finds a project by its slug or id. */
export const projectBySlugResource = ofKey<LoadedProject>(
  'project',
  ['projectSlug'],
  selectScopedProjectBySlug,
);
export const serviceResource = ofKey<LoadedService>('service', ['serviceId'], selectScopedService);
/** A service with a webhook, for requests signed with the webhook's secret. */
export const signedServiceResource = ofAnyone<SignedService>(
  'signed',
  'service',
  'serviceId',
  selectSignedService,
);
export const deploymentResource = ofKey<LoadedDeployment>(
  'deployment',
  ['deploymentId'],
  selectScopedDeployment,
);

/** A part of a service: the path contains the ids of both. */
const partOfService = <Loaded extends LoadedService>(
  name: string,
  id: string,
  select: Parameters<typeof ofKey<Loaded>>[2],
) => ofKey<Loaded>(name, ['serviceId', id], select);

export const variableResource = partOfService<LoadedVariable>('variable', 'envId', selectScopedVariable);
export const backupResource = partOfService<LoadedBackup>('backup', 'backupId', selectScopedBackup);
export const importResource = partOfService<LoadedImport>('import', 'importId', selectScopedImport);
export const uploadResource = partOfService<LoadedUpload>('upload', 'uploadId', selectScopedUpload);
export const domainResource = partOfService<LoadedDomain>('domain', 'domainId', selectScopedDomain);
export const volumeResource = partOfService<LoadedVolume>('volume', 'volumeId', selectScopedVolume);
export const runResource = partOfService<LoadedRun>('run', 'runId', selectScopedRun);
export const scheduleResource = partOfService<LoadedSchedule>('schedule', 'scheduleId', selectScopedSchedule);

/** A deleted resource that the key can restore. @param place its ids in the path */
export function deletionResource(
  kind: DeletionRow['kind'],
  place: (params: PathParameters) => { resourceId: string; serviceId?: string },
): ResourceLoader<LoadedDeletion> {
  return {
    name: `deleted ${kind}`,
    scope: 'key',
    select: (db, tokenId, params) => selectScopedDeletion(db, tokenId, { kind, ...place(params) }),
    projectOf: ({ deletion }) => deletion.projectId,
    levelOf: ({ ownLevel }) => ownLevel,
  };
}
