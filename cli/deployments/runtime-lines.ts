/** The output of running services: the last lines, kept lines of hosts, or live lines. */
import type { EventOf, KeptLogEntry, LogEntry, RuntimeLogEntry, Service } from '../../client/client.ts';
import { Failure } from '../base/failure.ts';
import { printable } from '../base/output.ts';
import type { Session } from '../session.ts';
import { chosenLines } from './chosen-lines.ts';
import { type FollowOptions, followLog } from './follow.ts';
import { followKept, keptLines, type LineSearch, needsKeptLogs, tellAway } from './kept-lines.ts';

type FollowState = Extract<
  EventOf<'GET /api/services/:serviceId/runtime-logs/follow'>,
  { event: 'state' }
>['data'];

export interface RuntimeChoice extends LineSearch {
  follow: boolean;
}

/** The name before each line of a service; empty: no name. */
export type NameOf = (service: Service) => string;

type Interruptible = FollowOptions['process'];

/**
 * Shows the output of services, or follows it.
 * @param services of one project
 * @throws Failure when a host does not answer
 */
export async function runtimeLogs(
  process: Interruptible,
  session: Session,
  flags: RuntimeChoice,
  services: readonly Service[],
  nameOf: NameOf,
) {
  const each = (one: (service: Service) => Promise<void>) => Promise.all(services.map(one));
  const { since, until, search } = flags;
  const isSearch = needsKeptLogs(flags) || [since, until, search].some((one) => one !== undefined);
  if (flags.follow && needsKeptLogs(flags)) return followSearch(process, session, flags, services, nameOf);
  if (flags.follow) return each((service) => liveLog(process, session, flags, service, nameOf(service)));
  if (isSearch || services.length > 1) {
    const lines = await keptLines(session, services, flags);
    if (lines.length === 0 && flags.source === 'access')
      await each((service) => tellMissing(session, service));
    return lines.forEach(keptWriter(session, services, nameOf));
  }
  return each((service) =>
    lastLines(session, service, (entries) =>
      chosenLines(entries, flags).forEach(writer(session, nameOf(service))),
    ),
  );
}

/** An empty access log may be one that is not written: it is off at first. */
async function tellMissing(
  { client, output }: Session,
  { id, slug, repoUrl, runtimeMode }: Service,
): Promise<void> {
  if (repoUrl === 'database' || runtimeMode === 'worker') return;
  const name = 'GET /api/services/:serviceId/traffic-rules';
  const { rules } = await client.call(name, { params: { serviceId: id } });
  if (!rules.accessLog)
    output.progress(`${slug} writes no access log. To switch it on: longshore requests ${slug} --on`);
}

async function followSearch(
  process: Interruptible,
  session: Session,
  flags: RuntimeChoice,
  services: readonly Service[],
  nameOf: NameOf,
) {
  const slugs = services.map(({ slug }) => slug).join(' ');
  const write = keptWriter(session, services, nameOf);
  await followLog(
    session,
    async function* (more) {
      for await (const message of followKept(session, services, flags, more)) {
        if (message.event === 'state') tellState(session, message.data);
        if (message.event !== 'lines') continue;
        message.data.forEach(write);
        yield { event: 'snapshot', id: message.id, data: [] };
      }
    },
    { process, comeBack: `longshore logs -f ${slugs}`, subject: slugs, write: () => undefined },
  );
}

/** What the stream leaves out, on the error output, so that a file of lines has only lines. */
function tellState(session: Session, state: FollowState): void {
  const { skippedLines, isExact, behindMs, hostsAway } = state;
  const count = skippedLines.toLocaleString('en');
  if (skippedLines > 0 || !isExact)
    session.output.progress(
      `Skipped ${isExact ? '' : 'more than '}${count} lines, because more came than a stream carries. A search with --since finds them.`,
    );
  if (behindMs > 0) session.output.progress(`${Math.round(behindMs / 1000)} s behind.`);
  tellAway(session, hostsAway);
}

async function liveLog(
  process: Interruptible,
  session: Session,
  flags: RuntimeChoice,
  service: Service,
  name: string,
) {
  const write = writer(session, name);
  let isFirst = true;
  // The stream ends when the platform can't follow the log any more. Open it again.
  await followLog(
    session,
    async function* (more) {
      const stream = session.client.events('GET /api/services/:serviceId/runtime-logs/stream', {
        params: { serviceId: service.id },
        ...more,
      });
      for await (const message of stream) {
        if (message.event === 'snapshot') {
          const { since } = flags;
          // After a reconnect, a snapshot has only new lines.
          chosenLines(message.data, isFirst ? flags : { since }).forEach(write);
          isFirst = false;
        } else if (message.event === 'log') write(message.data);
        else if (message.event === 'status' && message.data.error)
          session.output.progress(message.data.error);
        if ('id' in message && message.id) yield { event: 'snapshot', id: message.id, data: [] };
      }
    },
    {
      process,
      comeBack: `longshore logs -f ${service.slug}`,
      subject: `${service.slug}`,
      write,
    },
  );
}

/** How long the host may take to send its lines. */
const snapshotMs = 20_000;

/** The last lines on the host, at most 200. @throws Failure if the host does not answer */
async function lastLines({ client }: Session, service: Service, write: (entries: RuntimeLogEntry[]) => void) {
  const aborter = new AbortController();
  const timer = setTimeout(() => aborter.abort(), snapshotMs);
  const options = { params: { serviceId: service.id }, signal: aborter.signal };
  try {
    for await (const message of client.events('GET /api/services/:serviceId/runtime-logs/stream', options)) {
      if (message.event === 'snapshot') write(message.data);
      if (message.event !== 'ping') return;
    }
  } catch (error) {
    if (!aborter.signal.aborted) throw error;
    throw new Failure(
      `The host of ${service.slug} sent no lines within ${snapshotMs / 1000} s: it may be disconnected.`,
    );
  } finally {
    clearTimeout(timer);
    aborter.abort();
  }
}

export const writer =
  ({ output, streams }: Session, name: string) =>
  (entry: LogEntry | RuntimeLogEntry | KeptLogEntry) => {
    const clean = printable(entry.line, Boolean(streams.stdout.isTTY && !streams.env.NO_COLOR));
    const from = name + ('replica' in entry && entry.replica !== undefined ? `[${entry.replica}]` : '');
    const prefix = from === '' ? '' : `${output.style('cyan', from)} `;
    const shown = entry.stream === 'system' ? output.style('dim', clean) : clean;
    output.element(name === '' ? entry : { service: name, ...entry }, prefix + shown);
  };

/** Sorts lines of several services by time. */
function keptWriter(session: Session, services: readonly Service[], nameOf: NameOf) {
  const writers = new Map(services.map((service) => [service.id, writer(session, nameOf(service))] as const));
  return (entry: KeptLogEntry) => writers.get(entry.serviceId)?.(entry);
}
