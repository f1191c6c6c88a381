/** Texts about deleting a backup and what is lost with it. */

export const removeBackupText = {
  label: (when: string) => `Delete the backup of ${when}`,
  title: (when: string) => `Delete the backup of ${when}?`,
  submit: 'Delete',
  removed: 'Backup deleted',
  last: {
    database: 'This is the only backup of this database. Without it, lost data can’t be restored.',
    volumes: 'This is the only backup of this volume. Without it, lost files can’t be restored.',
  },
  lastProven: 'This is the only backup whose restore was tested.',
  newest: (when: string) => `This is the newest backup. The previous backup is of ${when}.`,
  safety:
    'This backup contains the data from before a restore, an import or an upgrade. Without it, you can’t get that data back.',
  before: (when: string) => `This backup contains the data from before the restore of ${when}.`,
  failed: 'This backup failed, so it contains no data that could be restored.',
  copies: {
    disk: 'Its file on the host is deleted.',
    remote: 'Its copy in the bucket is deleted.',
    'disk+remote': 'Its file on the host and its copy in the bucket are deleted.',
  },
  kept: 'You can bring it back under Deleted for 72 hours, unless the operator set another time.',
} as const;
