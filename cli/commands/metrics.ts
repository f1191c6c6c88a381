/** `metrics`: the resources that a service or a host uses. */
import { buildCommand } from '../base/command.ts';
import { usageFailure } from '../base/failure.ts';
import { table } from '../base/table.ts';
import { timeOf } from '../deployments/chosen-lines.ts';
import { seriesRows } from '../metrics/series-table.ts';
import { findNamed } from '../names/named.ts';
import {
  about,
  type CommandLine,
  openSession,
  type ServiceFlags,
  type Session,
  serviceAliases,
  serviceArgument,
  serviceFlags,
  textFlag,
  wholeNumber,
} from '../session.ts';

interface MetricFlags extends ServiceFlags {
  since?: Date;
  step?: number;
  series?: string;
  host?: string;
}

export const metrics = buildCommand({
  docs: about(
    'Show what a service uses, how many requests it gets and how fast it answers',
    'Shows the last value, the mean, the peak and a curve of the peaks, for the last hour or since a given time. Values for every ten seconds are kept for a day, values for every five minutes for 30 days.',
  ),
  parameters: {
    flags: {
      ...serviceFlags,
      since: {
        kind: 'parsed',
        parse: timeOf,
        brief: 'From this time on: 10m, 2h, 7d or a time such as 2026-11-24T10:00Z',
        optional: true,
        placeholder: 'time',
      },
      step: {
        kind: 'parsed',
        parse: wholeNumber,
        brief: 'Seconds that each value of --json covers (default: depends on the length of the time)',
        optional: true,
        placeholder: 'seconds',
      },
      series: textFlag('Only these series, separated by commas', 'names'),
      host: textFlag('Show a host instead of a service (operator)', 'name'),
    },
    aliases: serviceAliases,
    positional: serviceArgument,
  },
  async func(this: CommandLine, flags: MetricFlags, target?: string) {
    const session = await openSession(this, flags);
    const { since, step, series } = flags;
    const query = {
      ...(since ? { from: since.toISOString() } : {}),
      ...(step === undefined ? {} : { step }),
      ...(series === undefined ? {} : { series }),
    };
    const { subject, metrics: read } = await readMetrics(session, flags, target, query);
    session.output.answer({ metrics: read }, () =>
      table(
        ['SERIES', 'LAST', 'MEAN', 'PEAK', `${read.from.slice(0, 16).replace('T', ' ')} to now (UTC)`],
        seriesRows(read.series, { ...read.limits, diskUsed: read.limits.disk }),
        `There are no measurements of ${subject} in this time.`,
      ),
    );
    if (read.ageSeconds !== null && read.ageSeconds > staleSeconds)
      session.output.progress(`The last values of ${subject} are ${read.ageSeconds} s old.`);
  },
});

/** As long as three measurements. */
const staleSeconds = 30;

async function readMetrics(
  session: Session,
  flags: MetricFlags,
  target: string | undefined,
  query: { from?: string; step?: number; series?: string },
) {
  const { client } = session;
  if (flags.host === undefined) {
    const { service } = await session.find(flags, target);
    const params = { serviceId: service.id };
    const reply = await client.call('GET /api/services/:serviceId/metrics', { params, query });
    return { subject: service.slug, ...reply };
  }
  if (target !== undefined) throw usageFailure('Name a service or --host, not both.');
  const { runners } = await client.all('GET /api/system/runners');
  const { id: runnerId, name } = findNamed('host', runners, flags.host, (one) => one.name);
  const reply = await client.call('GET /api/system/runners/:runnerId/metrics', {
    params: { runnerId },
    query,
  });
  return { subject: name, ...reply };
}
