/** `alerts`: what needs attention, acknowledged and silenced. */
import { buildCommand, buildRouteMap } from '@stricli/core';
import { table } from '../base/output.ts';
import {
  about,
  type CommandLine,
  type CommonFlags,
  commonFlags,
  openSession,
  switchFlag,
} from '../session.ts';

const list = buildCommand({
  docs: about('List the alerts that are open', 'With --all also those of the last weeks that are over.'),
  parameters: { flags: { ...commonFlags, all: switchFlag('Also those that are over') } },
  async func(this: CommandLine, flags: CommonFlags & { all: boolean }) {
    const { client, output } = await openSession(this, flags);
    const query = flags.all ? {} : ({ state: 'open' } as const);
    const { alerts } = await client.all('GET /api/alerts', { query });
    const rows = alerts.map((one) => [
      one.name,
      output.style(one.resolvedAt === null ? 'red' : 'dim', one.rule),
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

const alertParameter = { brief: 'Id of the alert', parse: String, placeholder: 'alert' } as const;

const ack = buildCommand({
  docs: { brief: 'Say that somebody has taken an alert on' },
  parameters: { flags: commonFlags, positional: { kind: 'tuple', parameters: [alertParameter] } },
  async func(this: CommandLine, flags: CommonFlags, alertId: string) {
    const { client, output } = await openSession(this, flags);
    const reply = await client.call('PATCH /api/alerts/:alertId', {
      params: { alertId },
      body: { acknowledged: true },
    });
    output.answer(reply, () => `${reply.alert.id} was acknowledged at ${reply.alert.acknowledgedAt}.`);
  },
});

const msOf: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `2h` from now, or `off`. @throws Error that the framework tells as a usage error */
function silenceOf(input: string): Date | null {
  if (input === 'off') return null;
  const [, count, unit = ''] = /^(\d{1,5})([mhd])$/.exec(input) ?? [];
  if (count === undefined) throw new Error(`"${input}" is no time: 30m, 2h, 7d or off`);
  return new Date(Date.now() + Number(count) * (msOf[unit] ?? 0));
}

const silence = buildCommand({
  docs: about(
    'Send nothing about an alert for some time',
    'Neither its end nor a new one of the same rule and service. "off" ends the silence.',
  ),
  parameters: {
    flags: commonFlags,
    positional: {
      kind: 'tuple',
      parameters: [
        alertParameter,
        { brief: 'How long: 30m, 2h, 7d or off', parse: silenceOf, placeholder: 'time' },
      ],
    },
  },
  async func(this: CommandLine, flags: CommonFlags, alertId: string, until: Date | null) {
    const { client, output } = await openSession(this, flags);
    const silencedUntil = until?.toISOString() ?? null;
    const reply = await client.call('PATCH /api/alerts/:alertId', {
      params: { alertId },
      body: { silencedUntil },
    });
    output.answer(reply, () =>
      silencedUntil === null
        ? `${alertId} is not silenced.`
        : `${alertId} is silenced until ${silencedUntil}.`,
    );
  },
});

export const alerts = buildRouteMap({
  docs: { brief: 'What needs attention: memory, crashes, disks, certificates, backups' },
  routes: { list, ack, silence },
});
