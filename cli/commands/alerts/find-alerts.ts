/** Alerts by id, or by the name of the rule that raised them. */
import type { ReplyOf } from '../../../client/client.ts';
import { usageFailure } from '../../base/failure.ts';
import { findProject } from '../../names/find.ts';
import { missingName } from '../../names/nearest.ts';
import type { ServiceFlags, Session } from '../../session.ts';

export type Alert = ReplyOf<'GET /api/alerts'>['alerts'][number];

/** @returns a function that returns the name of an alert's rule, for default rules and for people's own */
export async function withRuleNames(
  { client }: Session,
  alerts: readonly Alert[],
): Promise<(alert: Alert) => string> {
  const projects = new Set(
    alerts.flatMap(({ ruleId, projectId }) => (ruleId && projectId ? [projectId] : [])),
  );
  const replies = await Promise.all(
    [...projects].map((projectId) =>
      client.call('GET /api/projects/:projectId/alert-rules', { params: { projectId } }),
    ),
  );
  const names = new Map(replies.flatMap(({ rules }) => rules.map(({ id, name }) => [id, name])));
  return ({ rule, ruleId }) => (ruleId === null ? rule : (names.get(ruleId) ?? rule));
}

/**
 * The id itself, or the ids of the open alerts of the rule; with `-s` only those of the service.
 * @throws Failure (usage) if the rule has no open alert; the message lists the rules that have open alerts
 */
export async function findAlerts(session: Session, flags: ServiceFlags, wanted: string): Promise<string[]> {
  if (/^alt_[a-z0-9]+$/.test(wanted)) return [wanted];
  const ofService = flags.service === undefined ? {} : { serviceId: (await session.find(flags)).service.id };
  const { alerts: open } = await session.client.all('GET /api/alerts', {
    query: { state: 'open', ...ofService },
  });
  const project = flags.project === undefined ? undefined : await projectId(session, flags.project);
  const alerts = open.filter((one) => project === undefined || one.projectId === project);
  const nameOf = await withRuleNames(session, alerts);
  const found = alerts.filter((one) => nameOf(one) === wanted || one.ruleId === wanted);
  if (found.length > 0) return found.map(({ id }) => id);
  throw usageFailure(missingName('open alert of the rule', wanted, [...new Set(alerts.map(nameOf))]));
}

async function projectId(session: Session, name: string): Promise<string> {
  return findProject(await session.projects(), name).id;
}
