/** Resolves the variables of a service, for dispatch and for the overview. */

import type { ScopedVariables } from '../../../protocol/variable-scope.ts';
import { platformVariables, platformVariableWarnings } from '../../domain/deployments/platform-variables.ts';
import { settingsOf } from '../../domain/instance/settings.ts';
import { projectServicesOf } from '../../domain/projects/project-services.ts';
import { unreachableAddresses } from '../../domain/projects/unreachable-addresses.ts';
import { hasReference } from '../../domain/values/value-parts.ts';
import {
  type NamedService,
  partsOf,
  type Resolution,
  referencedService,
  resolveReferences,
  type SecrecyChoices,
  type VariableRef,
  warningsMax,
} from '../../domain/variables/environment-references.ts';
import { variablePlace } from '../../security/secret-places.ts';
import { selectSettings } from '../../store/instance/settings-store.ts';
import { selectProjectServices } from '../../store/services/project-service-store.ts';
import { selectProjectVariables, type VariableRow } from '../../store/services/variable-store.ts';
import type { Dependencies } from '../dependencies.ts';

/** The columns of a project that its secrets need. */
export interface SecretsOwner {
  id: string;
  wrappedDataKey: string;
}

/**
 * Reads (in one round trip), decrypts and resolves variables for a deployment.
 * @returns `secretKeys`: the variables whose values must not appear in logs
 * @throws Error if a required value can't be decrypted, so that nothing is deployed with an incomplete environment
 */
export async function resolveServiceVariables(
  deps: Needs,
  service: { id: string },
  project: SecretsOwner,
): Promise<{ variables: ScopedVariables; secretKeys: string[]; warnings: string[] }> {
  const { services, variables } = await readProject(deps, project);
  const { values, secretKeys, warnings, unreadable } = await openAndResolve(
    deps,
    service.id,
    project,
    services,
    variables,
  );
  if (unreadable.length > 0) throw new Error(`Stored variables can't be decrypted: ${unreadable.join(', ')}`);
  const own = variables.filter(({ serviceId }) => serviceId === service.id);
  return { variables: byScope(own, values), secretKeys: [...secretKeys], warnings };
}

/** Sorts resolved values by where they apply. @param rows the variables of the service */
export function byScope(
  rows: readonly Pick<VariableRow, 'key' | 'scope'>[],
  values: ReadonlyMap<string, string>,
): ScopedVariables {
  const keysOf = (scope: VariableRow['scope']) =>
    new Set(rows.filter((row) => row.scope === scope).map(({ key }) => key));
  const [build, run] = [keysOf('build'), keysOf('run')];
  const { buildOnly = [], env = [] } = Object.groupBy(values, ([key]) =>
    build.has(key) ? 'buildOnly' : 'env',
  );
  return {
    env: Object.fromEntries(env),
    ...(buildOnly.length > 0 ? { buildOnly: Object.fromEntries(buildOnly) } : {}),
    ...(run.size > 0 ? { runOnly: [...run] } : {}),
  };
}

/** Warnings about the references of a service, for the answer to a request that changed their targets. */
export async function referenceWarnings(
  deps: Needs,
  service: { id: string },
  project: SecretsOwner,
): Promise<string[]> {
  return (await readAndResolve(deps, service, project)).warnings;
}

/** Also includes platform variables that the service sets itself, for the answer to a request that sets these variables. */
export async function variableWarnings(
  deps: Needs,
  service: Parameters<typeof platformVariableWarnings>[0] & { id: string },
  project: SecretsOwner,
  set: readonly { key: string; value: string }[],
): Promise<string[]> {
  const mayWarn = set.some(({ key, value }) => hasReference(value) || platformVariables.includes(key));
  if (!mayWarn) return [];
  const { warnings, values } = await readAndResolve(deps, service, project);
  return [...warnings, ...platformVariableWarnings(service, values)];
}

/** References of other services to an address that this service does not answer while it sleeps, for the answer that lets it sleep. */
export async function callerWarnings(
  deps: Needs,
  service: { id: string },
  project: SecretsOwner,
): Promise<string[]> {
  const { services, variables } = await readProject(deps, project);
  const callers = await Promise.all(
    services
      .filter(({ id }) => id !== service.id)
      .map(async ({ id, slug }) => {
        const { unreachable } = await openAndResolve(deps, id, project, services, variables);
        const ofThis = unreachable.filter(({ leadsTo }) => leadsTo === service.id);
        return ofThis.map(({ text }) => `${slug}.${text}`);
      }),
  );
  return callers.flat().slice(0, warningsMax);
}

