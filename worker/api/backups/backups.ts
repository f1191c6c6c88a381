/**
 * Backups of databases, and of the volumes of other services: list, create, restore, download, test, delete. Both have the same routes,
 * under a path of their own.
 */

import { z } from 'zod';
import { ApiError } from '../../domain/errors.ts';
import { idOf, notes } from '../../domain/values/field-notes.ts';
import { parameter } from '../../http/loaders/loader.ts';
import { backupResource, serviceResource } from '../../http/loaders/service-loaders.ts';
import { nextCursor, pageByCreation, pageQuery } from '../../http/paging.ts';
import { type AnyRoute, defineRoute, keyOf } from '../../http/route.ts';
import { timestamp, timestampSchema } from '../../http/timestamps.ts';
import { type BackupRow, findBackup, findVisibleService } from '../../store/backups/backup-store.ts';
import { findDrill } from '../../store/backups/drill-store.ts';
import { assertLevelIn } from '../../usecases/assert-level-in.ts';
import { isOf, type SubjectKind, volumeIdOf } from '../../usecases/backups/backup-subjects.ts';
import { changeBackupSettings } from '../../usecases/backups/change-backup-settings.ts';
import { keepDeletedBackup } from '../../usecases/backups/keep-deleted-backup.ts';
import { backupListStatements, listBackups } from '../../usecases/backups/list-backups.ts';
import { restoreBackup } from '../../usecases/backups/restore-backup.ts';
import { sendBackup } from '../../usecases/backups/send-backup.ts';
import { startBackup } from '../../usecases/backups/start-backup.ts';
import { startDrill } from '../../usecases/backups/start-drill.ts';
import type { Dependencies } from '../../usecases/dependencies.ts';
import { abortDataJob, abortWorkWith } from '../../usecases/jobs/abort-data-job.ts';
import { backupViews, drillSchema, presentDrill, withLatest } from '../present/present-backup.ts';
import { backupRequests, quiesceIn } from './backup-requests.ts';

function routesOf(kind: SubjectKind): AnyRoute[] {
  const { path, bodies, summaries } = backupRequests[kind];
  const view = backupViews[kind];
  const one = `${path}/:backupId`;
  const subject = { kind, path, one, bodies, summaries, view, started: view.started };
  return [
    list(subject),
    create(subject),
    changeSettings(subject),
    restore(subject),
    abort(`${one}/restore/abort`, summaries.abortRestore, (deps, { id }) =>
      abortWorkWith(deps, 'restore', id),
    ),
    download(subject),
    abort(`${one}/abort`, summaries.abort, abortDataJob),
    test(subject),
    abort(`${one}/prove/abort`, summaries.abortTest, (deps, { id }) => abortWorkWith(deps, 'drill', id)),
    remove(subject),
  ];
}

type BackupRequests = (typeof backupRequests)[SubjectKind];

type BackupView = (typeof backupViews)[SubjectKind];

interface Subject extends BackupRequests {
  kind: SubjectKind;
  /** The path of one backup. */
  one: string;
  view: BackupView;
  started: z.ZodType<ReturnType<BackupView['presentStarted']>>;
}

const list = ({ kind, path, summaries, view }: Subject) =>
  defineRoute({
    method: 'GET',
    path,
    access: 'read',
    summary: summaries.list,
    resource: serviceResource,
    query: pageQuery(500),
    reads: (db, { params, query }) => backupListStatements(db, parameter(params, 'serviceId'), query),
    reply: z.object({
      backups: z.array(view.listed).meta(notes.backups),
      settings: view.settings,
      remote: z.object({ connected: z.boolean().meta(notes.connected) }),
      ...nextCursor,
    }),
    async handle({ deps, resource, read, query }) {
      const { backups, settings, ...last } = listBackups(resource.service, kind, read);
      const { rows, next } = pageByCreation(backups, query);
      return {
        ...next,
        backups: rows.filter(isOf(kind)).map((backup) => withLatest(view.present(backup), last)),
        settings: view.presentSettings(settings, deps.now()),
        remote: { connected: (await deps.blobs.trouble()) === null },
      };
    },
  });

