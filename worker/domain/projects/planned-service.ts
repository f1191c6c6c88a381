/** From what a host read to what a new service would get: its name, its port, and references to the databases that it wants. */
import type { SourcePlan, WantedDatabase } from '../../../protocol/sources/source-plan.ts';
import { databaseEngines } from '../databases/database-engines.ts';
import { derivedVariables } from '../databases/database-variables.ts';
import { defaultInternalPort } from '../services/settings/running-settings.ts';
import { freeSlug, slugOf } from '../values/slug.ts';
import { referenceTo } from '../values/value-parts.ts';
import type { ProjectService } from './project-services.ts';

export interface DatabaseOffer extends WantedDatabase {
  title: string;
  /** The variable to set, also if the source names none. */
  key: string;
  /** Databases of the project that fit, as references. */
  existing: { serviceId: string; name: string; value: string }[];
  /** A new one: its name, and the reference that it will have. */
  create: { name: string; repoFullName: string; value: string };
}

/** PostgreSQL with an extension serves what wants PostgreSQL. */
const serves = { postgres: ['postgres', 'timescale'] } as const;

/** The databases that a source wants, each with those that the project has and the one that could be created. */
export function databaseOffers(
  wanted: readonly WantedDatabase[],
  services: readonly ProjectService[],
): DatabaseOffer[] {
  const slugs = new Set(services.map(({ slug }) => slug));
  return wanted.map(({ engine, why, key }) => {
    const { title, urlKeys } = databaseEngines[engine];
    const [urlKey = 'DATABASE_URL'] = urlKeys;
    const fitting: readonly string[] = engine === 'postgres' ? serves.postgres : [engine];
    const existing = services.flatMap(({ id, name, slug, database }) => {
      if (!database || !fitting.includes(database.engine)) return [];
      const [own] = derivedVariables(database);
      return own ? [{ serviceId: id, name, value: referenceTo(slug, own.key) }] : [];
    });
    const slug = freeSlug(slugOf(wanted.length > 1 || slugs.has('db') ? engine : 'db', engine), slugs);
    slugs.add(slug);
    return {
      ...{ engine, title, why, key: key ?? urlKey, existing },
      create: { name: slug, repoFullName: `database:${engine}`, value: referenceTo(slug, urlKey) },
    };
  });
}

/** The port of the new service, and why. Static sites and workers have none. */
export function portOf({ kind, port, portReason }: SourcePlan): { port: number | null; portReason: string } {
  if (kind === 'static')
    return { port: null, portReason: 'The host serves the files, so no port is needed.' };
  if (kind === 'worker')
    return { port: null, portReason: 'A worker gets no requests, so no port is needed.' };
  if (port !== null) return { port, portReason: portReason ?? '' };
  return {
    port: defaultInternalPort,
    portReason: `Nothing names a port: the app gets ${defaultInternalPort} as the variable PORT and must listen there.`,
  };
}
