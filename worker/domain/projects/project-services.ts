import { engineOf } from '../databases/database-engines.ts';
import {
  type DatabaseFacts,
  type DerivedVariable,
  derivedVariables,
} from '../databases/database-variables.ts';
import { publicIpOf, type Settings } from '../instance/settings.ts';
import { serviceUrls } from '../names/host-names.ts';
import { isRouted, isStaticSite, kindOf } from '../services/service-kind.ts';
import { type NamedService, publicUrlKey } from '../variables/environment-references.ts';

/** The columns of a service that references need. */
export interface ProjectServiceFields {
  id: string;
  slug: string;
  name: string;
  runnerId: string;
  /** The planned host of a move; `null` without a move. */
  nextRunnerId: string | null;
  repoFullName: string | null;
  repoUrl: string;
  runtimeMode: 'web' | 'worker' | 'static';
  staticOutput: string | null;
  generatedHostname: string | null;
  /** Host name of the first active custom domain. */
  preferredDomain: string | null;
  internalPort: number;
  hostPort: number;
  /** `null` if it never sleeps. */
  sleepAfterMinutes: number | null;
  databasePublicEnabled: boolean;
  databasePublicHostname: string | null;
  /** The address that its host reports. */
  hostIp: string | null;
  /** Ports of its host's proxy. */
  httpPort: number;
  httpsPort: number;
}

export interface ProjectService extends NamedService {
  /** `null` if it is not a database. */
  database: DatabaseFacts | null;
}

/** @param settings of the instance; their public address takes precedence over the one that the host reports */
export function projectServicesOf(
  rows: readonly ProjectServiceFields[],
  settings: Settings,
): ProjectService[] {
  return rows.map((row) => {
    const { id, slug, name } = row;
    // The next deployment, for which the variables are built, runs there.
    const host = row.nextRunnerId ?? row.runnerId;
    const database = databaseOf(row, settings);
    const variables = database ? derivedVariables(database) : addressVariables(row);
    const derived = new Map(variables.map(({ key, parts }) => [key, parts]));
    const privateKeys = new Set(variables.filter(({ isPublic }) => !isPublic).map(({ key }) => key));
    const sleeps = row.sleepAfterMinutes !== null;
    return { id, slug, name, host, derived, privateKeys, sleeps, database };
  });
}

/**
 * The addresses of a service that is no database, for references such as `${web.PUBLIC_URL}`. A static site has no address inside the
 * project, because the host's proxy serves it.
 */
function addressVariables(row: ProjectServiceFields): AddressVariable[] {
  const kind = kindOf(row);
  const { primaryUrl } = serviceUrls(
    { ...row, isRouted: isRouted({ ...row, kind }) },
    row.preferredDomain,
    row,
  );
  const outside = primaryUrl && {
    [publicUrlKey]: primaryUrl,
    PUBLIC_HOST: new URL(primaryUrl).host,
  };
  const inside = isStaticSite(row) ? {} : { INTERNAL_URL: `http://${row.slug}:${row.internalPort}` };
  return [...addresses(outside || {}, true), ...addresses(inside, false)];
}

const addresses = (texts: Record<string, string>, isPublic: boolean): AddressVariable[] =>
  Object.entries(texts).map(([key, text]) => ({ key, isPublic, parts: [{ type: 'text', text }] }));

type AddressVariable = Pick<DerivedVariable, 'key' | 'isPublic' | 'parts'>;

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
