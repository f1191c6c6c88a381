/** The audit log: who did what, and which requests were refused. For the operator, and for the owners of a tenant. */
import { z } from 'zod';
import { idSchema } from '../../../protocol/ids.ts';
import { exampleTime, note } from '../../../protocol/note.ts';
import { idOf, notes } from '../../domain/values/field-notes.ts';
import { minuteOf } from '../../domain/values/minute-counts.ts';
import { integerParameter, nextCursor, pageByCreation, pageOf, pageParameters } from '../../http/paging.ts';
import { type AnyRoute, defineRoute } from '../../http/route.ts';
import { timestamp, timestampSchema } from '../../http/timestamps.ts';
import type { AuditFilter, AuditPage, AuditRow } from '../../store/instance/audit-store.ts';
import type { Database } from '../../store/sql/database.ts';
import { tenantOfToken } from '../../store/sql/scoped-store.ts';
import {
  type AuditRows,
  auditStatements,
  listAuditEntries,
  listFailedSignIns,
} from '../../usecases/instance/list-audit-entries.ts';
import { initiatorSchema } from '../present/present-initiator.ts';

const shellDetail = z.strictObject({
  serviceId: z.string().meta(notes.serviceId),
  container: z.string().meta(notes.container),
  seconds: z.int().nonnegative().optional().meta(note('How long it lasted.', 42)),
  bytesIn: z.int().nonnegative().optional().meta(note('Bytes of input.', 120)),
  bytesOut: z.int().nonnegative().optional().meta(note('Bytes of output.', 4096)),
  exitCode: z.int().nullable().optional().meta(notes.exitCode),
  reason: z.string().nullable().optional().meta(notes.reason),
});
const linkDetail = z.strictObject({
  linkedBy: z
    .array(z.string())
    .describe('Members who made the links that led to this session, the first one first.'),
});

const replacedDetail = z.strictObject({
  hostname: z.string().meta(notes.hostname),
  replaced: z.array(z.string()).describe('Addresses of others to which the name pointed before.'),
});

const brokenRuleDetail = z.strictObject({
  brokenRule: z
    .string()
    .describe('The field of the trust policy that the identity token of a job does not fulfil.'),
});

const entrySchema = z.strictObject({
  id: idOf('audit'),
  tenantId: z.string().nullable().describe("The key's tenant; null for the operator."),
  actor: z
    .string()
    .meta(
      note(
        'The credential that was used: a key or a session, `operator`, `system`, or a webhook.',
        'key_1a2b3c4d5e6f7g8h',
      ),
    ),
  actedBy: initiatorSchema
    .nullable()
    .describe('The member, key or other initiator behind `actor`; null if that was not recorded yet.'),
  route: z
    .string()
    .meta(note('Method and path pattern, or the type of an event.', 'POST /api/services/:serviceId/env')),
  /** The id of the created resource, or else the last id in the path. */
  resourceId: z.string().nullable().meta(notes.resourceId),
  status: z.int().describe('HTTP status of the answer.'),
  requestId: z.string().meta(notes.requestId),
  /** Equal for equal client addresses, without revealing them. */
  addressHash: z.string().meta(notes.addressHash),
  createdAt: timestampSchema.meta(notes.createdAt),
  detail: z
    .union([shellDetail, linkDetail, replacedDetail, brokenRuleDetail])
    .nullable()
    .describe('What happened or what it waits for, as a sentence.'),
});

const moment = z.iso
  .datetime('must be a UTC time such as 2026-01-31T12:00:00Z')
  .transform((text) => Date.parse(text))
  .optional();
const pageSize = pageParameters(1_000, 100);

const filters = {
  actor: z
    .string()
    .optional()
    .describe('Only entries of this member, key or session, and of the sessions that act for it.'),
  status: integerParameter(100, 599).optional(),
  since: moment,
  until: moment,
  ...pageSize,
  before: idSchema('audit').optional(),
};
const reply = z.strictObject({
  entries: z.array(entrySchema).describe('Entries, newest first.'),
  ...nextCursor,
});

const list = defineRoute({
  method: 'GET',
  path: '/api/system/audit',
  access: 'operator',
  summary:
    'List writes and refused requests, newest first. For the next page, set `cursor` to `nextCursor`, or `before` to the last id. Entries are deleted after `auditDays` days.',
  query: z.strictObject({ ...filters, tenantId: z.string().optional() }),
  reads: (db, { query }) => entriesOf(db, query),
  reply,
  handle: async ({ read, query }) => present(read, query),
});

const listOwn = defineRoute({
  method: 'GET',
  path: '/api/audit',
  access: 'destroy',
  onlyAllProjects: true,
  summary:
    "List the tenant's writes and refused requests, newest first, for owners and for keys with `destroy` access to all projects. For the next page, set `cursor` to `nextCursor`, or `before` to the last id.",
  query: z.strictObject(filters),
  reads: (db, { tokenId, query }) => entriesOf(db, { ...query, tenantId: tenantOfToken(tokenId) }),
  reply,
  handle: async ({ read, query }) => present(read, query),
});

const failedSignIns = defineRoute({
  method: 'GET',
  path: '/api/system/failed-sign-ins',
  access: 'operator',
  summary: 'List failed sign-ins, counted per minute and client address, newest first.',
  query: z.strictObject({ since: moment, ...pageSize }),
  reply: z.strictObject({
    failedSignIns: z
      .array(
        z.strictObject({
          minute: timestampSchema.meta(note('The minute that is counted.', exampleTime)),
          addressHash: z.string().meta(notes.addressHash),
          count: z.int().meta(note('How many.', 3)),
        }),
      )
      .describe('Failed sign-ins by minute and address.'),
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
export const ownAuditRoutes: AnyRoute[] = [listOwn];

type AuditQuery = AuditFilter & AuditPage;

function entriesOf(db: Database, { limit, cursor, before, ...filter }: AuditQuery) {
  return auditStatements(db, filter, { limit, cursor, before });
}

function present(read: AuditRows, query: AuditQuery): z.infer<typeof reply> {
  const { rows, next } = pageByCreation(listAuditEntries(read), query);
  return { entries: rows.map(presentEntry), ...next };
}

function presentEntry({ createdAt, ...entry }: AuditRow): z.infer<typeof entrySchema> {
  return { ...entry, createdAt: timestamp(createdAt) };
}
