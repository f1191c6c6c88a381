/** `status`: what is out of order now, worst first, each with the command to begin with. */
import type { ReplyOf } from '../../client/client.ts';
import { buildCommand } from '../base/command.ts';
import { exitCodes } from '../base/failure.ts';
import { findProject } from '../names/find.ts';
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
} from '../session.ts';

type Attention = ReplyOf<'GET /api/attention'>;
type Item = Attention['attention'][number];

export const status = buildCommand({
  docs: about(
    'Show what is out of order now: what, its effect, since when, and the command to begin with',
    'Worst first: crashes, failed deployments, hosts that are away, alerts, backups, names, notifications. What somebody has acknowledged comes last.',
    'longshore status --exit-code || page-me',
  ),
  parameters: {
    flags: { ...serviceFlags, exitCode: switchFlag('End with 1 if something is down') },
    aliases: serviceAliases,
    positional: serviceArgument,
  },
  async func(this: CommandLine, flags: ServiceFlags & { exitCode: boolean }, target?: string) {
    const session = await openSession(this, flags);
    const found = await session.client.call('GET /api/attention', {
      query: await scopeOf(session, flags, target),
    });
    session.output.answer(found, () =>
      found.total === 0 ? calm(found) : linesOf(session, found, Date.now()).join('\n'),
    );
    const isDown = found.attention.some(({ severity }) => severity === 'down');
    if (flags.exitCode && isDown) this.process.exitCode = exitCodes.failed;
  },
});

/** The service that is named; a linked folder does not narrow the question. */
async function scopeOf(session: Session, flags: ServiceFlags, target: string | undefined) {
  if (target !== undefined || flags.service !== undefined)
    return { serviceId: (await session.find(flags, target)).service.id };
  if (flags.project === undefined) return {};
  return { projectId: findProject(await session.projects(), flags.project).id };
}

function calm({ settling, services }: Attention): string {
  const number = services === 1 ? '1 service was' : `${services} services were`;
  return settling
    ? 'A host has just come or gone: its services are being looked at. Ask again in half a minute.'
    : `Nothing is wrong: ${number} looked at.`;
}

function linesOf({ output }: Session, { attention, total }: Attention, now: number): string[] {
  const colours = { down: 'red', failing: 'red', warning: 'yellow' } as const;
  const lines = attention.flatMap((item) => {
    const { name, severity, what, effect, since, acknowledgedAt } = item;
    const isHandled = acknowledgedAt !== null;
    const subject = item.serviceSlug === null ? name : `${item.projectSlug}/${item.serviceSlug}`;
    const head = `${severity.padEnd('warning'.length)}  ${output.style('bold', subject)}${since === null ? '' : `  ${ago(Date.parse(since), now)}`}${isHandled ? ', acknowledged' : ''}`;
    return [
      output.style(isHandled ? 'dim' : colours[severity], head),
      ...`${what}${effect === null ? '' : ` ${effect}`}`.split('\n').map((line) => `  ${line}`),
      ...commandOf(item).map((command) => output.style('cyan', `  ${command}`)),
    ];
  });
  return [...lines, ...(total > attention.length ? [`And ${total - attention.length} more.`] : [])];
}

/** The command for what is to be done first; empty for what only the dashboard or the operator does. */
function commandOf({ action, projectSlug, serviceSlug, resourceId }: Item): string[] {
  const service = `${projectSlug}/${serviceSlug}`;
  switch (action) {
    case 'host':
      return ['longshore hosts list'];
    case 'channel':
      return ['longshore api GET /api/notification-channels'];
    default:
      if (serviceSlug === null) return ['longshore alerts list'];
  }
  switch (action) {
    case 'rollback':
      return [`longshore rollback ${service} --to ${resourceId}`];
    case 'explain':
      return [`longshore explain ${service}`];
    case 'logs':
      return [`longshore logs ${service}`];
    case 'metrics':
      return [`longshore metrics ${service}`];
    case 'database-backups':
      return [`longshore db backups ${service}`];
    case 'volume-backups':
      return [`longshore volumes backups ${service}`];
    case 'domain':
      return [`longshore domains list ${service}`];
    case 'deployments':
      return [`longshore releases ${service}`];
  }
}

/** "12 min", "3 h", "2 d". */
function ago(since: number, now: number): string {
  const minutes = Math.max(0, Math.round((now - since) / 60_000));
  if (minutes < 1) return 'just now';
  if (minutes < 60) return `for ${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `for ${hours} h` : `for ${Math.round(hours / 24)} d`;
}
