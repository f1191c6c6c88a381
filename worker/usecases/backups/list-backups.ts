import type { SQL } from 'drizzle-orm';
import {
  type BackupRow,
  type BackupSettingsRow,
  type RestoreRow,
  selectBackupSettings,
  selectBackups,
  selectRestores,
} from '../../store/backups/backup-store.ts';
import { type DrillRow, selectDrills } from '../../store/backups/drill-store.ts';
import type { ServiceRow } from '../../store/services/service-store.ts';
import type { Database } from '../../store/sql/database.ts';
import type { Page } from '../../store/sql/keyset.ts';
import { engineOfDatabase } from '../databases/ask-database.ts';

/** Statements for the batch that reads the key. */
export const backupListStatements = (db: Database, serviceId: string | SQL, page: Page) => ({
  backups: selectBackups(db, serviceId, page),
  restores: selectRestores(db, serviceId, page),
  drills: selectDrills(db, serviceId, page),
  settings: selectBackupSettings(db, serviceId),
});

export interface BackupListRows {
  backups: BackupRow[];
  restores: RestoreRow[];
  drills: DrillRow[];
  settings: BackupSettingsRow[];
}

/** @throws ApiError `unsupported` for a service that is not a database */
export function listBackups(service: ServiceRow, rows: BackupListRows) {
  engineOfDatabase(service);
  return { ...rows, settings: rows.settings[0] ?? defaultBackupSettings(service) };
}

/** Settings of a database, or of a service's volumes, until they are changed. */
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
