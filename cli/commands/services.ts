/** `ps` and `open`: the running services and their addresses. */
import { buildCommand } from '../base/command.ts';
import { openBrowser } from '../base/open-browser.ts';
import { table } from '../base/table.ts';
import { hostName, knownHosts } from '../data/hosts.ts';
import { findProject } from '../names/find.ts';
import {
  type CommandLine,
  openSession,
  type ServiceFlags,
  serviceAliases,
  serviceArgument,
  serviceFlags,
} from '../session.ts';

const { service: _, ...projectFlags } = serviceFlags;

export const ps = buildCommand({
  docs: { brief: 'List services with their status and URL' },
  parameters: { flags: projectFlags, aliases: { p: 'project' } },
  async func(this: CommandLine, flags: Omit<ServiceFlags, 'service'>) {
    const session = await openSession(this, flags);
    const [all, hosts] = await Promise.all([session.projects(), knownHosts(session)]);
    const projects = flags.project === undefined ? all : [findProject(all, flags.project)];
    const services = projects.flatMap(({ slug, services }) =>
      services.map((one) => ({ project: slug, host: hostName(hosts, one.runnerId), ...one })),
    );
    const showsHost = new Set(services.map(({ runnerId }) => runnerId)).size > 1;
    const { style } = session.output;
    const colours = { active: 'green', failed: 'red', crashed: 'red' } as const;
    const rows = services.map((one) => [
      `${one.project}/${one.slug}`,
      one.sleep?.asleep
        ? style('dim', 'asleep')
        : style(colours[one.status as keyof typeof colours] ?? 'dim', one.status),
      ...(showsHost ? [one.host] : []),
      one.repoFullName ?? one.imageRef ?? one.repoUrl,
      one.lastDeployedAt?.slice(0, 16).replace('T', ' ') ?? '-',
      one.primaryUrl || one.localUrl,
    ]);
    session.output.answer({ services }, () =>
      table(
        ['SERVICE', 'STATUS', ...(showsHost ? ['HOST'] : []), 'SOURCE', 'DEPLOYED (UTC)', 'URL'],
        rows,
        'No services yet: longshore up',
      ),
    );
  },
});

export const open = buildCommand({
  docs: {
    brief: 'Print the URL of a service; on a terminal, also open it in a browser',
  },
  parameters: { flags: serviceFlags, aliases: serviceAliases, positional: serviceArgument },
  async func(this: CommandLine, flags: ServiceFlags, target?: string) {
    const session = await openSession(this, flags);
    const { service } = await session.find(flags, target);
    const url = service.primaryUrl || service.localUrl;
    session.output.answer({ url }, () => url);
    if (this.process.stdout.isTTY && !flags.json && /^https?:/.test(url)) openBrowser(url);
  },
});
