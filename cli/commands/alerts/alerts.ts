/** `alerts`: what needs attention, acknowledged and silenced. */
import { buildCommand, buildRouteMap } from '@stricli/core';
import type { CallOptions } from '../../../client/client.ts';
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
  docs: about('List the alerts that are open', 'With --all also those of the last weeks that are over.'),
  parameters: { flags: { ...commonFlags, all: switchFlag('Also those that are over') } },
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
  brief: 'Id of the alert, or name of its rule: then each open one',
  parse: String,
  placeholder: 'alert',
} as const;

/** Changes the alert, or each open one of the rule. @returns them as they are now */
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
    'Say that somebody has taken an alert on',
    'longshore alerts ack alt_3kq9x7m2v5c8b1n4, or by the name of its rule: longshore alerts ack memory -s web. Without -s each open alert of the rule.',
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

/** `2h` from now, or `off`. @throws Error that the framework tells as a usage error */
function silenceOf(input: string): Date | null {
  if (input === 'off') return null;
  return new Date(Date.now() + secondsOf(input) * 1000);
}

const silence = buildCommand({
  docs: about(
    'Send nothing about an alert for some time',
    'Neither its end nor a new one of the same rule and service. "off" ends the silence.',
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
  docs: { brief: 'What needs attention: memory, crashes, disks, certificates, backups' },
  routes: { list, ack, silence, rules },
});
