/** Databases among the services. */
import type { Service } from '../../client/client.ts';
import { usageFailure } from '../base/failure.ts';
import { type Found, findProject, pathOf } from '../names/find.ts';
import type { ServiceFlags, Session } from '../session.ts';
import { readLink } from '../settings/link.ts';

export const engines = ['postgres', 'timescale', 'mysql', 'redis', 'mongodb', 'clickhouse'] as const;
export type Engine = (typeof engines)[number];

/** The engine of a service that is a database. */
function engineOf({ repoFullName }: Pick<Service, 'repoFullName'>): Engine | undefined {
  return engines.find((engine) => repoFullName === `database:${engine}`);
}

export interface FoundDatabase extends Found {
  engine: Engine;
}

/** The databases of all projects, or of the one that is meant. */
export async function databasesOf(session: Session, project?: string): Promise<FoundDatabase[]> {
  const projects = await session.projects();
  return (project === undefined ? projects : [findProject(projects, project)]).flatMap((project) =>
    project.services.flatMap((service) => {
      const engine = engineOf(service);
      return engine === undefined ? [] : [{ project, service, engine }];
    }),
  );
}

/**
 * The database that is meant. Without a name: the only one of the project that `-p` or the folder's link names.
 * @throws Failure (usage) with the names of the databases
 */
export async function findDatabase(
  session: Session,
  flags: ServiceFlags,
  argument?: string,
): Promise<FoundDatabase> {
  const name = argument ?? flags.service;
  if (name !== undefined) {
    const found = await session.find(flags, name);
    const engine = engineOf(found.service);
    if (engine !== undefined) return { ...found, engine };
    throw usageFailure(`${found.service.slug} is not a database. The databases: longshore db list`);
  }
  const link = flags.project === undefined ? await readLink(session.directory) : undefined;
  const all = await databasesOf(session, flags.project ?? link?.project);
  const [one] = all;
  if (one !== undefined && all.length === 1) return one;
  const names = all.map(pathOf).join(', ');
  throw usageFailure(
    `Which database? Name it with -s. Databases: ${names || 'there are none yet: longshore db create NAME --engine postgres'}`,
  );
}
