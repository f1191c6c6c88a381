/** Environment variables of a service: set, remove. */
import type { VariableScope } from '../../../protocol/variable-scope.ts';
import { engineOf } from '../../domain/databases/database-engines.ts';
import { assertEngineTakes } from '../../domain/databases/database-variables.ts';
import { ApiError } from '../../domain/errors.ts';
import { isBuilt } from '../../domain/services/service-kind.ts';
import {
  assertScopeFits,
  assertValueFits,
  assertVariablesFit,
  byteLength,
  type NewVariable,
} from '../../domain/variables/variable-fields.ts';
import { clearBytesOf } from '../../security/secret-envelope.ts';
import { variablePlace } from '../../security/secret-places.ts';
import type { ServiceRow } from '../../store/services/service-store.ts';
import {
  deleteVariable,
  insertVariables,
  replaceValue,
  selectServiceVariables,
  type VariableRow,
} from '../../store/services/variable-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { type SecretsOwner, variableWarnings } from './resolve-variables.ts';
import { sealVariables, storedScope } from './seal-service-secrets.ts';

type WithVariables = Pick<
  ServiceRow,
  'id' | 'repoFullName' | 'kind' | 'runtimeMode' | 'staticOutput' | 'internalPort'
>;

/** Limit for requests that set the same key concurrently; each lost round reads the variables again. */
const attemptsMax = 4;

/**
 * Creates a variable or changes its value. It takes effect with the next deployment. Without `secret` an earlier choice remains.
 * @returns its id, and warnings about the service's references and platform variables, if this is a platform variable or has references
 * @throws ApiError `payload_too_large`; `invalid_request` for a value that a database's image refuses; `conflict`
 */
export async function setVariable(
  deps: Dependencies,
  { service, project }: { service: WithVariables; project: SecretsOwner },
  variable: NewVariable,
): Promise<{ id: string; warnings: string[] }> {
  const { env, warnings } = await setVariables(deps, { service, project }, [variable]);
  return { id: env[0]?.id ?? '', warnings };
}

/** A variable that a request set. */
export interface SetVariable {
  id: string;
  key: string;
  scope: VariableScope;
  created: boolean;
}

/**
 * Creates or changes several variables, all or none; others of the service do not change. They take effect with the next deployment.
 * @returns the set variables in order, and warnings about the service's references and platform variables, if one of these is set
 * @throws ApiError as `setVariable`, before anything is written
 */
export async function setVariables(
  deps: Dependencies,
  { service, project }: { service: WithVariables; project: SecretsOwner },
  list: readonly NewVariable[],
): Promise<{ env: SetVariable[]; warnings: string[] }> {
  for (const variable of list) {
    assertValueFits(variable);
    assertEngineTakes(engineOf(service), variable);
    assertScopeFits(isBuilt(service), variable);
  }
  for (let attempt = 1; attempt <= attemptsMax; attempt++) {
    const present = await selectServiceVariables(deps.db, service.id);
    assertVariablesFit(bytesWith(present, list));
    const env = await write(deps, { service, project }, present, list);
    if (!env) continue;
    return { env, warnings: await variableWarnings(deps, service, project, list) };
  }
  const [first] = list;
  throw new ApiError(
    'conflict',
    list.length === 1 && first
      ? `The variable ${first.key} is being changed by other requests: try again.`
      : 'The variables are being changed by other requests: try again.',
  );
}

/** Writes all in one batch. @returns undefined if another request created or deleted one of them since: write again */
async function write(
  deps: Dependencies,
  { service, project }: { service: Pick<ServiceRow, 'id'>; project: SecretsOwner },
  present: readonly VariableRow[],
  list: readonly NewVariable[],
): Promise<SetVariable[] | undefined> {
  const { db, envelope, now } = deps;
  const known = new Map(present.map((row) => [row.key, row.id]));
  const fresh = list.filter(({ key }) => !known.has(key));
  const rows = await sealVariables(deps, project, service.id, fresh);
  const sealed = await Promise.all(
    list.map(async ({ key, value, secret, scope }) => {
      const id = known.get(key);
      if (id === undefined) return undefined;
      const place = variablePlace(id);
      const sealedValue = await envelope.seal(project.wrappedDataKey, project.id, place, value);
      return { id, changes: { sealedValue, secret, scope: storedScope(scope), updatedAt: now() } };
    }),
  );
  const changes = sealed.flatMap((one) => (one ? [replaceValue(db, project.id, one.id, one.changes)] : []));
  const [inserted, ...replaced] = await db.batch([insertVariables(db, project.id, rows), ...changes]);
  if (inserted.meta.changes < rows.length || replaced.some(({ length }) => length === 0)) return undefined;
  const stored = new Map([...present, ...rows].map((row) => [row.key, row]));
  return list.map(({ key, scope }) => {
    const { id = '', scope: earlier = null } = stored.get(key) ?? {};
    return { id, key, scope: scope ?? earlier ?? 'both', created: !known.has(key) };
  });
}

/** Bytes of all variables including the new ones. Sizes are derived from the ciphertexts. */
function bytesWith(present: readonly VariableRow[], list: readonly NewVariable[]): number {
  const others = present.filter((row) => !list.some(({ key }) => key === row.key));
  const bytes = (sum: number, { key, value }: NewVariable) => sum + byteLength(key) + byteLength(value);
  return others.reduce(
    (sum, row) => sum + byteLength(row.key) + clearBytesOf(row.sealedValue),
    list.reduce(bytes, 0),
  );
}

/** Deletes a variable. The running version keeps it until the next deployment. */
export async function removeVariable(
  { db }: Pick<Dependencies, 'db'>,
  variable: Pick<VariableRow, 'id' | 'serviceId'>,
): Promise<void> {
  await deleteVariable(db, variable);
}
