/** `logs`: the output of a service, or the log of its failed newest deployment. */

import type { LogEntry, Service } from '../../client/client.ts';
import { buildCommand } from '../base/command.ts';
import { usageFailure } from '../base/failure.ts';
import { chosenLines, searchMatcher, timeOf } from '../deployments/chosen-lines.ts';
import { followLog } from '../deployments/follow.ts';
import { fieldOf, logLevels, logSources } from '../deployments/kept-lines.ts';
import { type NameOf, type RuntimeChoice, runtimeLogs, writer } from '../deployments/runtime-lines.ts';
import { deploymentFlag } from '../proposals.ts';
import {
  about,
  type CommandLine,
  openSession,
  type ServiceFlags,
  type Session,
  serviceAliases,
  serviceFlags,
  serviceNames,
  switchFlag,
  textFlag,
  wholeNumber,
} from '../session.ts';

interface LogsFlags extends ServiceFlags, RuntimeChoice {
  build: boolean;
  runtime: boolean;
  deployment?: string;
}

export const logs = buildCommand({
  docs: about(
    'Show the output of services, or the log of a deployment',
    'Shows the last 200 lines of the running service. If its newest deployment failed, or no deployment was live yet, it shows the log of the newest deployment. You can name several services: each line then begins with the name of its service. --since, --search and the flags after it search the lines that the host has stored, across deployments.',
  ),
  parameters: {
    flags: {
      ...serviceFlags,
      follow: switchFlag('Keep waiting for new lines'),
      build: switchFlag('The log of the newest deployment'),
      runtime: switchFlag('The output of the running service, even if the newest deployment failed'),
      deployment: deploymentFlag('The log of this deployment'),
      search: textFlag('Only lines that match, such as "refused -health level:error status:>=500"', 'query'),
      regex: textFlag('Only lines with this regular expression, in the syntax of RE2', 'pattern'),
      level: {
        kind: 'enum',
        values: logLevels,
        brief: 'Only lines of this level and of more severe levels:',
        optional: true,
      },
      field: {
        kind: 'parsed',
        parse: fieldOf,
        brief: 'Only JSON lines with this value, such as status=500; can be repeated',
        optional: true,
        variadic: true,
        placeholder: 'name=value',
      },
      source: {
        kind: 'enum',
        values: logSources,
        brief: 'Only what the service prints, or only its access log',
        optional: true,
      },
      since: {
        kind: 'parsed',
        parse: timeOf,
        brief: 'Only newer lines: 30s, 10m, 2h, 1d or a time such as 2026-11-24T10:00Z',
        optional: true,
        placeholder: 'time',
      },
      until: {
        kind: 'parsed',
        parse: timeOf,
        brief: 'Only older lines: the same forms',
        optional: true,
        placeholder: 'time',
      },
      lines: {
        kind: 'parsed',
        parse: wholeNumber,
        brief: 'Only this number of the last lines (default for a running service: 200)',
        optional: true,
        placeholder: 'count',
      },
    },
    aliases: { ...serviceAliases, f: 'follow', n: 'lines' },
    positional: {
      kind: 'array',
      parameter: {
        brief: 'Names, project/service or ids',
        parse: String,
        placeholder: 'service',
        proposeCompletions: serviceNames,
      },
    },
  },
  async func(this: CommandLine, flags: LogsFlags, ...targets: string[]) {
    if (flags.follow && flags.until !== undefined)
      throw usageFailure(
        '--follow waits for new lines, and --until shows only older ones. Use one of the two.',
      );
    const session = await openSession(this, flags);
    if (flags.deployment !== undefined) return deploymentLog(this, session, flags, flags.deployment, '');
    const wanted = targets.length > 0 ? targets : [undefined];
    const found = await Promise.all(wanted.map((target) => session.find(flags, target)));
    const services = found.map(({ service }) => service);
    const nameOf: NameOf = ({ slug }) => (services.length > 1 ? slug : '');
    const builds = await Promise.all(services.map((service) => buildToShow(session, flags, service)));
    const running = services.filter((_, at) => builds[at] === undefined);
    await Promise.all([
      ...services.map((service, at) => {
        const id = builds[at];
        return id === undefined ? undefined : deploymentLog(this, session, flags, id, nameOf(service));
      }),
      ...byProject(running).map((members) => runtimeLogs(this.process, session, flags, members, nameOf)),
    ]);
  },
});

/** The runtime logs of one project are read in one stream. */
const byProject = (services: readonly Service[]): Service[][] =>
  [...new Set(services.map(({ projectId }) => projectId))].map((id) =>
    services.filter(({ projectId }) => projectId === id),
  );

/** @returns the deployment whose log is shown instead of the service's output; undefined: show the output */
async function buildToShow(
  { client, output }: Session,
  flags: LogsFlags,
  service: Service,
): Promise<string | undefined> {
  if (flags.runtime) return undefined;
  const { deployments } = await client.call('GET /api/services/:serviceId/deployments', {
    params: { serviceId: service.id },
    query: { limit: 1 },
  });
  const [newest] = deployments;
  const isShown = flags.build || newest?.status === 'failed' || service.lastDeployedAt === null;
  if (newest === undefined || !isShown) return undefined;
  if (!flags.build) output.progress(`${service.slug}: log of its newest deployment (${newest.status}).`);
  return newest.id;
}

async function deploymentLog(
  line: CommandLine,
  session: Session,
  flags: LogsFlags,
  id: string,
  name: string,
) {
  const write = writer(session, name);
  const matches = searchMatcher(flags.search);
  const params = { deploymentId: id };
  if (!flags.follow) return chosenLines(await allLines(session, id), flags).forEach(write);
  await followLog(
    session,
    (more) => session.client.events('GET /api/deployments/:deploymentId/stream', { params, ...more }),
    {
      process: line.process,
      comeBack: `longshore logs -f --deployment ${id}`,
      subject: `Deployment ${id}`,
      write: (entry) => matches(entry) && write(entry),
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
