/** Backups of databases: list, create, restore, download, test, delete. */

import { z } from 'zod';
import { storages } from '../domain/backups/backup-format.ts';
import { ApiError } from '../domain/errors.ts';
import { nextCursor, pageByCreation, pageQuery } from '../http/paging.ts';
import { backupResource, parameter, serviceResource } from '../http/resources.ts';
import { type AnyRoute, defineRoute, keyOf } from '../http/route.ts';
import { timestamp, timestampSchema } from '../http/timestamps.ts';
import { findOpenRestore, findVisibleService } from '../store/backups/backup-store.ts';
import { findDrill } from '../store/backups/drill-store.ts';
import { assertLevelIn } from '../usecases/assert-level-in.ts';
import { changeBackupSettings } from '../usecases/backups/change-backup-settings.ts';
import { keepDeletedBackup } from '../usecases/backups/keep-deleted-backup.ts';
import { backupListStatements, listBackups } from '../usecases/backups/list-backups.ts';
import { restoreBackup } from '../usecases/backups/restore-backup.ts';
import { sendBackup } from '../usecases/backups/send-backup.ts';
import { startBackup } from '../usecases/backups/start-backup.ts';
import { startDrill } from '../usecases/backups/start-drill.ts';
import { abortDataJob } from '../usecases/jobs/abort-data-job.ts';
import { abortDrill } from '../usecases/jobs/abort-drill.ts';
import {
  backupSchema,
  backupSettingsSchema,
  drillSchema,
  listedBackupSchema,
  presentBackup,
  presentBackupSettings,
  presentDrill,
  presentListedBackup,
} from './present/present-backup.ts';

const ok = z.object({ ok: z.literal(true) });
const collection = '/api/services/:serviceId/database/backups';
const one = `${collection}/:backupId`;

const list = defineRoute({
  method: 'GET',
  path: collection,
  access: 'read',
  summary:
    "List a database's backups, newest first, each with its last restore and last drill, and the settings for automatic backups.",
  resource: serviceResource,
  query: pageQuery(500),
  reads: (db, { params, query }) => backupListStatements(db, parameter(params, 'serviceId'), query),
  reply: z.object({
    backups: z.array(listedBackupSchema),
    settings: backupSettingsSchema,
    remote: z.object({ connected: z.boolean() }),
    ...nextCursor,
  }),
  async handle({ deps, resource, read, query }) {
    const { backups, settings, ...last } = listBackups(resource.service, read);
    const { rows, next } = pageByCreation(backups, query);
    return {
      ...next,
      backups: rows.map((backup) => presentListedBackup(backup, last)),
      settings: presentBackupSettings(settings, deps.now()),
      remote: { connected: (await deps.blobs.trouble()) === null },
    };
  },
});

const create = defineRoute({
  method: 'POST',
  path: collection,
  access: 'write',
  summary: 'Start a backup now. It succeeds once every requested copy is verified.',
  resource: serviceResource,
  body: z.strictObject({ storage: z.enum(storages) }),
  creates: { kind: 'backup' },
  reply: z.object({ backup: backupSchema }),
  async handle({ deps, resource, body: { storage } }) {
    const backup = await startBackup(deps, resource.service, { storage, trigger: 'manual' });
    return { backup: presentBackup(backup) };
  },
});

const changeSettings = defineRoute({
  method: 'PATCH',
  path: `${collection}/settings`,
  access: 'write',
  summary:
    'Change the schedule of automatic backups, where they are stored, and whether they are test-restored weekly.',
  resource: serviceResource,
  body: z.strictObject({
    storage: z.enum(storages).optional(),
    automaticEnabled: z.boolean().optional(),
    dailyEnabled: z.boolean().optional(),
    weeklyEnabled: z.boolean().optional(),
    monthlyEnabled: z.boolean().optional(),
    drill: z.enum(['weekly', 'off']).optional(),
  }),
  reply: z.object({ settings: backupSettingsSchema }),
  async handle({ deps, resource, body }) {
    const settings = await changeBackupSettings(deps, resource.service, body);
    return { settings: presentBackupSettings(settings, deps.now()) };
  },
});

