/** Builds from rows the spec of a data job that its host receives. */
import type { ImportSourceKind } from '../../../protocol/import-source.ts';
import type {
  BackupSpec,
  DrillSpec,
  ImportSpec,
  RestoreSpec,
  UpgradeSpec,
} from '../../../protocol/job-spec.ts';
import type { StoredBackup } from '../../../protocol/stored-backup.ts';
import type {
  Quiesce,
  VolumeBackupSpec,
  VolumeDrillSpec,
  VolumeFillSpec,
  VolumeRestoreSpec,
} from '../../../protocol/volumes/volume-job-spec.ts';
import type { BackupStorage } from '../backups/backup-format.ts';
import { keepsOnDisk, keepsRemotely, remoteKeyOf } from '../backups/backup-format.ts';
import { engineOf } from '../databases/database-engines.ts';
import { mountedVolumes } from '../services/volumes.ts';
import { UndispatchableError } from './deploy-spec.ts';

export interface DataJobRows {
  service: {
    id: string;
    projectId: string;
    repoFullName: string | null;
    runtimeMode: 'web' | 'worker' | 'static';
    internalPort: number;
  };
  /** Encrypts the backup that the job takes; `null` without encryption. */
  currentKey: { id: string; recipient: string } | null;
  backup: { id: string; serviceId: string; storage: BackupStorage; quiesce: Quiesce | null } | null;
  /** Whether the job is about a volume of a service that is no database. */
  isOfVolume: number;
  /** The volume; `null` if it was deleted. */
  volume: { id: string; name: string; mountPath: string; sizeMb: number | null } | null;
  /** The disk limit for the tenant's containers, in units of 2^20 bytes; `null` without a limit. */
  diskMb: number | null;
  restore: { id: string; safetyBackupId: string } | null;
  drill: { id: string } | null;
  upgrade: {
    id: string;
    action: 'dry-run' | 'upgrade' | 'undo';
    imageRef: string;
    undoes: string | null;
    acceptNotKept: boolean;
    safetyBackupId: string | null;
  } | null;
  import: {
    id: string;
    source: ImportSourceKind;
    safetyBackupId: string | null;
    continueOnError: boolean;
  } | null;
  /** Only for an import from a file. */
  upload: { sizeBytes: number; checksum: string | null } | null;
  restored: {
    id: string;
    serviceId: string;
    status: 'running' | 'succeeded' | 'failed';
    sizeBytes: number;
    checksum: string;
    tables: number | null;
    rows: number | null;
    localPath: string | null;
    remoteKey: string | null;
    encryptedWith: string | null;
  } | null;
}

export type DataJobSpec =
  | VolumeBackupSpec
  | VolumeRestoreSpec
  | VolumeDrillSpec
  | VolumeFillSpec
  | BackupSpec
  | RestoreSpec
  | ImportSpec
  | DrillSpec
  | UpgradeSpec;

/** @throws UndispatchableError if a row that the job needs no longer exists. */
export function dataJobSpecOf(rows: DataJobRows): DataJobSpec {
  const { service, backup, restore, restored, drill, currentKey } = rows;
  if (rows.isOfVolume) return volumeJobSpecOf(rows);
  const engine = engineOf(service);
  if (engine === null) throw new UndispatchableError('This service is no longer a database.');
  const database = {
    ...{ projectId: service.projectId, serviceId: service.id, engine },
    ...encryptionWith(currentKey),
  };
  if (restore && restored) {
    const { id, safetyBackupId } = restore;
    return { kind: 'restore', ...database, restoreId: id, backup: storedBackup(restored), safetyBackupId };
  }
  if (drill && restored) {
    return { kind: 'drill', ...database, drillId: drill.id, backup: storedBackup(restored) };
  }
  if (rows.upgrade) {
    return { kind: 'upgrade', ...database, upgradeId: rows.upgrade.id, work: workOf(rows.upgrade) };
  }
  if (rows.import) {
    const { id, source, safetyBackupId, continueOnError } = rows.import;
    const file = {
      ...(rows.upload && { file: rows.upload }),
      ...(continueOnError && { continueOnError }),
    };
    if (source === 'file' && !rows.upload)
      throw new UndispatchableError('The uploaded file no longer exists.');
    return { kind: 'import', ...database, importId: id, source, safetyBackupId, ...file };
  }
  if (!backup) throw new UndispatchableError('The backup was deleted before it started.');
  return { kind: 'backup', ...database, backupId: backup.id, ...copiesOf(backup) };
}

/** @throws UndispatchableError */
function volumeJobSpecOf(
  rows: DataJobRows,
): VolumeBackupSpec | VolumeRestoreSpec | VolumeDrillSpec | VolumeFillSpec {
  const { service, backup, restore, restored, drill, diskMb } = rows;
  const its = { projectId: service.projectId, serviceId: service.id };
  if (drill && restored)
    return { kind: 'volume-drill', ...its, drillId: drill.id, backup: storedBackup(restored) };
  // A move needs no safety copy, because the volume on the new host is empty.
  const filled = backup === null && restore ? restored : null;
  if (filled && filled.status !== 'succeeded')
    throw new UndispatchableError('The volume could not be copied on the old host, so the move ends here.');
  if (!rows.volume || !(backup || filled))
    throw new UndispatchableError('The volume or the backup was deleted before the job started.');
  const [volume] = mountedVolumes([rows.volume], diskMb);
  if (!volume) throw new Error('One volume is mounted.');
  const { id, name, sizeMb } = volume;
  const of = {
    ...{ ...its, volume: { id, name, sizeMb } },
    ...encryptionWith(rows.currentKey),
  };
  if (restore && filled)
    return { kind: 'volume-fill', ...of, restoreId: restore.id, backup: storedBackup(filled) };
  if (!backup) throw new UndispatchableError('The backup was deleted before it started.');
  if (restore && restored) {
    const port = service.runtimeMode === 'web' ? service.internalPort : null;
    const { id: restoreId, safetyBackupId } = restore;
    return { kind: 'volume-restore', ...of, restoreId, backup: storedBackup(restored), safetyBackupId, port };
  }
  const quiesce = backup.quiesce ?? { type: 'none' };
  return { kind: 'volume-backup', ...of, backupId: backup.id, ...copiesOf(backup), quiesce };
}

const encryptionWith = (key: DataJobRows['currentKey']) =>
  key ? { encryption: { keyId: key.id, recipient: key.recipient } } : {};

const copiesOf = (backup: NonNullable<DataJobRows['backup']>) => ({
  toDisk: keepsOnDisk(backup.storage),
  remoteKey: keepsRemotely(backup.storage) ? remoteKeyOf(backup) : null,
});

function workOf(upgrade: NonNullable<DataJobRows['upgrade']>): UpgradeSpec['work'] {
  const { action, imageRef, undoes, acceptNotKept, safetyBackupId } = upgrade;
  if (undoes !== null) return { type: 'undo', undoes };
  if (safetyBackupId === null)
    throw new UndispatchableError('The backup was deleted before the upgrade started.');
  const isDryRun = action === 'dry-run';
  return { type: 'upgrade', imageRef, isDryRun, acceptsNotKept: acceptNotKept, safetyBackupId };
}

function storedBackup(row: NonNullable<DataJobRows['restored']>): StoredBackup {
  const { id, serviceId, sizeBytes, checksum, localPath, remoteKey, encryptedWith } = row;
  const counts = { tables: row.tables ?? 0, rows: row.rows ?? 0 };
  const encryption = encryptedWith === null ? {} : { encryptedWith };
  return { id, serviceId, sizeBytes, checksum, ...counts, localPath, remoteKey, ...encryption };
}
