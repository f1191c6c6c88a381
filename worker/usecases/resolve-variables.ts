/** The variables of a service with their references resolved: for dispatch and for the overview. */
import {
  type NamedService,
  parseValue,
  type Resolution,
  referencedService,
  resolveReferences,
} from '../domain/environment-references.ts';
import { variablePlace } from '../security/secret-places.ts';
import { selectServiceNames } from '../store/service-store.ts';
import { selectProjectVariables, type VariableRow } from '../store/variable-store.ts';
import type { Dependencies } from './dependencies.ts';

/** The project as far as its secrets need it. */
export interface SecretsOwner {
  id: string;
  wrappedDataKey: string;
}

/**
 * Reads (one round trip), opens and resolves. Of other services only what the references lead to is opened, each variable once.
 * @throws Error when a stored value does not open.
 */
export async function resolveServiceVariables(
  deps: Pick<Dependencies, 'db' | 'envelope'>,
  service: { id: string },
  project: SecretsOwner,
): Promise<{ env: Record<string, string>; warnings: string[] }> {
  const [services, variables] = await deps.db.batch([
    selectServiceNames(deps.db, project.id),
    selectProjectVariables(deps.db, project.id),
  ]);
  const { values, warnings } = await openAndResolve(deps, service.id, project, services, variables);
  return { env: Object.fromEntries(values), warnings };
}

/** The same on rows that were read already. @returns the own values as stored, beside the resolution. */
export async function openAndResolve(
  { envelope }: Pick<Dependencies, 'envelope'>,
  ownId: string,
  project: SecretsOwner,
  services: readonly NamedService[],
  variables: readonly VariableRow[],
): Promise<Resolution & { written: ReadonlyMap<string, string> }> {
  const rows = rowsByService(variables);
  const known = new Map<string, Map<string, string>>([[ownId, new Map()]]);
  let wanted = variables.filter(({ serviceId }) => serviceId === ownId);
  while (wanted.length > 0) {
    const opened = await Promise.all(
      wanted.map(async (row) => ({ row, value: await open(envelope, project, row) })),
    );
    for (const { row, value } of opened) valuesOf(known, row.serviceId).set(row.key, value);
    const next = new Map<string, VariableRow>();
    for (const { row, value } of opened) {
      for (const target of referencedRows(services, row.serviceId, value, rows)) {
        if (!known.get(target.serviceId)?.has(target.key)) next.set(target.id, target);
      }
    }
    wanted = [...next.values()];
  }
  return { ...resolveReferences(ownId, services, known), written: known.get(ownId) ?? new Map() };
}

type RowsByService = Map<string, Map<string, VariableRow>>;

function referencedRows(
  services: readonly NamedService[],
  ownId: string,
  value: string,
  rows: RowsByService,
): VariableRow[] {
  return parseValue(value).flatMap((part) => {
    if (part.type === 'text') return [];
    const service = referencedService(services, ownId, part.service);
    return (service && rows.get(service.id)?.get(part.key)) ?? [];
  });
}

function open(envelope: Dependencies['envelope'], project: SecretsOwner, row: VariableRow): Promise<string> {
  return envelope.open(project.wrappedDataKey, project.id, variablePlace(row.id), row.sealedValue);
}

function rowsByService(variables: readonly VariableRow[]): RowsByService {
  const rows: RowsByService = new Map();
  for (const row of variables) {
    const own = rows.get(row.serviceId) ?? new Map<string, VariableRow>();
    rows.set(row.serviceId, own.set(row.key, row));
  }
  return rows;
}

function valuesOf(known: Map<string, Map<string, string>>, serviceId: string): Map<string, string> {
  const values = known.get(serviceId) ?? new Map<string, string>();
  known.set(serviceId, values);
  return values;
}
