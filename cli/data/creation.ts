/** Creates projects and services for commands of several steps. If a later step is refused, everything that was created is removed again. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CallOptions, Project, ReplyOf, Service } from '../../client/client.ts';
import { UnfinishedUpload } from '../folder/unfinished-upload.ts';
import type { Session } from '../session.ts';
import { type Link, linkFile, removeLink, writeLink } from '../settings/link.ts';

export type NewService = NonNullable<CallOptions<'POST /api/projects/:projectId/services'>['body']>;

export interface Creation {
  /** @param wanted an existing project, or the name of the one to create */
  project(wanted: Project | { create: string }): Promise<Project>;
  service(project: Project, body: NewService): Promise<Service>;
  /** Links the folder of the command. */
  link(link: Link): Promise<void>;
}

/** Idempotent. `command`: what the user can do if it fails. */
interface Undo {
  name: string;
  remove: () => Promise<unknown>;
  command: string;
}

/** What was never deployed does not stay among deleted things that can be restored. */
const query = { purgeIfUnused: 'true' } as const;

/**
 * Runs the steps.
 * @throws what a step throws, after everything that was created has been deleted. Only an upload that can be continued keeps it
 */
export async function allOrNothing<Result>(
  { client, output, directory }: Pick<Session, 'client' | 'output' | 'directory'>,
  steps: (creation: Creation) => Promise<Result>,
): Promise<Result> {
  const undo: Undo[] = [];
  const created = new Set<string>();
  const creation: Creation = {
    async project(wanted) {
      if (!('create' in wanted)) return wanted;
      const { project } = await client.call('POST /api/projects', { body: { name: wanted.create } });
      const remove = () =>
        client.call('DELETE /api/projects/:projectId', { params: { projectId: project.id }, query });
      created.add(project.id);
      undo.unshift({
        name: `the project ${project.slug}`,
        remove,
        command: `longshore down --all -p ${project.slug}`,
      });
      return project;
    },
    async service(project, body) {
      const reply: ReplyOf<'POST /api/projects/:projectId/services'> = await client.call(
        'POST /api/projects/:projectId/services',
        { params: { projectId: project.id }, body },
      );
      const { service, warnings = [] } = reply;
      const path = `${project.slug}/${service.slug}`;
      const remove = () =>
        client.call('DELETE /api/services/:serviceId', { params: { serviceId: service.id }, query });
      // A created project is deleted with its services.
      if (!created.has(project.id))
        undo.unshift({ name: `the service ${path}`, remove, command: `longshore down ${path}` });
      for (const warning of warnings) output.progress(warning);
      return service;
    },
    async link(link) {
      const path = join(directory, linkFile);
      const before = await readFile(path).catch(() => undefined);
      const remove = () => (before === undefined ? removeLink(path) : writeFile(path, before));
      undo.unshift({ name: `the change of ${linkFile}`, remove, command: 'longshore link PROJECT/SERVICE' });
      await writeLink(directory, link);
    },
  };
  try {
    return await steps(creation);
  } catch (error) {
    if (!(error instanceof UnfinishedUpload)) await removeAll(undo, output);
    throw error;
  }
}

/** Never hides the error that made it necessary: what cannot be removed is named with the command that removes it. */
async function removeAll(undo: readonly Undo[], output: Session['output']): Promise<void> {
  for (const { name, remove, command } of undo) {
    await remove().then(
      () => output.progress(`Removed ${name} again.`),
      () => output.progress(`Could not remove ${name} again. To do it: ${command}`),
    );
  }
}