const restore = defineRoute({
  method: 'POST',
  path: `${one}/restore`,
  access: 'write',
  summary:
    'Restore a backup and wait until it ends. The current data is backed up first and replaced only if the restore succeeds.',
  resource: backupResource,
  body: z.strictObject({ targetServiceId: z.string().optional() }).optional(),
  creates: {},
  reply: z.object({
    ok: z.literal(true),
    restoredAt: timestampSchema,
    backup: z.object({ id: z.string(), status: z.string() }),
  }),
  async handle({ deps, resource: { backup, service }, body, principal }) {
    const other = body?.targetServiceId;
    const target = other === undefined ? service : await findVisibleService(deps.db, keyOf(principal), other);
    if (!target)
      throw new ApiError(
        'not_found',
        'The field "targetServiceId" names a service that does not exist, or to which this key has no access.',
      );
    assertLevelIn(keyOf(principal), target.projectId, 'write');
    const ended = await restoreBackup(deps, { backup, target });
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
  summary:
    'Abort the running restore of a backup, whatever its target service; the data there stays unchanged.',
  resource: backupResource,
  reply: z.object({ accepted: z.literal(true) }),
  async handle({ deps, resource }) {
    const open = await findOpenRestore(deps.db, resource.backup.id);
    if (!open) throw new ApiError('cannot_abort', 'No restore of this backup is in progress.');
    await abortDataJob(deps, open);
    return { accepted: true as const };
  },
});

const download = defineRoute({
  method: 'GET',
  path: `${one}/download`,
  access: 'read',
  summary:
    'Download a backup file, decrypted unless `stored` is true. `Range` selects a part, so an interrupted download can resume.',
  resource: backupResource,
  query: z.strictObject({ stored: z.enum(['true', 'false']).optional() }),
  reply: 'stream',
  handle: ({ deps, resource, request, query }) =>
    sendBackup(deps, resource, { headers: request.headers, isStored: query.stored === 'true' }),
});

const abort = defineRoute({
  method: 'POST',
  path: `${one}/abort`,
  access: 'write',
  summary: 'Abort a running backup and delete its partial files.',
  resource: backupResource,
  reply: z.object({ accepted: z.literal(true) }),
  async handle({ deps, resource }) {
    await abortDataJob(deps, resource.backup);
    return { accepted: true as const };
  },
});

const testBackup = defineRoute({
  method: 'POST',
  path: `${one}/prove`,
  access: 'write',
  summary:
    'Test a backup now: restore it into a temporary container, count its rows and delete the container. The list shows the result and `lastProvenAt`.',
  resource: backupResource,
  creates: {
    kind: 'drill',
    async find({ deps }, id) {
      const row = await findDrill(deps.db, id);
      return row && { drill: presentDrill(row) };
    },
  },
  reply: z.object({ drill: drillSchema }),
  async handle({ deps, resource }) {
    return { drill: presentDrill(await startDrill(deps, resource, 'manual')) };
  },
});

const stopDrill = defineRoute({
  method: 'POST',
  path: `${one}/prove/abort`,
  access: 'write',
  summary: 'Abort the drill of a backup; the backup is not affected.',
  resource: backupResource,
  reply: z.object({ accepted: z.literal(true) }),
  async handle({ deps, resource }) {
    await abortDrill(deps, resource.backup.id);
    return { accepted: true as const };
  },
});

const remove = defineRoute({
  method: 'DELETE',
  path: one,
  access: 'write',
  summary: 'Delete a backup. GET /api/deleted says until when it can be brought back.',
  resource: backupResource,
  reply: ok,
  async handle({ deps, resource }) {
    await keepDeletedBackup(deps, resource);
    return { ok: true as const };
  },
});

export const backupRoutes: AnyRoute[] = [
  list,
  create,
  changeSettings,
  restore,
  abortRestore,
  download,
  abort,
  testBackup,
  stopDrill,
  remove,
];
