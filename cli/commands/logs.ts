/** `logs`: what a service prints, or why its newest deployment failed. */
import { buildCommand } from '@stricli/core';
import type { LogEntry, RuntimeLogEntry, Service } from '../../client/client.ts';
import { Failure } from '../base/failure.ts';
import { printable } from '../base/output.ts';
import { chosenLines, timeOf } from '../deployments/chosen-lines.ts';
import { followLog } from '../deployments/follow.ts';
import {
  about,
  type CommandLine,
  openSession,
  type ServiceFlags,
  type Session,
  serviceAliases,
  serviceFlags,
  switchFlag,
  textFlag,
  wholeNumber,
} from '../session.ts';

interface LogsFlags extends ServiceFlags {
  follow: boolean;
  build: boolean;
  runtime: boolean;
  deployment?: string;
  search?: string;
  since?: Date;
  lines?: number;
}

export const logs = buildCommand({
  docs: about(
    'Show the output of services, or the log of a deployment',
    'Shows the last 200 lines of the running service. If its newest deployment failed, or no deployment was live yet, it shows the log of the newest deployment. You can name several services: each line then begins with the name of its service.',
  ),
  parameters: {
    flags: {
      ...serviceFlags,
      follow: switchFlag('Keep waiting for new lines'),
      build: switchFlag('The log of the newest deployment'),
      runtime: switchFlag('The output of the running service, even if the newest deployment failed'),
      deployment: textFlag('The log of this deployment', 'id'),
      search: textFlag('Only lines that contain this text', 'text'),
      since: {
        kind: 'parsed',
        parse: timeOf,
        brief: 'Only newer lines: 30s, 10m, 2h, 1d or a time such as 2026-11-24T10:00Z',
        optional: true,
        placeholder: 'time',
      },
      lines: {
        kind: 'parsed',
        parse: wholeNumber,
        brief: 'Only the last lines; of a running service at most 200',
        optional: true,
        placeholder: 'count',
      },
    },
    aliases: { ...serviceAliases, f: 'follow', n: 'lines' },
    positional: {
      kind: 'array',
      parameter: { brief: 'Names, project/service or ids', parse: String, placeholder: 'service' },
    },
  },
  async func(this: CommandLine, flags: LogsFlags, ...targets: string[]) {
    const session = await openSession(this, flags);
    if (flags.deployment !== undefined) return deploymentLog(this, session, flags, flags.deployment, '');
    const wanted = targets.length > 0 ? targets : [undefined];
    const services = await Promise.all(wanted.map((target) => session.find(flags, target)));
    await Promise.all(
      services.map(({ service }) =>
        serviceLog(this, session, flags, service, services.length > 1 ? service.slug : ''),
      ),
    );
  },
});

async function serviceLog(
  line: CommandLine,
  session: Session,
  flags: LogsFlags,
  service: Service,
  name: string,
) {
  const { id: serviceId } = service;
  const { deployments } = await session.client.call('GET /api/services/:serviceId/deployments', {
    params: { serviceId },
    query: { limit: 1 },
  });
  const [newest] = deployments;
  const ofBuild = flags.build || newest?.status === 'failed' || service.lastDeployedAt === null;
  if (newest !== undefined && ofBuild && !flags.runtime) {
    if (!flags.build)
      session.output.progress(`${service.slug}: log of its newest deployment (${newest.status}).`);
    return deploymentLog(line, session, flags, newest.id, name);
  }
  await runtimeLog(line, session, flags, service, name);
}

async function deploymentLog(
  line: CommandLine,
  session: Session,
  flags: LogsFlags,
  id: string,
  name: string,
) {
  const write = writer(session, flags, name);
  const params = { deploymentId: id };
  if (!flags.follow) return chosenLines(await allLines(session, id), flags).forEach(write);
  await followLog(
    session,
    (more) => session.client.events('GET /api/deployments/:deploymentId/stream', { params, ...more }),
    {
      process: line.process,
      comeBack: `longshore logs -f --deployment ${id}`,
      subject: `Deployment ${id}`,
      write,
    },
  );
}

/** Every stored line, page by page. */
async function allLines({ client }: Session, deploymentId: string): Promise<LogEntry[]> {
  const lines: LogEntry[] = [];
  for (;;) {
    const { logs } = await client.call('GET /api/deployments/:deploymentId/logs', {
      params: { deploymentId },
      query: { after: lines.at(-1)?.id ?? 0 },
    });
    if (logs.length === 0) return lines;
    lines.push(...logs);
  }
}

async function runtimeLog(
  line: CommandLine,
  session: Session,
  flags: LogsFlags,
  service: Service,
  name: string,
) {
  const write = writer(session, flags, name);
  const params = { serviceId: service.id };
  if (!flags.follow) {
    return lastLines(session, service, (entries) => chosenLines(entries, flags).forEach(write));
  }
  let isFirst = true;
  // The stream ends when the platform can follow the log no more, and is to be opened again.
  await followLog(
    session,
    async function* (more) {
      const stream = session.client.events('GET /api/services/:serviceId/runtime-logs/stream', {
        params,
        ...more,
      });
      for await (const message of stream) {
        if (message.event === 'snapshot') {
          const { since, search } = flags;
          // After a lost connection, a snapshot has only lines that are new.
          chosenLines(message.data, isFirst ? flags : { since, search }).forEach(write);
          isFirst = false;
        } else if (message.event === 'log') write(message.data);
        if ('id' in message && message.id) yield { event: 'snapshot', id: message.id, data: [] };
      }
    },
    {
      process: line.process,
      comeBack: `longshore logs -f ${service.slug}`,
      subject: `${service.slug}`,
      write,
    },
  );
}

/** How long the host may take to send the lines that it has. */
const snapshotMs = 20_000;

/** The lines that the host still has, at most 200. @throws Failure when the host does not answer */
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
      `The host of ${service.slug} sent no lines within ${snapshotMs / 1000} s: it may be away.`,
    );
  } finally {
    clearTimeout(timer);
    aborter.abort();
  }
}

const writer =
  ({ output, streams }: Session, { search }: LogsFlags, name: string) =>
  (entry: LogEntry | RuntimeLogEntry) => {
    const clean = printable(entry.line, Boolean(streams.stdout.isTTY && !streams.env.NO_COLOR));
    if (search !== undefined && !clean.includes(search)) return;
    const prefix = name === '' ? '' : `${output.style('cyan', name)} `;
    const shown = entry.stream === 'system' ? output.style('dim', clean) : clean;
    output.element(name === '' ? entry : { service: name, ...entry }, prefix + shown);
  };
