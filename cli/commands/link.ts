/** `link` and `init`: connect the folder with a service. */
import { basename } from 'node:path';
import type { Project } from '../../client/client.ts';
import { buildCommand } from '../base/command.ts';
import { usageFailure } from '../base/failure.ts';
import { createOutput } from '../base/output.ts';
import { findProject, findService } from '../names/find.ts';
import { hostFlag } from '../proposals.ts';
import {
  about,
  type CommandLine,
  type CommonFlags,
  commonFlags,
  openSession,
  serviceArgument,
} from '../session.ts';
import { type Link, linkFile, writeLink } from '../settings/link.ts';

/** A name in the form of the API's slugs: lower-case letters, digits and dashes. */
export const nameOf = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 40) || 'app';

export const link = buildCommand({
  docs: about(
    'Connect this folder to an existing project or service',
    `Writes ${linkFile} (project and service, no secret). Commands in this folder and its subfolders then need no -p and -s.`,
  ),
  parameters: {
    flags: commonFlags,
    positional: {
      kind: 'tuple',
      parameters: [{ brief: 'project/service, or a project', parse: String, placeholder: 'target' }],
    },
  },
  async func(this: CommandLine, flags: CommonFlags, target: string) {
    const session = await openSession(this, flags);
    const linked = linkOf(await session.projects(), target);
    const path = await writeLink(this.process.cwd(), linked);
    session.output.answer(
      { path, ...linked },
      () => `Linked to ${linked.project}${linked.service ? `/${linked.service}` : ''}.`,
    );
  },
});

function linkOf(projects: readonly Project[], target: string): Link {
  const isProject = projects.some(({ slug, name, id }) => [slug, name, id].includes(target));
  if (isProject && !target.includes('/')) return { project: findProject(projects, target).slug };
  const { project, service } = findService(projects, { service: target });
  return { project: project.slug, service: service.slug };
}

export const init = buildCommand({
  docs: about(
    'Choose the project and service that `longshore up` creates here',
    `Writes ${linkFile} and does not contact the control plane. Without an argument, project and service get the name of the folder.`,
  ),
  parameters: {
    flags: {
      json: commonFlags.json,
      host: hostFlag('Host on which longshore up creates the service: name or id'),
    },
    positional: serviceArgument,
  },
  async func(
    this: CommandLine,
    { json, host }: Pick<CommonFlags, 'json'> & { host?: string },
    target?: string,
  ) {
    const directory = this.process.cwd();
    const [project = '', service = project, ...more] = (target ?? nameOf(basename(directory))).split('/');
    if (more.length > 0 || project === '' || service === '')
      throw usageFailure(`"${target}" is not a name. Write project/service.`);
    const chosen: Link = { project, service, ...(host === undefined ? {} : { host }) };
    const path = await writeLink(directory, chosen);
    createOutput(this.process, json).answer({ path, ...chosen }, () => `Wrote ${path}. Next: longshore up`);
  },
});
