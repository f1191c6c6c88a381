import { engineOf } from './database-engines.ts';
import { type DatabaseFacts, derivedVariables } from './database-variables.ts';
import type { NamedService } from './environment-references.ts';
import { publicIpOf, type Settings } from './settings.ts';

/** The columns of a service that references need. */
export interface ProjectServiceFields {
  id: string;
  slug: string;
  name: string;
  runnerId: string;
  /** The planned host of a move; null: none. */
  nextRunnerId: string | null;
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
    // The next deployment, which the variables are for, runs there.
    const host = row.nextRunnerId ?? row.runnerId;
    const database = databaseOf(row, settings);
    if (!database) return { id, slug, name, host, database };
    const variables = derivedVariables(database);
    const derived = new Map(variables.map(({ key, parts }) => [key, parts]));
    const privateKeys = new Set(variables.filter(({ isPublic }) => !isPublic).map(({ key }) => key));
    return { id, slug, name, host, derived, privateKeys, database };
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
