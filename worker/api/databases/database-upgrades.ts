/** Upgrades of databases to another major version: try, start, list, abort, undo. */

import { z } from 'zod';
import { phaseNames, progressSchema } from '../../../protocol/job-report.ts';
import { exampleTime, note } from '../../../protocol/note.ts';
import { wayBackMs } from '../../domain/databases/database-upgrade.ts';
import { ApiError } from '../../domain/errors.ts';
import { imageReferenceSchema } from '../../domain/sources/image-reference.ts';
import { idOf, notes } from '../../domain/values/field-notes.ts';
import { parameter } from '../../http/loaders/loader.ts';
import { serviceResource } from '../../http/loaders/service-loaders.ts';
import { nextCursor, pageByCreation, pageQuery } from '../../http/paging.ts';
import { type AnyCall, type AnyRoute, defineRoute } from '../../http/route.ts';
import { timestamp, timestampOrNull, timestampSchema } from '../../http/timestamps.ts';
import {
  findOpenUpgrade,
  findUpgrade,
  selectLastUpgrade,
  selectUpgrades,
  type UpgradeRow,
} from '../../store/databases/database-upgrade-store.ts';
import { undoable, undoUpgrade, upgradeDatabase } from '../../usecases/backups/upgrade-database.ts';
import { engineOfDatabase } from '../../usecases/databases/ask-database.ts';
import { abortDataJob } from '../../usecases/jobs/abort-data-job.ts';
import { startedBySchema } from '../present/present-initiator.ts';

const upgradeSchema = z.object({
  id: idOf('upgrade'),
  serviceId: z.string().meta(notes.serviceId),
  action: z.enum(['dry-run', 'upgrade', 'undo']).meta(notes.action),
  fromImage: z.string().meta(note('Image before the upgrade.', 'postgres:16')),
  toImage: z.string().meta(note('Image after the upgrade.', 'postgres:17')),
  status: z.enum(['running', 'succeeded', 'failed']).meta(notes.state),
  startedBy: startedBySchema,
  /** Set while the upgrade runs. */
  phase: z.enum(phaseNames).nullable().describe('The step that runs; null: none.'),
  progress: progressSchema.nullable().meta(notes.progress),
  error: z.string().nullable().meta(notes.error),
  safetyBackupId: z
    .string()
    .nullable()
    .describe(
      'The backup of the data before; its `notKept` names what an upgrade would lose. Null: none was taken.',
    ),
  undoes: z.string().nullable().meta(note('The upgrade that this one undoes.', 'upg_1q2w3e4r5t6y7u8i')),
  createdAt: timestampSchema.meta(notes.createdAt),
  finishedAt: timestampSchema.nullable().meta(notes.finishedAt),
});

const database = '/api/services/:serviceId/database';
const reply = z.object({ upgrade: upgradeSchema });

const creates = {
  kind: 'upgrade' as const,
  async find({ deps }: Pick<AnyCall, 'deps'>, id: string) {
    const row = await findUpgrade(deps.db, id);
    return row && { upgrade: present(row) };
  },
};

const list = defineRoute({
  method: 'GET',
  path: `${database}/upgrades`,
  access: 'read',
  summary:
    'List the upgrades of a database, newest first, each with its progress or the reason of its failure. `undoableUntil`: how long the last one can be undone.',
  resource: serviceResource,
  query: pageQuery(100),
  reads: (db, { params, query }) => {
    const serviceId = parameter(params, 'serviceId');
    return { upgrades: selectUpgrades(db, serviceId, query), last: selectLastUpgrade(db, serviceId) };
  },
  reply: z.object({
    upgrades: z.array(upgradeSchema).describe('The upgrades, newest first.'),
    undoableUntil: timestampSchema
      .nullable()
      .meta(note('Until when it can be undone; null: it can not.', exampleTime)),
    ...nextCursor,
  }),
  async handle({ deps, resource, read, query }) {
    engineOfDatabase(resource.service);
    const last = undoable(read.last, deps.now());
    const { rows, next } = pageByCreation(read.upgrades, query);
    return {
      ...next,
      upgrades: rows.map(present),
      undoableUntil: timestampOrNull(last?.finishedAt ? last.finishedAt + wayBackMs : null),
    };
  },
});

const upgrade = defineRoute({
  method: 'POST',
  path: `${database}/upgrade`,
  access: 'write',
  summary:
    'Move a database to a later major version. A drill on a copy comes first; with `dryRun` it is all that is done. The version before is kept for 24 hours.',
  resource: serviceResource,
  body: z.strictObject({
    imageRef: imageReferenceSchema.meta(
      note(
        'Reference of a container image; of a database, the image instead of the default one.',
        'nginx:1.29',
      ),
    ),
    dryRun: z.boolean().optional().describe('Whether the upgrade is only tried on a copy.'),
    acceptNotKept: z.boolean().optional().describe('Go on although a backup would not keep everything.'),
  }),
  creates,
  reply,
  async handle({ deps, resource, body: { imageRef, dryRun = false, acceptNotKept = false } }) {
    return {
      upgrade: present(await upgradeDatabase(deps, resource.service, { imageRef, dryRun, acceptNotKept })),
    };
  },
});

const undo = defineRoute({
  method: 'POST',
  path: `${database}/upgrade/undo`,
  access: 'write',
  summary:
    'Go back to the version and the data before the last upgrade, within 24 hours. What was written since is lost.',
  resource: serviceResource,
  creates,
  reply,
  async handle({ deps, resource }) {
    return { upgrade: present(await undoUpgrade(deps, resource.service)) };
  },
});

const abort = defineRoute({
  method: 'POST',
  path: `${database}/upgrade/abort`,
  access: 'write',
  summary: 'Abort the running upgrade or undo of a database; the version that ran before it keeps running.',
  resource: serviceResource,
  reply: z.object({ accepted: z.literal(true).meta(notes.accepted) }),
  async handle({ deps, resource }) {
    engineOfDatabase(resource.service);
    const open = await findOpenUpgrade(deps.db, resource.service.id);
    if (!open) throw new ApiError('cannot_abort', 'No upgrade of this database is in progress.');
    await abortDataJob(deps, open);
    return { accepted: true as const };
  },
});

export const databaseUpgradeRoutes: AnyRoute[] = [list, upgrade, undo, abort];

function present(row: UpgradeRow): z.infer<typeof upgradeSchema> {
  const { jobId: _, acceptNotKept: __, createdAt, finishedAt, ...shown } = row;
  const isRunning = row.status === 'running';
  return {
    ...shown,
    phase: isRunning ? row.phase : null,
    progress: isRunning ? row.progress : null,
    createdAt: timestamp(createdAt),
    finishedAt: timestampOrNull(finishedAt),
  };
}
