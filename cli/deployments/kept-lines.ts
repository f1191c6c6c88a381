/** Searches the logs that hosts have kept, page by page, or follows them. */
import type { KeptLogEntry, Service } from '../../client/client.ts';
import type { Session } from '../session.ts';

/** From the least to the most severe. */
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;

/** `app`: the output of the service. `access`: its requests. */
export const logSources = ['app', 'access'] as const;

/** A line must match all of these conditions. */
export interface LineSearch {
  search?: string | undefined;
  regex?: string | undefined;
  level?: (typeof logLevels)[number] | undefined;
  /** Fields of JSON lines, each as `name=value`. */
  field?: readonly string[] | undefined;
  source?: (typeof logSources)[number] | undefined;
  since?: Date | undefined;
  until?: Date | undefined;
  lines?: number | undefined;
}

/** Number of lines without `--lines`. */
const linesDefault = 200;
/** Most lines in one answer. */
const pageMax = 1_000;

/** Checks a `status=500`. @throws Error that the framework reports as a usage error */
export function fieldOf(input: string): string {
  if (/^[^=]+=/.test(input)) return input;
  throw new Error(`"${input}" is not a field with its value. Example: status=500`);
}

/** The filters as the API names them. */
export function filtersOf({ search, regex, level, source, field = [] }: LineSearch): Record<string, string> {
  const fields = field.map((one) => [
    `field.${one.slice(0, one.indexOf('='))}`,
    one.slice(one.indexOf('=') + 1),
  ]);
  return {
    ...(search === undefined ? {} : { query: search }),
    ...(regex === undefined ? {} : { regex }),
    ...(level === undefined ? {} : { level }),
    ...(source === undefined ? {} : { source }),
    ...Object.fromEntries(fields),
  };
}

/** Whether only a host that keeps logs can answer this search. */
export const needsKeptLogs = ({ search, regex, level, source, field = [], lines = 0 }: LineSearch): boolean =>
  search !== undefined ||
  source !== undefined ||
  regex !== undefined ||
  level !== undefined ||
  field.length > 0 ||
  lines > linesDefault;

/**
 * The newest lines that match, oldest first.
 * @param services of one project
 */
export async function keptLines(
  session: Session,
  services: readonly Service[],
  asked: LineSearch,
): Promise<KeptLogEntry[]> {
  const wanted = asked.lines ?? linesDefault;
  const found: KeptLogEntry[] = [];
  for (let cursor: string | undefined; found.length < wanted; ) {
    const query = {
      ...filtersOf(asked),
      limit: Math.min(pageMax, wanted - found.length),
      ...(asked.since ? { since: asked.since.toISOString() } : {}),
      ...(asked.until ? { until: asked.until.toISOString() } : {}),
      ...(cursor === undefined ? {} : { cursor }),
    };
    const page = await pageOf(session, services, query);
    found.push(...page.logs);
    cursor = page.nextCursor;
    // Each page names the same hosts; the control plane of the release before names none.
    const { searched }: { searched?: (typeof page)['searched'] } = page;
    if (cursor === undefined || found.length >= wanted) tellAway(session, searched?.hosts ?? []);
    for (const { serviceId, hostName } of page.earlierHosts ?? []) {
      const name = services.find(({ id }) => id === serviceId)?.slug ?? serviceId;
      session.output.progress(
        `${name} ran on the host ${hostName} before it moved. The lines from that host are not shown, because it is not connected.`,
      );
    }
    if (cursor === undefined) break;
  }
  return found.reverse();
}

/** Hosts whose lines are missing. */
export function tellAway({ output }: Session, hosts: readonly { hostName: string; reason?: string }[]): void {
  for (const { hostName, reason } of hosts)
    if (reason !== undefined) output.progress(`The lines from the host ${hostName} are missing. ${reason}`);
}

function pageOf({ client }: Session, services: readonly Service[], query: Record<string, string | number>) {
  const [first, ...others] = services;
  if (first && others.length === 0)
    return client.call('GET /api/services/:serviceId/runtime-logs', {
      params: { serviceId: first.id },
      query,
    });
  return client.call('GET /api/projects/:projectId/runtime-logs', {
    params: { projectId: first?.projectId ?? '' },
    query: { ...query, services: services.map(({ id }) => id).join(',') },
  });
}

/** The stream of the matching lines of one or several services of one project. */
export function followKept(
  { client }: Session,
  services: readonly Service[],
  asked: LineSearch,
  more: { lastEventId?: string; signal: AbortSignal },
) {
  const [first, ...others] = services;
  const query = { ...filtersOf(asked), lines: Math.min(pageMax, asked.lines ?? linesDefault) };
  // A first connection has nothing to resume.
  const { lastEventId, ...rest } = more;
  const options = { ...rest, ...(lastEventId === '0' || lastEventId === undefined ? {} : { lastEventId }) };
  if (first && others.length === 0)
    return client.events('GET /api/services/:serviceId/runtime-logs/follow', {
      params: { serviceId: first.id },
      query,
      ...options,
    });
  return client.events('GET /api/projects/:projectId/runtime-logs/follow', {
    params: { projectId: first?.projectId ?? '' },
    query: { ...query, services: services.map(({ id }) => id).join(',') },
    ...options,
  });
}
