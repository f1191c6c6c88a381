/** Finds the databases among the services. */
import type { Project, Service } from '../../client/client.ts';
import { usageFailure } from '../base/failure.ts';
import type { PlannedDatabase } from '../deployments/plan.ts';
import { type Found, findProject, isNamed, pathOf } from '../names/find.ts';
import type { ServiceFlags, Session } from '../session.ts';
import { readLink } from '../settings/link.ts';

export const engines = ['postgres', 'timescale', 'mysql', 'redis', 'mongodb', 'clickhouse'] as const;
export type Engine = (typeof engines)[number];

/** The body that creates a database. */
export const databaseBody = (name: string, engine: string) => ({
  name,
  repoUrl: 'database',
  repoFullName: `database:${engine}`,
});

/** The engine of a service that is a database. */
function engineOf({ repoFullName }: Pick<Service, 'repoFullName'>): Engine | undefined {
  return engines.find((engine) => repoFullName === `database:${engine}`);
}

export interface FoundDatabase extends Found {
  engine: Engine;
}

/** The databases of all projects, or of the chosen project. */
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
 * The chosen database. Without a name: the only database of the project in `-p` or in the folder's link.
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

/**
 * The database of `--db`: the only one of this engine in the project, or a new one.
 * @throws Failure (usage) if the project has several
 */
export function plannedDatabase(
  project: Project | undefined,
  engine: Engine,
): PlannedDatabase & { engine: Engine } {
  const services = project?.services ?? [];
  const [first, ...more] = services.filter((service) => engineOf(service) === engine);
  if (first === undefined)
    return { engine, service: { create: services.some(isNamed('db')) ? engine : 'db' } };
  if (more.length === 0) return { engine, service: first };
  throw usageFailure(
    `The project ${project?.slug} has several databases of ${engine}. Without --db, name the one to use: longshore env set '${engine.toUpperCase()}_URL=\${${first.slug}.…}'`,
  );
}
