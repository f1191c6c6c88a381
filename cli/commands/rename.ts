/** `rename` and `transfer`: rename a project or a service, or move a service to another project. */
import { buildCommand } from '../base/command.ts';
import { findProject, findService, pathOf } from '../names/find.ts';
import {
  about,
  type CommandLine,
  type CommonFlags,
  commonFlags,
  openSession,
  type ServiceFlags,
  serviceAliases,
  serviceFlags,
} from '../session.ts';
import { readLink } from '../settings/link.ts';

export const rename = buildCommand({
  docs: about(
    'Rename a project or a service',
    'Takes a project, or project/service. Commands accept the new name. Addresses and variables keep using the slug, which does not change.',
    'longshore rename shop/web frontend',
  ),
  parameters: {
    flags: commonFlags,
    positional: {
      kind: 'tuple',
      parameters: [
        { brief: 'Project, or project/service', parse: String, placeholder: 'old' },
        { brief: 'Its new name', parse: String, placeholder: 'new' },
      ],
    },
  },
  async func(this: CommandLine, flags: CommonFlags, old: string, name: string) {
    const session = await openSession(this, flags);
    const { client, output } = session;
    const projects = await session.projects();
    if (!old.includes('/')) {
      const projectId = findProject(projects, old).id;
      const reply = await client.call('PATCH /api/projects/:projectId', {
        params: { projectId },
        body: { name },
      });
      output.answer(reply, () => reply.project.name);
      return output.progress(`Addresses and commands still use its slug ${reply.project.slug}.`);
    }
    const serviceId = findService(projects, { service: old }).service.id;
    const reply = await client.call('PATCH /api/services/:serviceId', {
      params: { serviceId },
      body: { name },
    });
    output.answer(reply, () => reply.service.name);
    output.progress(`Addresses, variables and commands still use its slug ${reply.service.slug}.`);
  },
});

export const transfer = buildCommand({
  docs: about(
    'Move a service to another project',
    'Its variables, domains and deployments go with it. Its container stays on the network of the old project until the next deployment.',
    'longshore transfer other -s shop/web',
  ),
  parameters: {
    flags: serviceFlags,
    aliases: serviceAliases,
    positional: {
      kind: 'tuple',
      parameters: [{ brief: 'Project to which the service moves', parse: String, placeholder: 'project' }],
    },
  },
  async func(this: CommandLine, flags: ServiceFlags, target: string) {
    const session = await openSession(this, flags);
    const { service } = await session.find(flags);
    const reply = await session.client.call('POST /api/services/:serviceId/transfer', {
      params: { serviceId: service.id },
      body: { targetProjectId: findProject(await session.projects(), target).id },
    });
    session.output.answer(reply, () => pathOf(reply));
    session.output.progress(reply.proxy.detail);
    const link = await readLink(session.directory);
    if (link?.service === service.slug)
      session.output.progress(`To link this folder to the service again: longshore link ${pathOf(reply)}`);
  },
});
