/** Backups of volumes: list, create, restore, abort, download, delete. */

import { z } from 'zod';
import { storages } from '../../domain/backups/backup-format.ts';
import { ApiError } from '../../domain/errors.ts';
import { nextCursor, pageByCreation, pageQuery } from '../../http/paging.ts';
import { backupResource, parameter, serviceResource } from '../../http/resources.ts';
import { type AnyRoute, defineRoute } from '../../http/route.ts';
import { timestamp, timestampSchema } from '../../http/timestamps.ts';
import { findBackup, findOpenRestore } from '../../store/backups/backup-store.ts';
import { scopedServiceId } from '../../store/sql/scoped-store.ts';
import { keepDeletedBackup } from '../../usecases/backups/keep-deleted-backup.ts';
import { backupListStatements, defaultBackupSettings } from '../../usecases/backups/list-backups.ts';
import { sendBackup } from '../../usecases/backups/send-backup.ts';
import { restoreVolumeBackup, startVolumeBackup } from '../../usecases/backups/volume-backups.ts';
import { abortDataJob } from '../../usecases/jobs/abort-data-job.ts';
import {
  listedVolumeBackupSchema,
  presentListedVolumeBackup,
  presentVolumeBackup,
  presentVolumeBackupSettings,
  quiesceModes,
  quiesceNotice,
  volumeBackupSchema,
  volumeBackupSettingsSchema,
} from '../present/present-volume-backup.ts';
import { checkQuiesce, quiesceFields, quiesceIn } from './quiesce-fields.ts';

const collection = '/api/services/:serviceId/volume-backups';
const one = `${collection}/:backupId`;
const accepted = z.object({ accepted: z.literal(true) });

const newBackupSchema = z
  .strictObject({ volumeId: z.string(), storage: z.enum(storages), ...quiesceFields })
  .superRefine(checkQuiesce);

const list = defineRoute({
  method: 'GET',
  path: collection,
  access: 'read',
  summary:
    "List the backups of the service's volumes, newest first, each with its last restore and last drill, and the settings for automatic backups. Backups of deleted volumes are listed, too.",
  resource: serviceResource,
  query: pageQuery(500),
  reads: (db, { tokenId, params, query }) => {
    return backupListStatements(db, scopedServiceId(db, tokenId, parameter(params, 'serviceId')), query);
  },
  reply: z.object({
    backups: z.array(listedVolumeBackupSchema),
    settings: volumeBackupSettingsSchema,
    remote: z.object({ connected: z.boolean() }),
    ...nextCursor,
  }),
  async handle({ deps, resource, read, query }) {
    const { rows, next } = pageByCreation(read.backups, query);
    const ofVolumes = rows.filter(({ volumeId }) => volumeId !== null);
    return {
      ...next,
      backups: ofVolumes.map((backup) => presentListedVolumeBackup(backup, read)),
      settings: presentVolumeBackupSettings(
        read.settings[0] ?? defaultBackupSettings(resource.service),
        deps.now(),
      ),
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
    const { volumeId, storage } = body;
    const quiesce = quiesceIn(body) ?? { type: 'none' };
    const row = await startVolumeBackup(deps, resource.service, {
      ...{ volumeId, storage, quiesce, trigger: 'manual' },
    });
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
