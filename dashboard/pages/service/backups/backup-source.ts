/** The backups of a database or of a service's volumes, and the actions on them. */

import { api } from '../../../api/client.ts';
import { queries } from '../../../api/query-client.ts';
import { useQuery } from '../../../api/use-query.ts';
import type { Backup, Backups, Plan } from './backup.ts';

export interface BackupSource {
  serviceId: string;
  /** The kind of data: the sentences differ. */
  of: 'database' | 'volumes';
  list(signal: AbortSignal): Promise<Backups>;
  plan(plan: Plan): Promise<unknown>;
  prove(backupId: string): Promise<unknown>;
  abortProof(backupId: string): Promise<unknown>;
  /** Restores and waits for the end. @param targetVolumeId undefined: the volume of the backup */
  restore(backupId: string, targetVolumeId?: string): Promise<unknown>;
  abortRestore(backupId: string): Promise<unknown>;
  abort(backupId: string): Promise<unknown>;
  download(backupId: string): Promise<Response>;
  remove(backupId: string): Promise<unknown>;
}

export function databaseBackups(serviceId: string): BackupSource {
  const own = { params: { serviceId } };
  const one = (backupId: string) => ({ params: { serviceId, backupId } });
  const path = '/api/services/:serviceId/database/backups';
  return {
    ...{ serviceId, of: 'database' },
    list: (signal) => api.call(`GET ${path}`, { ...own, signal }),
    plan: ({ quiesce: _, before: __, after: ___, ...body }) =>
      api.call(`PATCH ${path}/settings`, { ...own, body }),
    prove: (id) => api.call(`POST ${path}/:backupId/prove`, one(id)),
    abortProof: (id) => api.call(`POST ${path}/:backupId/prove/abort`, one(id)),
    restore: (id) => api.call(`POST ${path}/:backupId/restore`, { ...one(id), body: {} }),
    abortRestore: (id) => api.call(`POST ${path}/:backupId/restore/abort`, one(id)),
    abort: (id) => api.call(`POST ${path}/:backupId/abort`, one(id)),
    download: (id) => api.open(`GET ${path}/:backupId/download`, one(id)),
    remove: (id) => api.call(`DELETE ${path}/:backupId`, one(id)),
  };
}

export function volumeBackups(serviceId: string): BackupSource {
  const own = { params: { serviceId } };
  const one = (backupId: string) => ({ params: { serviceId, backupId } });
  const path = '/api/services/:serviceId/volume-backups';
  return {
    ...{ serviceId, of: 'volumes' },
    list: (signal) => api.call(`GET ${path}`, { ...own, signal }),
    plan: (body) => api.call(`PATCH ${path}/settings`, { ...own, body }),
    prove: (id) => api.call(`POST ${path}/:backupId/prove`, one(id)),
    abortProof: (id) => api.call(`POST ${path}/:backupId/prove/abort`, one(id)),
    restore: (id, targetVolumeId) =>
      api.call(`POST ${path}/:backupId/restore`, {
        ...one(id),
        body: targetVolumeId === undefined ? {} : { targetVolumeId },
      }),
    abortRestore: (id) => api.call(`POST ${path}/:backupId/restore/abort`, one(id)),
    abort: (id) => api.call(`POST ${path}/:backupId/abort`, one(id)),
    download: (id) => api.open(`GET ${path}/:backupId/download`, one(id)),
    remove: (id) => api.call(`DELETE ${path}/:backupId`, one(id)),
  };
}

export const useBackups = (source: () => BackupSource) =>
  useQuery(() => ({
    queryKey: ['backups', source().serviceId],
    queryFn: ({ signal }) => source().list(signal),
  }));

export const renewBackups = ({ serviceId }: BackupSource): Promise<void> =>
  queries.invalidateQueries({ queryKey: ['backups', serviceId] });

/** Whether the backup is being taken, restored or proven. */
export const isBusy = ({ status, restore, drill }: Backup): boolean =>
  status === 'running' || restore?.state === 'running' || drill?.state === 'running';

/** Aborts the current work on the backup. */
export async function abortRunning(
  source: BackupSource,
  { id, status, restore, drill }: Backup,
): Promise<void> {
  if (restore?.state === 'running') await source.abortRestore(id);
  else if (drill?.state === 'running') await source.abortProof(id);
  else if (status === 'running') await source.abort(id);
}
