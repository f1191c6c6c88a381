import { engineOf } from './database-engines.ts';
import { type DatabaseFacts, derivedVariables } from './database-variables.ts';
import type { NamedService } from './environment-references.ts';
import { publicIpOf, type Settings } from './settings.ts';

/** The columns of a service that references need. */
export interface ProjectServiceFields {
  id: string;
  slug: string;
  name: string;
  repoFullName: string | null;
  internalPort: number;
  hostPort: number;
  databasePublicEnabled: boolean;
  databasePublicHostname: string | null;
  /** The address that its host reports. */
  hostIp: string | null;
}

export interface ProjectService extends NamedService {
  /** Null: not a database. */
  database: DatabaseFacts | null;
}

/** @param settings of the instance; their public address takes precedence over the one that the host reports */
export function projectServicesOf(
  rows: readonly ProjectServiceFields[],
  settings: Settings,
): ProjectService[] {
  return rows.map((row) => {
    const { id, slug, name } = row;
    const database = databaseOf(row, settings);
    if (!database) return { id, slug, name, database };
    const derived = new Map(derivedVariables(database).map(({ key, parts }) => [key, parts]));
    return { id, slug, name, derived, database };
  });
}

function databaseOf(row: ProjectServiceFields, settings: Settings): DatabaseFacts | null {
  const engine = engineOf(row);
  return (
    engine && {
      engine,
      slug: row.slug,
      internalPort: row.internalPort,
      hostPort: row.hostPort,
      isPublic: row.databasePublicEnabled,
      publicHostname: row.databasePublicHostname,
      publicIp: publicIpOf(settings, row.hostIp),
    }
  );
}
