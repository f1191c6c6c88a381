/** `requests`: the request log of a service, and its switch. */
import type { ReplyOf } from '../../client/client.ts';
import { buildCommand } from '../base/command.ts';
import { usageFailure } from '../base/failure.ts';
import { size } from '../base/progress.ts';
import { table } from '../base/table.ts';
import { timeOf } from '../deployments/chosen-lines.ts';
import {
  about,
  type CommandLine,
  openSession,
  type ServiceFlags,
  type Session,
  serviceAliases,
  serviceArgument,
  serviceFlags,
  switchFlag,
  textFlag,
  wholeNumber,
} from '../session.ts';

type Request = ReplyOf<'GET /api/services/:serviceId/requests'>['requests'][number];

interface RequestFlags extends ServiceFlags {
  status?: string;
  path?: string;
  method?: string;
  slower?: number;
  since?: Date;
  until?: Date;
  lines?: number;
  on: boolean;
  off: boolean;
}

/** Number of requests without `--lines`, and the most in one answer. */
const linesDefault = 50;
const pageMax = 1_000;

export const requests = buildCommand({
  docs: about(
    'Show the requests to a service with their status and duration',
    'Shows the newest requests that match all flags, the newest last. The log is off at first: --on writes all requests from now on, without a deployment; --off ends that. It contains no query, body or whole address.',
    'longshore requests web --status 5xx --path /api/ --slower 500 --since 1h',
  ),
  parameters: {
    flags: {
      ...serviceFlags,
      status: textFlag('Only this status, such as 404, or this class, such as 5xx', 'status'),
      path: textFlag('Only paths that begin with this', 'path'),
      method: textFlag('Only this method, such as POST', 'method'),
      slower: {
        kind: 'parsed',
        parse: wholeNumber,
        brief: 'Only requests that took at least this many milliseconds',
        optional: true,
        placeholder: 'ms',
      },
      since: {
        kind: 'parsed',
        parse: timeOf,
        brief: 'Only newer requests: 30s, 10m, 2h, 1d or a time such as 2026-11-24T10:00Z',
        optional: true,
        placeholder: 'time',
      },
      until: {
        kind: 'parsed',
        parse: timeOf,
        brief: 'Only older requests: the same forms',
        optional: true,
        placeholder: 'time',
      },
      lines: {
        kind: 'parsed',
        parse: wholeNumber,
        brief: `How many of the newest requests (default: ${linesDefault})`,
        optional: true,
        placeholder: 'count',
      },
      on: switchFlag('Write requests from now on'),
      off: switchFlag('Write no more requests'),
    },
    aliases: { ...serviceAliases, n: 'lines' },
    positional: serviceArgument,
  },
  async func(this: CommandLine, flags: RequestFlags, target?: string) {
    if (flags.on && flags.off) throw usageFailure('Use --on or --off, not both.');
    const session = await openSession(this, flags);
    const { service } = await session.find(flags, target);
    if (flags.on || flags.off) return switchLog(session, service.id, flags.on);
    const { found, isWritten } = await newest(session, service.id, flags);
    session.output.answer({ requests: found }, () =>
      table(
        ['TIME (UTC)', 'STATUS', 'MS', 'SIZE', 'REQUEST'],
        found.map(row),
        `No request to ${service.slug} matches.`,
      ),
    );
    if (!isWritten)
      session.output.progress(
        `${service.slug} writes no requests now. To switch that on: longshore requests ${service.slug} --on`,
      );
  },
});

const row = ({ at, status, durationMs, bytes, method, host, path }: Request): string[] => [
  at.slice(0, 19).replace('T', ' '),
  String(status),
  String(durationMs >= 10 ? Math.round(durationMs) : durationMs),
  size(bytes),
  `${method} ${host}${path}`,
];

/** @returns the newest requests that match, oldest first */
async function newest(
  { client }: Session,
  serviceId: string,
  { status, path, method, slower, since, until, lines = linesDefault }: RequestFlags,
): Promise<{ found: Request[]; isWritten: boolean }> {
  const filters = {
    ...(status === undefined ? {} : { status }),
    ...(path === undefined ? {} : { path }),
    ...(method === undefined ? {} : { method }),
    ...(slower === undefined ? {} : { slowerThanMs: slower }),
    ...(since === undefined ? {} : { since: since.toISOString() }),
    ...(until === undefined ? {} : { until: until.toISOString() }),
  };
  const found: Request[] = [];
  let cursor: string | undefined;
  for (;;) {
    const query = {
      ...filters,
      limit: Math.max(1, Math.min(pageMax, lines - found.length)),
      ...(cursor === undefined ? {} : { cursor }),
    };
    const page = await client.call('GET /api/services/:serviceId/requests', { params: { serviceId }, query });
    found.push(...page.requests);
    cursor = page.nextCursor;
    if (cursor === undefined || found.length >= lines)
      return { found: found.slice(0, lines).reverse(), isWritten: page.accessLog !== null };
  }
}

async function switchLog({ client, output }: Session, serviceId: string, isOn: boolean): Promise<void> {
  const params = { serviceId };
  const { rules } = await client.call('GET /api/services/:serviceId/traffic-rules', { params });
  const accessLog = isOn ? { sample: 1 } : null;
  const reply = await client.call('PUT /api/services/:serviceId/traffic-rules', {
    params,
    body: { ...rules, accessLog },
  });
  output.answer({ accessLog: reply.rules.accessLog ?? null }, () =>
    isOn ? 'Requests are written from now on.' : 'No more requests are written.',
  );
  if (!reply.proxy.ok) output.progress(reply.proxy.detail);
}
