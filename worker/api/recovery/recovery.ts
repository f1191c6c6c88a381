/** Repairs after the database was restored to an earlier time, for the operator: docs/operate/recovery.md. */

import { z } from 'zod';
import { idSchema } from '../../../protocol/ids.ts';
import { note } from '../../../protocol/note.ts';
import { notes } from '../../domain/values/field-notes.ts';
import { nextCursor, pageOf, pageQuery } from '../../http/paging.ts';
import { type AnyRoute, defineRoute } from '../../http/route.ts';
import { timestamp, timestampOrNull, timestampSchema } from '../../http/timestamps.ts';
import { type DumpRow, selectDumps } from '../../store/instance/dump-store.ts';
import { startDumpNow } from '../../usecases/recovery/dump-database.ts';
import { findBucketStrays, findHostStrays } from '../../usecases/recovery/find-strays.ts';
import { removeStray } from '../../usecases/recovery/remove-stray.ts';
import { settleRestored } from '../../usecases/recovery/restored.ts';

const restored = defineRoute({
  method: 'POST',
  path: '/api/system/restored',
  access: 'operator',
  summary:
    'Say that the database was put back to an earlier time, while the control plane is paused: hosts then accept what it says, jobs that were open then end, removals stop. Can be repeated.',
  reply: z.strictObject({
    restored: z
      .strictObject({
        services: z.int().describe('Services whose revisions were lifted.'),
        deletions: z.int().describe('Kept deletions whose purge was put off by a week.'),
        removals: z
          .int()
          .meta(note('Removals on hosts that were cancelled; what is left over is listed as a stray.', 1)),
        jobs: z.int().meta(note('Jobs that were ended.', 2)),
        moreJobs: z.boolean().describe('Whether jobs remain: send the request again.'),
      })
      .describe('What was changed after the database went back.'),
  }),
  handle: async ({ deps }) => ({ restored: await settleRestored(deps) }),
});

const backupRefSchema = z.strictObject({
  serviceId: z.string().meta(notes.serviceId),
  backupId: z.string().meta(notes.backupId),
});

const strayServiceSchema = z.strictObject({
  serviceId: z.string().meta(notes.serviceId),
  projectId: z.string().nullable().meta(notes.projectId),
  reason: z
    .enum(['forgotten', 'elsewhere', 'deleted'])
    .describe(
      '`forgotten`: no row names it; `elsewhere`: its row has another host; `deleted`: it can be restored, and still runs.',
    ),
  deploymentId: z.string().nullable().meta(notes.deploymentId),
  isRunning: z.boolean().describe('Whether it runs.'),
  hostPort: z.int().meta(notes.hostPort),
  hostnames: z.array(z.string()).meta(note('Host names that lead to it.', ['shop.example.com'])),
  volumes: z.array(z.string()).describe('Names of its data volumes.'),
  backups: z.int().describe('Number of backup files on the host.'),
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
        runnerId: z.string().meta(notes.runnerId),
        name: z.string().meta(notes.name),
        trouble: z.string().nullable().describe('Why the host could not be compared; null: it was.'),
        strays: z
          .strictObject({
            services: z.array(strayServiceSchema).describe('Services that no row has on this host.'),
            otherVersions: z
              .array(
                z.strictObject({
                  serviceId: z.string().meta(notes.serviceId),
                  deploymentId: z.string().meta(notes.deploymentId),
                  recordedDeploymentId: z
                    .string()
                    .nullable()
                    .meta(note('The deployment that the rows call live.', 'dep_5t8r2y6u1i4o7p9a')),
                }),
              )
              .describe('Services of which the host runs another version than the rows say.'),
            missing: z
              .array(
                z.strictObject({
                  serviceId: z.string().meta(notes.serviceId),
                  what: z.enum(['container', 'volume']).describe('What is missing on the host.'),
                }),
              )
              .describe('What the host lacks, although a row has it.'),
            backupsWithoutRow: z.array(backupRefSchema).describe('Files of backups that no row names.'),
            backupsWithoutFile: z.array(backupRefSchema).describe('Backups whose file is missing.'),
          })
          .nullable()
          .describe('What is on the host and has no row.'),
      }),
    ),
    next: z.string().nullable().meta(notes.next),
  }),
  handle: ({ deps, query }) => findHostStrays(deps, query.after ?? ''),
});

/** Names of copies are short and plain; any other text was not the "next" of an answer. */
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
      withoutRow: z.array(z.string()).describe('Keys of objects in the bucket that no row names.'),
      withoutObject: z.array(backupRefSchema).describe('Backups whose object is missing in the bucket.'),
      next: z.string().nullable().meta(notes.next),
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
    runnerId: idSchema('runner').meta(notes.runnerId),
    serviceId: idSchema('service').meta(notes.serviceId),
    data: z.boolean().default(false).describe('Whether its data volumes and backups are removed too.'),
  }),
  // A repeat finds nothing to remove, or writes the same idempotent task again.
  creates: {},
  reply: z.strictObject({ queued: z.literal(true).describe('The removal was queued.') }),
  async handle({ deps, body }) {
    await removeStray(deps, body);
    return { queued: true } as const;
  },
});

const dumpSchema = z.strictObject({
  /** Its objects in the bucket are below `dumps/<id>/`. */
  id: z.string().describe('Id of the dump.'),
  state: z.enum(['running', 'complete', 'failed']).meta(notes.state),
  parts: z.int().meta(notes.parts),
  rows: z.int().meta(notes.numberOfRows),
  bytes: z.int().meta(note('Size in bytes.', 1_048_576)),
  startedAt: timestampSchema.meta(notes.startedAt),
  finishedAt: timestampSchema.nullable().meta(notes.finishedAt),
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
  reply: z.strictObject({
    dumps: z.array(dumpSchema).describe("Dumps of the control plane's database, newest first."),
    ...nextCursor,
  }),
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
