/** `alerts`: lists, acknowledges and silences alerts. */
import { buildRouteMap } from '@stricli/core';
import type { CallOptions } from '../../../client/client.ts';
import { buildCommand } from '../../base/command.ts';
import { secondsOf } from '../../base/duration.ts';
import { table } from '../../base/table.ts';
import {
  about,
  type CommandLine,
  type CommonFlags,
  commonFlags,
  openSession,
  type ServiceFlags,
  type Session,
  serviceAliases,
  serviceFlags,
  switchFlag,
} from '../../session.ts';
import { type Alert, findAlerts, withRuleNames } from './find-alerts.ts';
import { rules } from './rules.ts';

const list = buildCommand({
  docs: about('List the alerts that are open', 'With --all, also alerts of the last weeks that have ended.'),
  parameters: { flags: { ...commonFlags, all: switchFlag('Also alerts that have ended') } },
  async func(this: CommandLine, flags: CommonFlags & { all: boolean }) {
    const session = await openSession(this, flags);
    const { client, output } = session;
    const query = flags.all ? {} : ({ state: 'open' } as const);
    const { alerts } = await client.all('GET /api/alerts', { query });
    const nameOf = await withRuleNames(session, alerts);
    const rows = alerts.map((one) => [
      one.name,
      output.style(one.resolvedAt === null ? 'red' : 'dim', nameOf(one)),
      one.raisedAt.slice(0, 16).replace('T', ' '),
      one.resolvedAt?.slice(0, 16).replace('T', ' ') ?? '-',
      [...(one.acknowledgedBy ? ['acknowledged'] : []), ...(one.silencedUntil ? ['silenced'] : [])].join(
        ', ',
      ),
      one.id,
      one.detail,
    ]);
    output.answer({ alerts }, () =>
      table(['NAME', 'RULE', 'SINCE (UTC)', 'UNTIL', '', 'ID', ''], rows, 'No alerts.'),
    );
  },
});

const alertParameter = {
  brief: 'Id of the alert, or name of a rule for all its open alerts',
  parse: String,
  placeholder: 'alert',
} as const;

/** Changes the alert, or each open alert of the rule. @returns the changed alerts */
async function changed(
  session: Session,
  flags: ServiceFlags,
  wanted: string,
  body: NonNullable<CallOptions<'PATCH /api/alerts/:alertId'>['body']>,
): Promise<Alert[]> {
  const now: Alert[] = [];
  for (const alertId of await findAlerts(session, flags, wanted)) {
    const { alert } = await session.client.call('PATCH /api/alerts/:alertId', { params: { alertId }, body });
    now.push(alert);
  }
  return now;
}

const ack = buildCommand({
  docs: about(
    'Acknowledge an alert, so that others see that somebody is working on it',
    'Takes the id of an alert, or the name of a rule. A rule stands for all of its open alerts, or with -s for that of one service.',
    'longshore alerts ack memory -s web',
  ),
  parameters: {
    flags: serviceFlags,
    aliases: serviceAliases,
    positional: { kind: 'tuple', parameters: [alertParameter] },
  },
  async func(this: CommandLine, flags: ServiceFlags, wanted: string) {
    const session = await openSession(this, flags);
    const alerts = await changed(session, flags, wanted, { acknowledged: true });
    session.output.answer({ alerts }, () =>
      alerts.map(({ id, acknowledgedAt }) => `${id} was acknowledged at ${acknowledgedAt}.`).join('\n'),
    );
  },
});

/** `2h` from now, or `off`. @throws Error that the framework reports as a usage error */
function silenceOf(input: string): Date | null {
  if (input === 'off') return null;
  return new Date(Date.now() + secondsOf(input) * 1000);
}

const silence = buildCommand({
  docs: about(
    'Send nothing about an alert for some time',
    'Until then, neither the end of the alert nor a new alert of the same rule and service is sent. "off" ends the silence.',
  ),
  parameters: {
    flags: serviceFlags,
    aliases: serviceAliases,
    positional: {
      kind: 'tuple',
      parameters: [
        alertParameter,
        { brief: 'How long: 30m, 2h, 7d or off', parse: silenceOf, placeholder: 'time' },
      ],
    },
  },
  async func(this: CommandLine, flags: ServiceFlags, wanted: string, until: Date | null) {
    const session = await openSession(this, flags);
    const silencedUntil = until?.toISOString() ?? null;
    const alerts = await changed(session, flags, wanted, { silencedUntil });
    session.output.answer({ alerts }, () =>
      alerts
        .map(({ id }) =>
          silencedUntil === null ? `${id} is not silenced.` : `${id} is silenced until ${silencedUntil}.`,
        )
        .join('\n'),
    );
  },
});

export const alerts = buildRouteMap({
  docs: { brief: 'Problems that need attention: memory, crashes, disks, certificates, backups' },
  routes: { list, ack, silence, rules },
});
