/** Backups of databases and of volumes in the form of the API. */
import type { ReplyOf, Routes } from '../../../../client/client.ts';

type OfDatabase = ReplyOf<'GET /api/services/:serviceId/database/backups'>;
type OfVolumes = ReplyOf<'GET /api/services/:serviceId/volume-backups'>;
export type VolumeBackup = OfVolumes['backups'][number];
export type Backup = OfDatabase['backups'][number] | VolumeBackup;
export type Storage = Backup['storage'];
export type Quiesce = VolumeBackup['quiesce'];
export type Plan = Routes['PATCH /api/services/:serviceId/volume-backups/settings']['body'];

export interface Backups {
  backups: readonly Backup[];
  settings: OfDatabase['settings'] | OfVolumes['settings'];
  remote: { connected: boolean };
}
