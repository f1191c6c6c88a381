/** The references between services of a project in their variables, and the possible targets of references. Names only, no values. */
import type { SQL } from 'drizzle-orm';
import { settingsOf } from '../../domain/instance/settings.ts';
import { type ProjectService, projectServicesOf } from '../../domain/projects/project-services.ts';
import { parseValue } from '../../domain/values/value-parts.ts';
import { referencedService } from '../../domain/variables/environment-references.ts';
import { type SettingRow, selectSettings } from '../../store/instance/settings-store.ts';
import { type ProjectServiceRow, selectProjectServices } from '../../store/services/project-service-store.ts';
import { selectProjectVariables, type VariableRow } from '../../store/services/variable-store.ts';
import type { Database } from '../../store/sql/database.ts';
import type { Statements } from '../../store/sql/read-together.ts';
import type { Dependencies } from '../dependencies.ts';
import { openVariable, type SecretsOwner } from './resolve-variables.ts';

/** Maximum number of variables whose values are read, because decrypting each takes a Worker some time. */
const readVariablesMax = 2_000;

export interface ReferenceRows {
  serviceRows: ProjectServiceRow[];
  variables: VariableRow[];
  settings: SettingRow[];
}

export interface ProjectReferences {
  services: { serviceId: string; slug: string; keys: string[] }[];
  references: { serviceId: string; targetServiceId: string; keys: string[] }[];
  isComplete: boolean;
}

/** Statements for the batch that reads the key. @param project id of a project that the key can access (store/scoped-store) */
export function referenceStatements(db: Database, project: SQL): Statements<ReferenceRows> {
  return {
    serviceRows: selectProjectServices(db, project),
    variables: selectProjectVariables(db, project),
    settings: selectSettings(db),
  };
}

/** The references of a project, in order of creation of their services. */
export async function projectReferences(
  deps: Pick<Dependencies, 'envelope'>,
  project: SecretsOwner,
  { serviceRows, variables, settings }: ReferenceRows,
): Promise<ProjectReferences> {
  const services = projectServicesOf(serviceRows, settingsOf(settings));
  const read = variables.slice(0, readVariablesMax);
  const values = await Promise.all(read.map((row) => openVariable(deps.envelope, project, row)));
  const found = new Map<string, Set<string>>();
  for (const [index, { serviceId, key }] of read.entries())
    for (const target of targetsOf(services, serviceId, values[index] ?? '')) {
      const edge = `${serviceId} ${target}`;
      found.set(edge, (found.get(edge) ?? new Set()).add(key));
    }
  const stored = Map.groupBy(variables, ({ serviceId }) => serviceId);
  return {
    services: services.map((service) => ({
      serviceId: service.id,
      slug: service.slug,
      keys: keysOf(service, stored.get(service.id) ?? []),
    })),
    references: Array.from(found, ([edge, keys]) => {
      const [serviceId = '', targetServiceId = ''] = edge.split(' ');
      return { serviceId, targetServiceId, keys: [...keys].sort() };
    }),
    isComplete: read.length === variables.length,
  };
}

/** The other services that a value refers to. */
function targetsOf(services: readonly ProjectService[], ownId: string, value: string): string[] {
  return parseValue(value).flatMap((part) => {
    if (part.type === 'text' || part.service === null) return [];
    const id = referencedService(services, ownId, part.service)?.id;
    return id === undefined || id === ownId ? [] : [id];
  });
}

/** The keys that a reference to the service can contain: its variables, and those that exist only for references. */
const keysOf = ({ derived }: ProjectService, stored: readonly VariableRow[]): string[] =>
  [...new Set([...stored.map(({ key }) => key), ...(derived?.keys() ?? [])])].sort();
