/** Differences between requests about backups of databases and of volumes: path, bodies, summaries. */
import { z } from 'zod';
import { note } from '../../../protocol/note.ts';
import type { Quiesce } from '../../../protocol/volumes/volume-job-spec.ts';
import { type BackupStorage, storages } from '../../domain/backups/backup-format.ts';
import { notes } from '../../domain/values/field-notes.ts';
import type { SubjectKind } from '../../usecases/backups/backup-subjects.ts';
import { quiesceModes } from '../present/present-backup.ts';

const commandSchema = z.string().min(1).max(4_000);

const quiesceFields = {
  /** If absent in a new backup: `none`. */
  quiesce: z.enum(quiesceModes).optional().meta(notes.quiesce),
  before: commandSchema
    .describe(
      'For `command`: a line for the shell of the image, which runs before the copy, for five minutes at most.',
    )
    .optional(),
  after: commandSchema
    .describe('For `command`: a line that runs after the copy, even if `before` or the copy failed.')
    .optional(),
};

interface QuiesceBody {
  quiesce?: Quiesce['type'] | undefined;
  before?: string | undefined;
  after?: string | undefined;
}

/** Both command lines belong to `command`, which needs both. */
function checkQuiesce(
  { quiesce, before, after }: QuiesceBody,
  context: Pick<z.core.$RefinementCtx, 'addIssue'>,
): void {
  for (const [field, line] of Object.entries({ before, after })) {
    if ((line !== undefined) === (quiesce === 'command')) continue;
    const message =
      quiesce === 'command'
        ? 'is needed for the quiesce mode "command": a line for the shell, such as "true"'
        : 'is only for the quiesce mode "command"';
    context.addIssue({ code: 'custom', path: [field], message });
  }
}

/** @returns undefined if the request has no `quiesce` */
export function quiesceIn({ quiesce: type, before = '', after = '' }: QuiesceBody): Quiesce | undefined {
  if (type === undefined) return undefined;
  return type === 'command' ? { type, before, after } : { type };
}

const storage = z.enum(storages).meta(notes.storage);

const scheduleFields = {
  storage: storage.optional().meta(notes.storage),
  automaticEnabled: z.boolean().optional().meta(notes.automaticEnabled),
  dailyEnabled: z.boolean().optional().meta(notes.dailyEnabled),
  weeklyEnabled: z.boolean().optional().meta(notes.weeklyEnabled),
  monthlyEnabled: z.boolean().optional().meta(notes.monthlyEnabled),
  drill: z.enum(['weekly', 'off']).optional().meta(notes.drill),
};

const volumeSettingsSchema = z.strictObject({ ...scheduleFields, ...quiesceFields });

type Action =
  | 'list'
  | 'create'
  | 'changeSettings'
  | 'restore'
  | 'abortRestore'
  | 'download'
  | 'abort'
  | 'test'
  | 'abortTest'
  | 'remove';

interface BackupRequests {
  path: string;
  bodies: {
    create: z.ZodType<{ storage: BackupStorage; volumeId?: string | undefined } & QuiesceBody>;
    changeSettings: z.ZodType<z.infer<typeof volumeSettingsSchema>>;
    restore: z.ZodType<
      { targetServiceId?: string | undefined; targetVolumeId?: string | undefined } | undefined
    >;
  };
  summaries: Readonly<Record<Action, string>>;
}

export const backupRequests: Readonly<Record<SubjectKind, BackupRequests>> = {
  database: {
    path: '/api/services/:serviceId/database/backups',
    bodies: {
      create: z.strictObject({ storage }),
      changeSettings: z.strictObject(scheduleFields),
      restore: z
        .strictObject({
          targetServiceId: z
            .string()
            .optional()
            .meta(
              note(
                'Database into which to restore; absent: the one that the backup is of.',
                'svc_3kq9x7m2v5c8b1n4',
              ),
            ),
        })
        .optional(),
    },
    summaries: {
      list: "List a database's backups, newest first, each with its last restore and last drill, and the settings for automatic backups.",
      create: 'Start a backup now. It succeeds once every requested copy is verified.',
      changeSettings:
        'Change the schedule of automatic backups, where they are stored, and whether they are test-restored weekly.',
      restore:
        'Restore a backup and wait until it ends. The current data is backed up first and replaced only if the restore succeeds.',
      abortRestore:
        'Abort the running restore of a backup, whatever its target service; the data there stays unchanged.',
      download:
        'Download a backup file, decrypted unless `stored` is true. `Range` selects a part, so an interrupted download can resume.',
      abort: 'Abort a running backup and delete its partial files.',
      test: 'Test a backup now: restore it into a temporary container, count its rows and delete the container. The list shows the result and `lastProvenAt`.',
      abortTest: 'Abort the drill of a backup; the backup is not affected.',
      remove: 'Delete a backup. GET /api/deleted says until when it can be brought back.',
    },
  },
  volume: {
    path: '/api/services/:serviceId/volume-backups',
    bodies: {
      create: z
        .strictObject({ volumeId: z.string().meta(notes.volumeId), storage, ...quiesceFields })
        .superRefine(checkQuiesce),
      changeSettings: volumeSettingsSchema.superRefine(checkQuiesce),
      restore: z
        .strictObject({
          targetVolumeId: z
            .string()
            .optional()
            .meta(
              note(
                "Volume of the same service whose files are replaced; absent: the backup's own.",
                'vol_1a2s3d4f5g6h7j8k',
              ),
            ),
        })
        .optional(),
    },
    summaries: {
      list: "List the backups of the service's volumes, newest first, each with its last restore and last drill, and the settings for automatic backups. Backups of deleted volumes are listed, too.",
      create:
        'Back up a volume now. It succeeds once every requested copy is verified. `quiesce` says what the service does during the copy.',
      changeSettings:
        "Change the schedule of automatic backups of all the service's volumes, those added later included: where they are stored, what the service does meanwhile, and whether they are test-restored weekly.",
      restore:
        'Restore a backup into its volume, or another one of the service, and wait until it ends. The service is stopped while the files are replaced; the current ones are backed up first, and come back if it does not start with the restored ones.',
      abortRestore: 'Abort the running restore of a backup; the files stay unchanged.',
      download:
        'Download a backup: a tar, compressed with gzip. It is decrypted unless `stored` is true. `Range` selects a part, so an interrupted download can resume.',
      abort:
        'Abort a running backup and delete its partial files. A service that was stopped for it starts again.',
      test: 'Test a backup of a volume now: unpack it into a temporary volume, compare every entry, and remove it. The list shows the result and `lastProvenAt`.',
      abortTest: 'Abort the drill of a backup of a volume; the backup is not affected.',
      remove: 'Delete a backup of a volume. GET /api/deleted says until when it can be brought back.',
    },
  },
};
