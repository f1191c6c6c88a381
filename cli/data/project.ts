/** The project that a command is about. */
import type { Project } from '../../client/client.ts';
import { usageFailure } from '../base/failure.ts';
import { findProject, isNamed } from '../names/find.ts';
import type { Session } from '../session.ts';
import { readLink } from '../settings/link.ts';

/** The project of `-p`, of `-s project/service` or of the folder's link, or the only project. @throws Failure (usage) */
export async function chosenProject(
  session: Session,
  { project, service }: { project?: string; service?: string },
): Promise<Project> {
  const all = await session.projects();
  const inPath = service?.includes('/') ? service.split('/')[0] : undefined;
  const name = project ?? inPath ?? (await readLink(session.directory))?.project;
  if (name !== undefined) return findProject(all, name);
  const [only, ...more] = all;
  if (only !== undefined && more.length === 0) return only;
  const names = all.map(({ slug }) => slug).join(', ') || 'there are none yet: longshore up';
  throw usageFailure(
    `Which project? Name it with -p, or link this folder: longshore link PROJECT. Projects: ${names}`,
  );
}

/**
 * The project in which a command creates something; a missing one is created with it.
 * @param named the project of `-p` or of a path; else that of the folder's link
 * @throws Failure (usage) if none is named
 */
export async function chosenProjectToCreate(
  session: Session,
  named: string | undefined,
): Promise<Project | { create: string }> {
  const name = named ?? (await readLink(session.directory))?.project;
  if (name === undefined)
    throw usageFailure('Which project? Name it with -p, or link this folder: longshore link PROJECT');
  const all = await session.projects();
  if (all.some(isNamed(name))) return findProject(all, name);
  session.output.progress(`+ project ${name}`);
  return { create: name };
}