type Needs = Pick<Dependencies, 'db' | 'envelope'>;

async function readAndResolve(
  deps: Needs,
  service: { id: string },
  project: SecretsOwner,
): Promise<OpenedVariables> {
  const { services, variables } = await readProject(deps, project);
  return openAndResolve(deps, service.id, project, services, variables);
}

async function readProject({ db }: Pick<Dependencies, 'db'>, project: { id: string }) {
  const [serviceRows, variables, settings] = await db.batch([
    selectProjectServices(db, project.id),
    selectProjectVariables(db, project.id),
    selectSettings(db),
  ]);
  return { services: projectServicesOf(serviceRows, settingsOf(settings)), variables };
}

export interface OpenedVariables extends Resolution {
  /** The service's own stored values; `null` if a value can't be decrypted. */
  written: ReadonlyMap<string, string | null>;
  /** The warnings about addresses, with the service of each address. */
  unreachable: { text: string; leadsTo: string }[];
  /** Ids of the variables that can't be decrypted. */
  unreadable: string[];
}

/** Resolves variables from rows that were already read. Of other services only referenced variables are decrypted, each once. */
export async function openAndResolve(
  { envelope }: Pick<Dependencies, 'envelope'>,
  ownId: string,
  project: SecretsOwner,
  services: readonly NamedService[],
  variables: readonly VariableRow[],
): Promise<OpenedVariables> {
  const rows = rowsByService(variables);
  const known = new Map<string, Map<string, string | null>>([[ownId, new Map()]]);
  const unreadable: string[] = [];
  const seen = new Set<string>();
  let wanted: VariableRef[] = variables.filter(({ serviceId }) => serviceId === ownId);
  while (wanted.length > 0) {
    const fresh = wanted.filter((ref) => isNew(seen, ref));
    const stored = fresh.flatMap(({ serviceId, key }) => rows.get(serviceId)?.get(key) ?? []);
    await Promise.all(
      stored.map(async (row) => {
        const value = await openVariable(envelope, project, row);
        if (value === null) unreadable.push(row.id);
        valuesOf(known, row.serviceId).set(row.key, value);
      }),
    );
    wanted = fresh.flatMap((ref) => referencesOf(services, ref, known));
  }
  const resolution = resolveReferences(ownId, services, known, choicesOf(rows));
  const unreachable = unreachableAddresses(ownId, services, known);
  const warnings = [...resolution.warnings, ...unreachable.map(({ text }) => text)];
  return { ...resolution, warnings, unreachable, written: known.get(ownId) ?? new Map(), unreadable };
}

type RowsByService = Map<string, Map<string, VariableRow>>;

function isNew(seen: Set<string>, { serviceId, key }: VariableRef): boolean {
  const id = `${serviceId}.${key}`;
  return seen.size < seen.add(id).size;
}

/** The variables to which a variable refers, existing or not. */
function referencesOf(
  services: readonly NamedService[],
  { serviceId, key }: VariableRef,
  known: ReadonlyMap<string, ReadonlyMap<string, string | null>>,
): VariableRef[] {
  const own = services.find(({ id }) => id === serviceId) ?? { id: serviceId, slug: serviceId };
  return partsOf(own, key, known).flatMap((part) => {
    if (part.type === 'text') return [];
    const service = referencedService(services, serviceId, part.service);
    return service ? [{ serviceId: service.id, key: part.key }] : [];
  });
}

/** @returns null if it can't be decrypted */
export async function openVariable(
  envelope: Dependencies['envelope'],
  project: SecretsOwner,
  row: VariableRow,
): Promise<string | null> {
  try {
    return await envelope.open(project.wrappedDataKey, project.id, variablePlace(row.id), row.sealedValue);
  } catch (error) {
    console.error(`The variable ${row.id} can't be decrypted:`, error);
    return null;
  }
}

function rowsByService(variables: readonly VariableRow[]): RowsByService {
  const rows: RowsByService = new Map();
  for (const row of variables) {
    const own = rows.get(row.serviceId) ?? new Map<string, VariableRow>();
    rows.set(row.serviceId, own.set(row.key, row));
  }
  return rows;
}

function choicesOf(rows: RowsByService): SecrecyChoices {
  return new Map(
    Array.from(rows, ([serviceId, own]) => [
      serviceId,
      new Map(Array.from(own, ([key, { secret }]) => [key, secret])),
    ]),
  );
}

function valuesOf<Value>(known: Map<string, Map<string, Value>>, serviceId: string): Map<string, Value> {
  const values = known.get(serviceId) ?? new Map<string, Value>();
  known.set(serviceId, values);
  return values;
}
