/** Texts of the deletion of a backup: what is lost by it. */
export const removeBackupText = {
  removeBackup: {
    label: (when: string) => `Delete the backup of ${when}`,
    title: (when: string) => `Delete the backup of ${when}?`,
    submit: 'Delete',
    removed: 'Backup deleted',
    last: {
      database:
        'It is the only backup that is left of this database. Without it no lost data can be restored.',
      volumes: 'It is the only backup that is left of this volume. Without it no lost file can be restored.',
    },
    lastProven: 'It is the only one that was proven to be restorable.',
    newest: (when: string) => `It is the newest one. The one before it is of ${when}.`,
    safety:
      'It holds the data as it was before a restore, an import or an upgrade. Without it there is no way back to that.',
    before: (when: string) => `It holds the data as it was before the restore of ${when}.`,
    failed: 'It failed, so it holds no data that could be restored.',
    copies: {
      disk: 'Its file on the host is deleted.',
      remote: 'Its copy in the bucket is deleted.',
      'disk+remote': 'Its file on the host and its copy in the bucket are deleted.',
    },
    kept: 'You can bring it back under Deleted for 72 hours, unless the operator set another time.',
  },
} as const;
