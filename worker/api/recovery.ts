/** After the database was put back to an earlier time, for the operator: docs/operate/recovery.md. */

import { z } from 'zod';
import { idSchema } from '../../protocol/ids.ts';
import { nextCursor, pageOf, pageQuery } from '../http/paging.ts';
import { type AnyRoute, defineRoute } from '../http/route.ts';
import { timestamp, timestampOrNull, timestampSchema } from '../http/timestamps.ts';
import { type DumpRow, selectDumps } from '../store/instance/dump-store.ts';
import { startDumpNow } from '../usecases/recovery/dump-database.ts';
import { findBucketStrays, findHostStrays } from '../usecases/recovery/find-strays.ts';
import { removeStray } from '../usecases/recovery/remove-stray.ts';
import { settleRestored } from '../usecases/recovery/restored.ts';

const restored = defineRoute({
  method: 'POST',
  path: '/api/system/restored',
  access: 'operator',
  summary:
    'Say that the database was put back to an earlier time, while the control plane is paused: hosts then accept what it says, jobs that were open then end, removals stop. Can be repeated.',
  reply: z.strictObject({
    restored: z.strictObject({
      /** Services whose revisions were lifted. */
      services: z.int(),
      /** Kept deletions whose purge was put off by a week. */
      deletions: z.int(),
      /** Removals on hosts that were cancelled; what is left over is listed as a stray. */
      removals: z.int(),
      /** Jobs that were ended. */
      jobs: z.int(),
      /** There are more open jobs: call again. */
      moreJobs: z.boolean(),
    }),
  }),
  handle: async ({ deps }) => ({ restored: await settleRestored(deps) }),
});

const backupRefSchema = z.strictObject({ serviceId: z.string(), backupId: z.string() });

const strayServiceSchema = z.strictObject({
  serviceId: z.string(),
  projectId: z.string().nullable(),
  /** `forgotten`: no row names it; `elsewhere`: its row has another host; `deleted`: it can be restored, and still runs. */
  reason: z.enum(['forgotten', 'elsewhere', 'deleted']),
  deploymentId: z.string().nullable(),
  isRunning: z.boolean(),
  hostPort: z.int(),
  hostnames: z.array(z.string()),
  volumes: z.array(z.string()),
  /** Number of backup files on the host. */
  backups: z.int(),
});

const hostStrays = defineRoute({
  method: 'GET',
  path: '/api/system/strays/hosts',
  access: 'operator',
  summary:
    'Compare what hosts keep with the database, 20 hosts at a time: "after" is the "next" of the page before. Changes nothing.',
  query: z.strictObject({ after: idSchema('runner').optional() }),
  reply: z.strictObject({
    hosts: z.array(
      z.strictObject({
        runnerId: z.string(),
        name: z.string(),
        /** Why the host could not be compared; null: it was. */
        trouble: z.string().nullable(),
        strays: z
          .strictObject({
            services: z.array(strayServiceSchema),
            otherVersions: z.array(
              z.strictObject({
                serviceId: z.string(),
                deploymentId: z.string(),
                recordedDeploymentId: z.string().nullable(),
              }),
            ),
            missing: z.array(
              z.strictObject({ serviceId: z.string(), what: z.enum(['container', 'volume']) }),
            ),
            backupsWithoutRow: z.array(backupRefSchema),
            backupsWithoutFile: z.array(backupRefSchema),
          })
          .nullable(),
      }),
    ),
    next: z.string().nullable(),
  }),
  handle: ({ deps, query }) => findHostStrays(deps, query.after ?? ''),
});

/** Names of copies are short and plain; anything else was not an answer's "next". */
const keySchema = z.string().regex(/^backups\/[\w/-]{1,200}$/, 'must be the "next" of the page before');

const bucketStrays = defineRoute({
  method: 'GET',
  path: '/api/system/strays/bucket',
  access: 'operator',
  summary:
    'Compare the copies of backups in the bucket with the database, 1,000 at a time: "after" is the "next" of the page before. Changes nothing.',
  query: z.strictObject({ after: keySchema.optional() }),
  reply: z.strictObject({
    bucket: z.strictObject({
      withoutRow: z.array(z.string()),
      withoutObject: z.array(backupRefSchema),
      next: z.string().nullable(),
    }),
  }),
  handle: async ({ deps, query }) => ({ bucket: await findBucketStrays(deps, query.after ?? '') }),
});

const remove = defineRoute({
  method: 'POST',
  path: '/api/system/strays/remove',
  access: 'operator',
  summary:
    'Remove a stray service from a host. With "data" also its volumes and backups, for ever: only if no row names it.',
  body: z.strictObject({
    runnerId: idSchema('runner'),
    serviceId: idSchema('service'),
    data: z.boolean().default(false),
  }),
  // A repeat finds nothing to remove, or writes the same idempotent task again.
  creates: {},
  reply: z.strictObject({ queued: z.literal(true) }),
  async handle({ deps, body }) {
    await removeStray(deps, body);
    return { queued: true } as const;
  },
});

const dumpSchema = z.strictObject({
  /** Its objects in the bucket are below `dumps/<id>/`. */
  id: z.string(),
  state: z.enum(['running', 'complete', 'failed']),
  parts: z.int(),
  rows: z.int(),
  bytes: z.int(),
  startedAt: timestampSchema,
  finishedAt: timestampSchema.nullable(),
});

const presentDump = ({ id, state, parts, rows, bytes, startedAt, finishedAt }: DumpRow) => ({
  ...{ id, state, parts, rows, bytes },
  startedAt: timestamp(startedAt),
  finishedAt: timestampOrNull(finishedAt),
});

const listDumps = defineRoute({
  method: 'GET',
  path: '/api/system/dumps',
  access: 'operator',
  summary: 'List the nightly dumps of the database, newest first.',
  query: pageQuery(500),
  reply: z.strictObject({ dumps: z.array(dumpSchema), ...nextCursor }),
  async handle({ deps, query }) {
    const dumps = await selectDumps(deps.db, query);
    const { rows, next } = pageOf(dumps, query, ({ id, startedAt }) => ({ at: startedAt, id }));
    return { dumps: rows.map(presentDump), ...next };
  },
});

const startDump = defineRoute({
  method: 'POST',
  path: '/api/system/dumps',
  access: 'operator',
  summary:
    'Start a dump of the database now, or return the one that is running. The scheduled work completes it.',
  // A repeat returns the running dump.
  creates: {},
  reply: z.strictObject({ dump: dumpSchema }),
  handle: async ({ deps }) => ({ dump: presentDump(await startDumpNow(deps)) }),
});

export const recoveryRoutes: readonly AnyRoute[] = [
  listDumps,
  startDump,
  restored,
  hostStrays,
  bucketStrays,
  remove,
];
