import { ApiError } from '../../domain/errors.ts';
import {
  type BackupSettingsRow,
  selectBackupSettings,
  upsertBackupSettings,
} from '../../store/backups/backup-store.ts';
import type { ServiceRow } from '../../store/services/service-store.ts';
import { engineOfDatabase } from '../databases/ask-database.ts';
import type { Dependencies } from '../dependencies.ts';
import { defaultBackupSettings } from './list-backups.ts';

export type BackupSettingsChanges = {
  [Name in keyof Pick<
    BackupSettingsRow,
    'storage' | 'automaticEnabled' | 'dailyEnabled' | 'weeklyEnabled' | 'monthlyEnabled' | 'drill' | 'quiesce'
  >]?: BackupSettingsRow[Name] | undefined;
};

/**
 * Writes the given settings and keeps the others. A backup that is now due starts within minutes.
 * @throws ApiError `unsupported` for a service that is not a database
 */
export async function changeBackupSettings(
  { db, now }: Pick<Dependencies, 'db' | 'now'>,
  service: ServiceRow,
  changes: BackupSettingsChanges,
): Promise<BackupSettingsRow> {
  engineOfDatabase(service);
  return await writeBackupSettings({ db, now }, service, changes);
}

/**
 * The same for a service with volumes: the schedule holds for each of them, those that are added later included.
 * @throws ApiError `unsupported` for a database
 */
export async function changeVolumeBackupSettings(
  { db, now }: Pick<Dependencies, 'db' | 'now'>,
  service: ServiceRow,
  changes: BackupSettingsChanges,
): Promise<BackupSettingsRow> {
  if (service.kind === 'database') {
    throw new ApiError(
      'unsupported',
      'This is a database: its backups are set up by PATCH /api/services/<id>/database/backups/settings.',
    );
  }
  return await writeBackupSettings({ db, now }, service, changes);
}

async function writeBackupSettings(
  { db, now }: Pick<Dependencies, 'db' | 'now'>,
  service: ServiceRow,
  changes: BackupSettingsChanges,
): Promise<BackupSettingsRow> {
  const at = now();
  const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
  const fresh = defaultBackupSettings({ id: service.id, createdAt: at });
  const [, [written]] = await db.batch([
    upsertBackupSettings(db, fresh, given),
    selectBackupSettings(db, service.id),
  ]);
  return written ?? { ...fresh, ...given };
}
