/** `down`: removes the project or service that `up` created. */
import { buildCommand } from '../base/command.ts';
import { usageFailure } from '../base/failure.ts';
import { confirm } from '../base/prompts.ts';
import { pathToRestore } from '../names/deleted.ts';
import { findProject, pathOf } from '../names/find.ts';
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
import { readLink, removeLink } from '../settings/link.ts';

interface DownFlags extends ServiceFlags {
  yes: boolean;
  all: boolean;
}

export const down = buildCommand({
  docs: about(
    'Delete a service, or with --all its whole project',
    'Asks first, and prints the command that restores the service or project with its data. It can be restored for three days, unless the operator has set another time. Also removes .longshore.json from this folder if it links to something that was deleted.',
  ),
  parameters: {
    flags: {
      ...serviceFlags,
      yes: switchFlag('Do not ask for confirmation'),
      all: switchFlag('Delete the project with all of its services and databases'),
    },
    aliases: { ...serviceAliases, y: 'yes' },
    positional: serviceArgument,
  },
  async func(this: CommandLine, flags: DownFlags, target?: string) {
    const session = await openSession(this, flags);
    return flags.all ? deleteProject(session, flags, target) : deleteService(session, flags, target);
  },
});

async function deleteService(session: Session, flags: DownFlags, target: string | undefined): Promise<void> {
  const found = await session.find(flags, target);
  const name = pathOf(found);
  const isData = found.service.repoUrl === 'database' ? ' and its data' : '';
  await confirm(session.streams, `Delete ${name}${isData}?`, flags.yes);
  const reply = await session.client.call('DELETE /api/services/:serviceId', {
    params: { serviceId: found.service.id },
  });
  await unlink(
    session,
    ({ project, service }) => project === found.project.slug && service === found.service.slug,
  );
  tell(
    session,
    reply,
    `/api/services/${found.service.id}/restore`,
    name,
    pathToRestore(found.project.name, found.service.name),
  );
}

async function deleteProject(session: Session, flags: DownFlags, target: string | undefined): Promise<void> {
  const name =
    (target ?? flags.service)?.split('/')[0] ?? flags.project ?? (await readLink(session.directory))?.project;
  if (name === undefined) throw usageFailure('Which project? For example: longshore down --all shop');
  const project = findProject(await session.projects(), name);
  const services = project.services.map(({ slug }) => slug).join(', ') || 'no services';
  await confirm(session.streams, `Delete the project ${project.slug} with ${services}?`, flags.yes);
  const reply = await session.client.call('DELETE /api/projects/:projectId', {
    params: { projectId: project.id },
  });
  await unlink(session, (link) => link.project === project.slug);
  tell(session, reply, `/api/projects/${project.id}/restore`, project.slug, pathToRestore(project.name));
}

function tell(
  { output }: Session,
  reply: { proxy: { ok: boolean; detail: string } },
  restore: string,
  name: string,
  toRestore: string,
): void {
  output.answer({ deleted: name, restore, ...reply }, () => name);
  // The API's own sentence for clients contains the same route.
  const detail = reply.proxy.detail.replace(/ with POST \S+(?=\.)/, '');
  output.progress(`${detail}\nTo restore it: longshore restore ${toRestore}`);
}

async function unlink(
  { directory }: Session,
  names: (link: { project: string; service?: string }) => boolean,
): Promise<void> {
  const link = await readLink(directory);
  if (link !== undefined && names(link)) await removeLink(link.path);
}
