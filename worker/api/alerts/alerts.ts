/** Alerts: what needs attention, acknowledged and silenced. */

import { z } from 'zod';
import { idSchema } from '../../../protocol/ids.ts';
import { isOwnRule } from '../../../protocol/metrics/alerts.ts';
import { exampleTime, note } from '../../../protocol/note.ts';
import { type AlertRule, alertRules, isTenantRule } from '../../domain/alerts/alerts.ts';
import { exampleId, idOf, notes } from '../../domain/values/field-notes.ts';
import { anyAlertResource } from '../../http/loaders/operator-loaders.ts';
import { alertResource } from '../../http/loaders/tenant-loaders.ts';
import { nextCursor, pageOf, pageParameters } from '../../http/paging.ts';
import { type AnyRoute, defineRoute, keyOf } from '../../http/route.ts';
import { timestamp, timestampOrNull, timestampSchema } from '../../http/timestamps.ts';
import { type AlertRow, listAlerts, selectScopedAlerts } from '../../store/alerts/alert-store.ts';
import { changeAlert } from '../../usecases/alerts/change-alert.ts';

const actor = z
  .string()
  .nullable()
  .meta({ examples: ['key_2w4e6r8t1y3u5i7o'] });
const alertSchema = z.strictObject({
  id: idOf('alert'),
  rule: z.enum([...alertRules, 'own']).describe('What is watched; `own`: a rule that somebody made.'),
  ruleId: z.string().nullable().describe('The rule that somebody made; null: a default one.'),
  serviceId: z
    .string()
    .nullable()
    .meta(note('The service that it is about; null: a host or a tenant.', exampleId('service'))),
  projectId: z
    .string()
    .nullable()
    .meta(note('The project of that service; null: it is about a host or a tenant.', exampleId('project'))),
  quota: z
    .string()
    .nullable()
    .describe('The quota of the tenant that it is about; null: none.')
    .meta({ examples: [null] }),
  runnerId: z
    .string()
    .nullable()
    .meta(note('The host that sees it, or that is not connected; null: neither.', exampleId('runner'))),
  name: z.string().describe('Name of the service, host or tenant.'),
  detail: z
    .string()
    .describe('What was seen, with its numbers.')
    .meta({ examples: ['It has used 93 % of its memory limit for 5 minutes.'] }),
  raisedAt: timestampSchema.meta(note('Its begin.', exampleTime)),
  resolvedAt: timestampSchema
    .nullable()
    .describe('Its end; null: it is open.')
    .meta({ examples: [null] }),
  flapping: z
    .boolean()
    .describe(
      'Whether the condition comes and goes: it is open until the condition has been absent for an hour.',
    ),
  acknowledgedAt: timestampSchema.nullable().describe('When somebody took it on; null: nobody has.'),
  acknowledgedBy: actor.describe('The key that did, or `operator`.'),
  silencedUntil: timestampSchema
    .nullable()
    .describe('Until then neither its end nor a new begin is sent; null: it is not silenced.'),
  silencedBy: actor.describe('The key that silenced it, or `operator`.'),
});
const reply = z.strictObject({ alert: alertSchema });

const query = z.strictObject({
  ...pageParameters(500, 100),
  state: z.enum(['open', 'resolved']).optional().describe('Only these; absent: all of the last 30 days.'),
  serviceId: idSchema('service').optional().describe('Only those about this service.'),
});
const filterOf = ({ state, serviceId }: z.output<typeof query>) => ({
  isOpen: state && state === 'open',
  serviceId,
});

const change = z
  .strictObject({
    acknowledged: z.boolean().optional().describe('Whether somebody has acknowledged the alert.'),
    silencedUntil: z.iso
      .datetime('must be a UTC time such as 2026-01-31T12:00:00Z, or null')
      .transform((text) => Date.parse(text))
      .nullable()
      .optional()
      .describe('Send nothing about the same condition until then, at most 90 days; null: send again.'),
  })
  .refine((body) => Object.keys(body).length > 0, 'is empty: give "acknowledged" or "silencedUntil"');

const list = defineRoute({
  method: 'GET',
  path: '/api/alerts',
  access: 'read',
  summary:
    'List the alerts about services that the key sees and, with a key for all projects, about quotas, newest first.',
  query,
  reads: (db, { tokenId, query: asked }) => ({
    found: selectScopedAlerts(db, tokenId, filterOf(asked), asked),
  }),
  reply: z.strictObject({ alerts: z.array(alertSchema).meta(notes.alerts), ...nextCursor }),
  async handle({ read, query: asked }) {
    return pageReply(
      read.found.map(({ alert }) => alert),
      asked,
    );
  },
});

const update = defineRoute({
  method: 'PATCH',
  path: '/api/alerts/:alertId',
  access: 'write',
  summary: 'Acknowledge an alert, or silence it until a time.',
  resource: alertResource,
  body: change,
  reply,
  async handle({ deps, resource, body, principal }) {
    return { alert: present(await changeAlert(deps, resource.alert, body, keyOf(principal).keyId)) };
  },
});

const listAll = defineRoute({
  method: 'GET',
  path: '/api/system/alerts',
  access: 'operator',
  summary: 'List all alerts, also those about hosts, newest first.',
  query,
  reply: z.strictObject({ alerts: z.array(alertSchema).meta(notes.alerts), ...nextCursor }),
  async handle({ deps, query: asked }) {
    return pageReply(await listAlerts(deps.db, filterOf(asked), asked), asked);
  },
});

const updateAny = defineRoute({
  method: 'PATCH',
  path: '/api/system/alerts/:alertId',
  access: 'operator',
  summary: 'Acknowledge or silence any alert.',
  resource: anyAlertResource,
  body: change,
  reply,
  async handle({ deps, resource, body }) {
    return { alert: present(await changeAlert(deps, resource.alert, body, 'operator')) };
  },
});

export const alertRoutes: AnyRoute[] = [list, update];
export const systemAlertRoutes: AnyRoute[] = [listAll, updateAny];

function pageReply(found: readonly AlertRow[], asked: z.output<typeof query>) {
  const { rows, next } = pageOf(found, asked, ({ raisedAt, id }) => ({ at: raisedAt, id }));
  return { alerts: rows.map(present), ...next };
}

function present(row: AlertRow): z.infer<typeof alertSchema> {
  const { id, rule, serviceId, projectId, runnerId, name, detail, acknowledgedBy, silencedBy } = row;
  return {
    ...{ id, name, detail, acknowledgedBy, silencedBy },
    ...(isOwnRule(rule) ? { rule: 'own', ruleId: rule } : { rule: rule as AlertRule, ruleId: null }),
    serviceId: serviceId || null,
    projectId: projectId || null,
    runnerId: runnerId || (rule === 'hostAway' ? row.subjectId : null),
    quota: isTenantRule(rule) ? row.subjectId.slice(row.subjectId.indexOf('/') + 1) : null,
    raisedAt: timestamp(row.raisedAt),
    resolvedAt: timestampOrNull(row.resolvedAt),
    flapping: row.flapEventId !== null,
    acknowledgedAt: timestampOrNull(row.acknowledgedAt),
    silencedUntil: timestampOrNull(row.silencedUntil),
  };
}
