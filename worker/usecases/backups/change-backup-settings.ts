import { ApiError } from '../../domain/errors.ts';
import {
  type BackupSettingsRow,
  selectBackupSettings,
  upsertBackupSettings,
} from '../../store/backups/backup-store.ts';
import type { ServiceRow } from '../../store/services/service-store.ts';
import { engineOfDatabase } from '../databases/ask-database.ts';
import type { Dependencies } from '../dependencies.ts';
import type { SubjectKind } from './backup-subjects.ts';
import { defaultBackupSettings } from './list-backups.ts';

export type BackupSettingsChanges = {
  [Name in keyof Pick<
    BackupSettingsRow,
    'storage' | 'automaticEnabled' | 'dailyEnabled' | 'weeklyEnabled' | 'monthlyEnabled' | 'drill' | 'quiesce'
  >]?: BackupSettingsRow[Name] | undefined;
};

/**
 * Writes the given settings; others do not change. A backup that becomes due starts within minutes. Settings of volumes apply to each
 * volume of the service, including volumes that are added later.
 * @throws ApiError `unsupported` for settings of the other kind of service
 */
export async function changeBackupSettings(
  { db, now }: Pick<Dependencies, 'db' | 'now'>,
  service: ServiceRow,
  kind: SubjectKind,
  changes: BackupSettingsChanges,
): Promise<BackupSettingsRow> {
  if (kind === 'database') engineOfDatabase(service);
  else assertNoDatabase(service);
  const at = now();
  const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
  const fresh = defaultBackupSettings({ id: service.id, createdAt: at });
  const [, [written]] = await db.batch([
    upsertBackupSettings(db, fresh, given),
    selectBackupSettings(db, service.id),
  ]);
  return written ?? { ...fresh, ...given };
}

function assertNoDatabase({ kind }: ServiceRow): void {
  if (kind !== 'database') return;
  throw new ApiError(
    'unsupported',
    'This is a database: its backups are set up by PATCH /api/services/<id>/database/backups/settings.',
  );
}
