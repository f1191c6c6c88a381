/** Alert rules as the API shows them. */
import { z } from 'zod';
import {
  comparisons,
  hostRuleMetrics,
  ruleMetrics,
  serviceRuleMetrics,
} from '../../../protocol/metrics/own-rules.ts';
import { note } from '../../../protocol/note.ts';
import { type AlertRule, alertRules, alertText } from '../../domain/alerts/alerts.ts';
import { exampleId, idOf, notes } from '../../domain/values/field-notes.ts';
import type { Call } from '../../http/route.ts';
import { timestamp, timestampSchema } from '../../http/timestamps.ts';
import {
  type AlertRuleRow,
  findAlertRule,
  selectAlertRules,
  selectAlertSwitches,
} from '../../store/alerts/alert-rule-store.ts';

const ruleSchema = z.strictObject({
  id: idOf('alertRule'),
  projectId: z
    .string()
    .nullable()
    .meta(note('The project whose services it watches; null: it watches hosts.', exampleId('project'))),
  serviceId: z
    .string()
    .nullable()
    .meta(note('The only service that it watches; null: all of the project.', exampleId('service'))),
  runnerId: z
    .string()
    .nullable()
    .meta(note('The only host that it watches; null: all, or it watches services.', exampleId('runner'))),
  name: z.string().describe('Name, for people.'),
  metric: z
    .enum([...new Set([...serviceRuleMetrics, ...hostRuleMetrics])] as typeof serviceRuleMetrics)
    .describe('What is watched.'),
  unit: z
    .string()
    .describe('Unit of the threshold.')
    .meta({ examples: ['%'] }),
  comparison: z.enum(comparisons).describe('Whether values above or below the threshold are alarming.'),
  threshold: z.number().describe('In that unit; of a count, more than so many within the time.'),
  forSeconds: z
    .int()
    .describe('For how long without a break, in seconds; of a count, the time within which it is counted.'),
  enabled: z.boolean().describe('Whether it is watched.'),
  createdAt: timestampSchema.meta(notes.createdAt),
  updatedAt: timestampSchema.meta(notes.updatedAt),
});
export const ruleReply = z.strictObject({ rule: ruleSchema.describe('The alert rule.') });
const defaultSchema = z.strictObject({
  rule: z.enum(alertRules).describe('Name of the default rule.'),
  text: z.string().describe('What it finds, as a part of a sentence.'),
  enabled: z
    .boolean()
    .describe('Whether it is watched here: it is switched off neither here nor for the instance.'),
  offBy: z.enum(['project', 'instance']).nullable().describe('Where it is switched off; null: nowhere.'),
});
export const rulesReply = z.strictObject({
  rules: z.array(ruleSchema).describe('Rules that people made, in order of creation.'),
  defaults: z.array(defaultSchema).describe('Rules that apply without being made.'),
});
export const switchesBody = z
  .strictObject(
    Object.fromEntries(
      alertRules.map((rule) => [
        rule,
        z
          .boolean()
          .describe(`Whether "${alertText(rule)}" is watched.`)
          .optional(),
      ]),
    ) as Record<AlertRule, z.ZodOptional<z.ZodBoolean>>,
  )
  .refine((body) => Object.keys(body).length > 0, 'is empty: name at least one rule');
export const switchedReply = z.strictObject({
  defaults: z.array(defaultSchema).describe('All default rules as they are now.'),
});
export const removedReply = z.strictObject({ ok: z.literal(true).meta(notes.ok) });

type Deps = Call<unknown, unknown, unknown>['deps'];

/** Finds the rule that an earlier attempt of the same request created. */
export async function madeRule({ deps }: { deps: Deps }, id: string) {
  const row = await findAlertRule(deps.db, id);
  return row && { rule: presentRule(row) };
}

/** @param projectId empty for the operator's rules */
export async function allRules({ db }: Deps, projectId: string): Promise<z.infer<typeof rulesReply>> {
  const [rows, off] = await db.batch([selectAlertRules(db, projectId), selectAlertSwitches(db, projectId)]);
  const defaults = alertRules.map((rule) => {
    const where = off.filter((one) => one.rule === rule).map((one) => one.projectId);
    const offBy =
      where.length === 0 ? null : where.includes('') ? ('instance' as const) : ('project' as const);
    return { rule, text: alertText(rule), enabled: offBy === null, offBy };
  });
  return { rules: rows.map(presentRule), defaults };
}

export const chosenSwitches = (body: z.infer<typeof switchesBody>): Map<AlertRule, boolean> =>
  new Map(alertRules.flatMap((rule) => (body[rule] === undefined ? [] : [[rule, body[rule]] as const])));

export function presentRule(row: AlertRuleRow): z.infer<typeof ruleSchema> {
  const { id, name, metric, comparison, threshold, forSeconds, enabled } = row;
  return {
    ...{ id, name, metric, comparison, threshold, forSeconds, enabled },
    projectId: row.projectId || null,
    serviceId: row.serviceId || null,
    runnerId: row.runnerId || null,
    unit: ruleMetrics[metric].unit,
    createdAt: timestamp(row.createdAt),
    updatedAt: timestamp(row.updatedAt),
  };
}
