/** Backups of volumes: list, create, restore, abort, download, delete. */
import { z } from 'zod';
import type { Quiesce } from '../../../protocol/volumes/volume-job-spec.ts';
import { storages } from '../../domain/backup-format.ts';
import { ApiError } from '../../domain/errors.ts';
import { backupResource, parameter, serviceResource } from '../../http/resources.ts';
import { type AnyRoute, defineRoute } from '../../http/route.ts';
import { timestamp, timestampSchema } from '../../http/timestamps.ts';
import { findBackup, findOpenRestore, selectBackups, selectRestores } from '../../store/backup-store.ts';
import { scopedServiceId } from '../../store/scoped-store.ts';
import { keepDeletedBackup } from '../../usecases/backups/keep-deleted-backup.ts';
import { sendBackup } from '../../usecases/backups/send-backup.ts';
import { abortDataJob } from '../../usecases/jobs/abort-data-job.ts';
import { restoreVolumeBackup, startVolumeBackup } from '../../usecases/volumes/volume-backups.ts';
import {
  listedVolumeBackupSchema,
  presentListedVolumeBackup,
  presentVolumeBackup,
  quiesceModes,
  quiesceNotice,
  volumeBackupSchema,
} from '../present/present-volume-backup.ts';

const collection = '/api/services/:serviceId/volume-backups';
const one = `${collection}/:backupId`;
const accepted = z.object({ accepted: z.literal(true) });

const commandSchema = z.string().min(1).max(4_000);
const newBackupSchema = z
  .strictObject({
    volumeId: z.string(),
    storage: z.enum(storages),
    /** Absent: `none`. */
    quiesce: z.enum(quiesceModes).optional(),
    before: commandSchema
      .describe(
        'For `command`: a line for the shell of the image, which runs before the copy, for five minutes at most.',
      )
      .optional(),
    after: commandSchema
      .describe('For `command`: a line that runs after the copy, even if `before` or the copy failed.')
      .optional(),
  })
  .superRefine(({ quiesce, before, after }, context) => {
    for (const [field, line] of Object.entries({ before, after })) {
      if ((line !== undefined) === (quiesce === 'command')) continue;
      const message =
        quiesce === 'command'
          ? 'is needed for the quiesce mode "command": a line for the shell, such as "true"'
          : 'is only for the quiesce mode "command"';
      context.addIssue({ code: 'custom', path: [field], message });
    }
  });

const list = defineRoute({
  method: 'GET',
  path: collection,
  access: 'read',
  summary:
    "List the backups of the service's volumes, newest first, each with its last restore. Backups of deleted volumes are listed, too.",
  resource: serviceResource,
  reads: (db, { tokenId, params }) => {
    const service = scopedServiceId(db, tokenId, parameter(params, 'serviceId'));
    return { backups: selectBackups(db, service), restores: selectRestores(db, service) };
  },
  reply: z.object({
    backups: z.array(listedVolumeBackupSchema),
    remote: z.object({ connected: z.boolean() }),
  }),
  async handle({ deps, read }) {
    const ofVolumes = read.backups.filter(({ volumeId }) => volumeId !== null);
    return {
      backups: ofVolumes.map((backup) => presentListedVolumeBackup(backup, read.restores)),
      remote: { connected: (await deps.blobs.trouble()) === null },
    };
  },
});

const replyOf = (backup: z.infer<typeof volumeBackupSchema>) => ({
  backup,
  quiesce: backup.quiesce,
  detail: quiesceNotice[backup.quiesce],
});

const create = defineRoute({
  method: 'POST',
  path: collection,
  access: 'write',
  summary:
    'Back up a volume now. It succeeds once every requested copy is verified. `quiesce` says what the service does during the copy.',
  resource: serviceResource,
  body: newBackupSchema,
  creates: {
    kind: 'backup',
    async find({ deps }, id) {
      const row = await findBackup(deps.db, id);
      return row && replyOf(presentVolumeBackup(row));
    },
  },
  reply: z.object({ backup: volumeBackupSchema, quiesce: z.enum(quiesceModes), detail: z.string() }),
  async handle({ deps, resource, body }) {
    const { volumeId, storage, before = '', after = '' } = body;
    const type = body.quiesce ?? 'none';
    const quiesce: Quiesce = type === 'command' ? { type, before, after } : { type };
    const row = await startVolumeBackup(deps, resource.service, { volumeId, storage, quiesce });
    return replyOf(presentVolumeBackup(row));
  },
});

const restore = defineRoute({
  method: 'POST',
  path: `${one}/restore`,
  access: 'write',
  summary:
    'Restore a backup into its volume, or another one of the service, and wait until it ends. The service is stopped while the files are replaced; the current ones are backed up first, and come back if it does not start with the restored ones.',
  resource: backupResource,
  body: z.strictObject({ targetVolumeId: z.string().optional() }).optional(),
  creates: {},
  reply: z.object({
    ok: z.literal(true),
    restoredAt: timestampSchema,
    backup: z.object({ id: z.string(), status: z.string() }),
  }),
  async handle({ deps, resource, body }) {
    const { backup } = resource;
    const ended = await restoreVolumeBackup(deps, resource, body?.targetVolumeId);
    return {
      ok: true as const,
      restoredAt: timestamp(ended.finishedAt ?? deps.now()),
      backup: { id: backup.id, status: backup.status },
    };
  },
});

const abortRestore = defineRoute({
  method: 'POST',
  path: `${one}/restore/abort`,
  access: 'write',
  summary: 'Abort the running restore of a backup; the files stay unchanged.',
  resource: backupResource,
  reply: accepted,
  async handle({ deps, resource }) {
    const open = await findOpenRestore(deps.db, resource.backup.id);
    if (!open) throw new ApiError('cannot_abort', 'No restore of this backup is in progress.');
    await abortDataJob(deps, open);
    return { accepted: true as const };
  },
});

const abort = defineRoute({
  method: 'POST',
  path: `${one}/abort`,
  access: 'write',
  summary:
    'Abort a running backup and delete its partial files. A service that was stopped for it starts again.',
  resource: backupResource,
  reply: accepted,
  async handle({ deps, resource }) {
    await abortDataJob(deps, resource.backup);
    return { accepted: true as const };
  },
});

const download = defineRoute({
  method: 'GET',
  path: `${one}/download`,
  access: 'read',
  summary:
    'Download a backup: a tar, compressed with gzip. It is decrypted unless `stored` is true. `Range` selects a part, so an interrupted download can resume.',
  resource: backupResource,
  query: z.strictObject({ stored: z.enum(['true', 'false']).optional() }),
  reply: 'stream',
  handle: ({ deps, resource, request, query }) =>
    sendBackup(deps, resource, { headers: request.headers, isStored: query.stored === 'true' }),
});

const remove = defineRoute({
  method: 'DELETE',
  path: one,
  access: 'write',
  summary: 'Delete a backup of a volume. GET /api/deleted says until when it can be brought back.',
  resource: backupResource,
  reply: z.object({ ok: z.literal(true) }),
  async handle({ deps, resource }) {
    await keepDeletedBackup(deps, resource);
    return { ok: true as const };
  },
});

export const volumeBackupRoutes: AnyRoute[] = [list, create, restore, abortRestore, abort, download, remove];
