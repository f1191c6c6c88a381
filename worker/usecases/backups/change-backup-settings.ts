import {
  type BackupSettingsRow,
  selectBackupSettings,
  upsertBackupSettings,
} from '../../store/backup-store.ts';
import type { ServiceRow } from '../../store/service-store.ts';
import { engineOfDatabase } from '../databases/ask-database.ts';
import type { Dependencies } from '../dependencies.ts';
import { defaultBackupSettings } from './list-backups.ts';

export type BackupSettingsChanges = {
  [Name in keyof Pick<
    BackupSettingsRow,
    'storage' | 'automaticEnabled' | 'dailyEnabled' | 'weeklyEnabled' | 'monthlyEnabled' | 'drill'
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
  const at = now();
  const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
  const fresh = defaultBackupSettings({ id: service.id, createdAt: at });
  const [, [written]] = await db.batch([
    upsertBackupSettings(db, fresh, given),
    selectBackupSettings(db, service.id),
  ]);
  return written ?? { ...fresh, ...given };
}
