/** Upgrades of databases to another major version: try, start, list, abort, undo. */

import { z } from 'zod';
import { phaseNames, progressSchema } from '../../protocol/job-report.ts';
import { wayBackMs } from '../domain/databases/database-upgrade.ts';
import { ApiError } from '../domain/errors.ts';
import { imageReferenceSchema } from '../domain/sources/image-reference.ts';
import { nextCursor, pageByCreation, pageQuery } from '../http/paging.ts';
import { parameter, serviceResource } from '../http/resources.ts';
import { type AnyCall, type AnyRoute, defineRoute } from '../http/route.ts';
import { timestamp, timestampOrNull, timestampSchema } from '../http/timestamps.ts';
import {
  findOpenUpgrade,
  findUpgrade,
  selectLastUpgrade,
  selectUpgrades,
  type UpgradeRow,
} from '../store/backups/database-upgrade-store.ts';
import { undoable, undoUpgrade, upgradeDatabase } from '../usecases/backups/upgrade-database.ts';
import { engineOfDatabase } from '../usecases/databases/ask-database.ts';
import { abortDataJob } from '../usecases/jobs/abort-data-job.ts';

const upgradeSchema = z.object({
  id: z.string(),
  serviceId: z.string(),
  action: z.enum(['dry-run', 'upgrade', 'undo']),
  fromImage: z.string(),
  toImage: z.string(),
  status: z.enum(['running', 'succeeded', 'failed']),
  /** While it runs. */
  phase: z.enum(phaseNames).nullable(),
  progress: progressSchema.nullable(),
  error: z.string().nullable(),
  /** The backup of the data before; its `notKept` names what an upgrade would lose. Null: none was taken. */
  safetyBackupId: z.string().nullable(),
  /** The upgrade that is undone. */
  undoes: z.string().nullable(),
  createdAt: timestampSchema,
  finishedAt: timestampSchema.nullable(),
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
    upgrades: z.array(upgradeSchema),
    undoableUntil: timestampSchema.nullable(),
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
    imageRef: imageReferenceSchema,
    dryRun: z.boolean().optional(),
    /** Go on without what a backup does not hold. */
    acceptNotKept: z.boolean().optional(),
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
  reply: z.object({ accepted: z.literal(true) }),
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
