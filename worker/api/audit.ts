/** The audit log, for the operator: who did what, and which requests were refused. */
import { z } from 'zod';
import { idSchema } from '../../protocol/ids.ts';
import { minuteOf } from '../domain/values/minute-counts.ts';
import { integerParameter, nextCursor, pageByCreation, pageOf, pageParameters } from '../http/paging.ts';
import { type AnyRoute, defineRoute } from '../http/route.ts';
import { timestamp, timestampSchema } from '../http/timestamps.ts';
import type { AuditRow } from '../store/instance/audit-store.ts';
import { listAuditEntries, listFailedSignIns } from '../usecases/instance/list-audit-entries.ts';

const shellDetail = z.strictObject({
  serviceId: z.string(),
  container: z.string(),
  seconds: z.int().nonnegative().optional(),
  bytesIn: z.int().nonnegative().optional(),
  bytesOut: z.int().nonnegative().optional(),
  exitCode: z.int().nullable().optional(),
  reason: z.string().nullable().optional(),
});
const linkDetail = z.strictObject({
  linkedBy: z
    .array(z.string())
    .describe('Members who made the links that led to this session, the first one first.'),
});

const replacedDetail = z.strictObject({
  hostname: z.string(),
  replaced: z.array(z.string()).describe('Addresses of others to which the name pointed before.'),
});

const entrySchema = z.strictObject({
  id: z.string(),
  /** The key's tenant; null for the operator. */
  tenantId: z.string().nullable(),
  /** The key's id, `operator`, or `system` for a failure inside the platform. */
  actor: z.string(),
  /** Method and route, with parameter names instead of values. */
  route: z.string(),
  /** The id of what was created, or else the last id in the path. */
  resourceId: z.string().nullable(),
  status: z.int(),
  requestId: z.string(),
  /** Equal for equal client addresses, without revealing them. */
  addressHash: z.string(),
  createdAt: timestampSchema,
  detail: z.union([shellDetail, linkDetail, replacedDetail]).nullable(),
});

const moment = z.iso
  .datetime('must be a UTC time such as 2026-01-31T12:00:00Z')
  .transform((text) => Date.parse(text))
  .optional();
const pageSize = pageParameters(1_000, 100);

const list = defineRoute({
  method: 'GET',
  path: '/api/system/audit',
  access: 'operator',
  summary:
    'List writes and refused requests, newest first. For the next page, set `cursor` to `nextCursor`, or `before` to the last id. Entries are deleted after `auditDays` days.',
  query: z.strictObject({
    actor: z.string().optional(),
    tenantId: z.string().optional(),
    status: integerParameter(100, 599).optional(),
    since: moment,
    until: moment,
    ...pageSize,
    before: idSchema('audit').optional(),
  }),
  reply: z.strictObject({ entries: z.array(entrySchema), ...nextCursor }),
  async handle({ deps, query: { limit, cursor, before, ...filter } }) {
    const page = { limit, cursor, before };
    const { rows, next } = pageByCreation(await listAuditEntries(deps, filter, page), page);
    return { entries: rows.map(presentEntry), ...next };
  },
});

const failedSignIns = defineRoute({
  method: 'GET',
  path: '/api/system/failed-sign-ins',
  access: 'operator',
  summary: 'List failed sign-ins, counted per minute and client address, newest first.',
  query: z.strictObject({ since: moment, ...pageSize }),
  reply: z.strictObject({
    failedSignIns: z.array(
      z.strictObject({ minute: timestampSchema, addressHash: z.string(), count: z.int() }),
    ),
    ...nextCursor,
  }),
  async handle({ deps, query }) {
    const { rows, next } = pageOf(await listFailedSignIns(deps, query), query, (row) => ({
      at: minuteOf(row.startedAt),
      id: row.addressHash,
    }));
    return {
      ...next,
      failedSignIns: rows.map(({ startedAt, ...row }) => ({ ...row, minute: timestamp(startedAt) })),
    };
  },
});

export const auditRoutes: AnyRoute[] = [list, failedSignIns];

function presentEntry({ createdAt, ...entry }: AuditRow): z.infer<typeof entrySchema> {
  return { ...entry, createdAt: timestamp(createdAt) };
}
