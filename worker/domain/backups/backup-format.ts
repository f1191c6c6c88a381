/** Why a backup is taken, its file format by engine, and where its copies are stored. */
import type { EngineName } from '../../../protocol/database.ts';

/** `move`: the service moves to another host. `pre-update`: a new digest of its image deploys next. */
export const backupTriggers = [
  'manual',
  'daily',
  'weekly',
  'monthly',
  'pre-restore',
  'pre-update',
  'move',
] as const;

export const backupFormats = ['custom', 'sql', 'rdb', 'archive', 'native', 'tar'] as const;
export type BackupFormat = (typeof backupFormats)[number];

export const backupFormatOf: Readonly<Record<EngineName, BackupFormat>> = {
  postgres: 'custom',
  timescale: 'custom',
  mysql: 'sql',
  redis: 'rdb',
  mongodb: 'archive',
  clickhouse: 'native',
};

export const storages = ['disk', 'remote', 'disk+remote'] as const;
export type BackupStorage = (typeof storages)[number];

export const keepsOnDisk = (storage: BackupStorage) => storage !== 'remote';
export const keepsRemotely = (storage: BackupStorage) => storage !== 'disk';

/** Object key of a backup copy in the bucket. */
export const remoteKeyOf = (backup: { id: string; serviceId: string }) =>
  `backups/${backup.serviceId}/${backup.id}`;