const create = ({ path, bodies, summaries, view, started }: Subject) =>
  defineRoute({
    method: 'POST',
    path,
    access: 'write',
    summary: summaries.create,
    resource: serviceResource,
    body: bodies.create,
    creates: {
      kind: 'backup',
      async find({ deps }, id) {
        const row = await findBackup(deps.db, id);
        return row && view.presentStarted(row);
      },
    },
    reply: started,
    async handle({ deps, resource, body }) {
      const { storage, volumeId } = body;
      const quiesce = quiesceIn(body) ?? { type: 'none' };
      const volume = volumeId === undefined ? undefined : { id: volumeId, quiesce };
      const row = await startBackup(deps, resource.service, { storage, trigger: 'manual', volume });
      return view.presentStarted(row);
    },
  });

const changeSettings = ({ kind, path, bodies, summaries, view }: Subject) =>
  defineRoute({
    method: 'PATCH',
    path: `${path}/settings`,
    access: 'write',
    summary: summaries.changeSettings,
    resource: serviceResource,
    body: bodies.changeSettings,
    reply: z.object({ settings: view.settings }),
    async handle({ deps, resource, body: { quiesce, before, after, ...changes } }) {
      const settings = await changeBackupSettings(deps, resource.service, kind, {
        ...changes,
        quiesce: quiesceIn({ quiesce, before, after }),
      });
      return { settings: view.presentSettings(settings, deps.now()) };
    },
  });

const restore = ({ kind, one, bodies, summaries }: Subject) =>
  defineRoute({
    method: 'POST',
    path: `${one}/restore`,
    access: 'write',
    summary: summaries.restore,
    resource: backupResource,
    body: bodies.restore,
    creates: {},
    reply: z.object({
      ok: z.literal(true).meta(notes.ok),
      restoredAt: timestampSchema.meta(notes.restoredAt),
      backup: z.object({ id: idOf('backup'), status: z.string().meta(notes.state) }),
    }),
    async handle({ deps, resource: { backup, service }, body, principal }) {
      const other = body?.targetServiceId;
      const target =
        other === undefined ? service : await findVisibleService(deps.db, keyOf(principal), other);
      if (!target)
        throw new ApiError(
          'not_found',
          'The field "targetServiceId" names a service that does not exist, or to which this key has no access.',
        );
      assertLevelIn(keyOf(principal), target.projectId, 'write');
      const ended = await restoreBackup(deps, kind, { backup, target, volumeId: body?.targetVolumeId });
      return {
        ok: true as const,
        restoredAt: timestamp(ended.finishedAt ?? deps.now()),
        backup: { id: backup.id, status: backup.status },
      };
    },
  });

const download = ({ one, summaries }: Subject) =>
  defineRoute({
    method: 'GET',
    path: `${one}/download`,
    access: 'read',
    summary: summaries.download,
    resource: backupResource,
    query: z.strictObject({ stored: z.enum(['true', 'false']).optional() }),
    reply: 'stream',
    handle: ({ deps, resource, request, query }) =>
      sendBackup(deps, resource, { headers: request.headers, isStored: query.stored === 'true' }),
  });

/** Aborts a job of a backup: the job that takes it, or one that reads it. */
const abort = (
  path: string,
  summary: string,
  abortJob: (deps: Dependencies, backup: BackupRow) => Promise<void>,
) =>
  defineRoute({
    method: 'POST',
    path,
    access: 'write',
    summary,
    resource: backupResource,
    reply: z.object({ accepted: z.literal(true).meta(notes.accepted) }),
    async handle({ deps, resource }) {
      await abortJob(deps, resource.backup);
      return { accepted: true as const };
    },
  });

const test = ({ kind, one, summaries }: Subject) =>
  defineRoute({
    method: 'POST',
    path: `${one}/prove`,
    access: 'write',
    summary: summaries.test,
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
      if (kind === 'volume') volumeIdOf(resource.backup);
      return { drill: presentDrill(await startDrill(deps, resource, 'manual')) };
    },
  });

const remove = ({ one, summaries }: Subject) =>
  defineRoute({
    method: 'DELETE',
    path: one,
    access: 'write',
    summary: summaries.remove,
    resource: backupResource,
    reply: z.object({ ok: z.literal(true).meta(notes.ok) }),
    async handle({ deps, resource }) {
      await keepDeletedBackup(deps, resource);
      return { ok: true as const };
    },
  });

export const backupRoutes = routesOf('database');
export const volumeBackupRoutes = routesOf('volume');
