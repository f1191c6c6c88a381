/** `metrics`: what a service, or a host, uses. */
import { buildCommand } from '@stricli/core';
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
    'Of the last hour, or since a time: the last value, the mean and the peak, and a curve of the peaks. Values of ten seconds are kept for a day, of five minutes for two weeks.',
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
        brief: 'Seconds of each value in --json; chosen by the length of the time if absent',
        optional: true,
        placeholder: 'seconds',
      },
      series: textFlag('Only these series, with commas between them', 'names'),
      host: textFlag('Of this host instead (operator)', 'name'),
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
        `Nothing was measured of ${subject} in this time.`,
      ),
    );
    if (read.ageSeconds !== null && read.ageSeconds > staleSeconds)
      session.output.progress(`The last values of ${subject} are ${read.ageSeconds} s old.`);
  },
});

/** Three measurements. */
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
