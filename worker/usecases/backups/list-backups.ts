import type { SQL } from 'drizzle-orm';
import {
  type BackupSettingsRow,
  type RestoreRow,
  type StartedBackup,
  selectBackupSettings,
  selectBackups,
  selectRestores,
} from '../../store/backups/backup-store.ts';
import { type StartedDrill, selectDrills } from '../../store/backups/drill-store.ts';
import type { ServiceRow } from '../../store/services/service-store.ts';
import type { Database } from '../../store/sql/database.ts';
import type { Page } from '../../store/sql/keyset.ts';
import { engineOfDatabase } from '../databases/ask-database.ts';
import type { SubjectKind } from './backup-subjects.ts';

/** Statements for the batch that reads the key. */
export const backupListStatements = (db: Database, serviceId: string | SQL, page: Page) => ({
  backups: selectBackups(db, serviceId, page),
  restores: selectRestores(db, serviceId, page),
  drills: selectDrills(db, serviceId, page),
  settings: selectBackupSettings(db, serviceId),
});

export interface BackupListRows {
  backups: StartedBackup[];
  restores: RestoreRow[];
  drills: StartedDrill[];
  settings: BackupSettingsRow[];
}

/** @throws ApiError `unsupported` for the database of a service of another kind */
export function listBackups(service: ServiceRow, kind: SubjectKind, rows: BackupListRows) {
  if (kind === 'database') engineOfDatabase(service);
  return { ...rows, settings: rows.settings[0] ?? defaultBackupSettings(service) };
}

/** Settings of a database, or of a service's volumes, before any change. */
export const defaultBackupSettings = ({
  id,
  createdAt,
}: {
  id: string;
  createdAt: number;
}): BackupSettingsRow => ({
  serviceId: id,
  storage: 'disk',
  automaticEnabled: false,
  dailyEnabled: false,
  weeklyEnabled: false,
  monthlyEnabled: false,
  drill: 'off',
  quiesce: null,
  nextCheckAt: createdAt,
  notedDueAt: 0,
  notedDrillAt: 0,
  createdAt,
  updatedAt: createdAt,
});
