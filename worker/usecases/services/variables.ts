/** Environment variables of a service: set, remove. */
import { engineOf } from '../../domain/database-engines.ts';
import { assertEngineTakes } from '../../domain/database-variables.ts';
import { ApiError } from '../../domain/errors.ts';
import { hasReference } from '../../domain/value-parts.ts';
import {
  assertValueFits,
  assertVariablesFit,
  byteLength,
  type NewVariable,
} from '../../domain/variable-fields.ts';
import { clearBytesOf } from '../../security/secret-envelope.ts';
import { variablePlace } from '../../security/secret-places.ts';
import type { ServiceRow } from '../../store/service-store.ts';
import {
  deleteVariable,
  insertVariables,
  replaceValue,
  selectServiceVariables,
  type VariableRow,
} from '../../store/variable-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { referenceWarnings, type SecretsOwner } from './resolve-variables.ts';
import { sealVariables } from './seal-service-secrets.ts';

/** Bound for requests that set the same key concurrently; each lost round reads the variables again. */
const attemptsMax = 4;

/**
 * Creates a variable or changes its value. It takes effect with the next deployment. Without `secret` an earlier choice stays.
 * @returns warnings about references of the service, if the value has some
 * @throws ApiError `payload_too_large`; `invalid_request` for a value that a database's image refuses; `conflict`
 */
export async function setVariable(
  deps: Dependencies,
  { service, project }: { service: Pick<ServiceRow, 'id' | 'repoFullName'>; project: SecretsOwner },
  variable: NewVariable,
): Promise<string[]> {
  assertValueFits(variable);
  assertEngineTakes(engineOf(service), variable);
  for (let attempt = 1; attempt <= attemptsMax; attempt++) {
    const present = await selectServiceVariables(deps.db, service.id);
    assertVariablesFit(bytesWith(present, variable));
    const same = present.find(({ key }) => key === variable.key);
    const written = same
      ? await replace(deps, project, same, variable)
      : await insert(deps, project, service.id, variable);
    if (written) return hasReference(variable.value) ? referenceWarnings(deps, service, project) : [];
  }
  throw new ApiError(
    'conflict',
    `The variable ${variable.key} is being changed by other requests: try again.`,
  );
}

async function replace(
  { db, envelope, now }: Dependencies,
  project: SecretsOwner,
  row: VariableRow,
  { value, secret }: NewVariable,
): Promise<boolean> {
  const sealedValue = await envelope.seal(project.wrappedDataKey, project.id, variablePlace(row.id), value);
  const changes = { sealedValue, secret, updatedAt: now() };
  return (await replaceValue(db, project.id, row.id, changes)).length > 0;
}

async function insert(
  deps: Dependencies,
  project: SecretsOwner,
  serviceId: string,
  variable: NewVariable,
): Promise<boolean> {
  const rows = await sealVariables(deps, project, serviceId, [variable]);
  return (await insertVariables(deps.db, project.id, rows)).meta.changes > 0;
}

/** Bytes of all variables including the new one. Sizes are derived from the ciphertexts. */
function bytesWith(present: readonly VariableRow[], { key, value }: NewVariable): number {
  const others = present.filter((row) => row.key !== key);
  return others.reduce(
    (bytes, row) => bytes + byteLength(row.key) + clearBytesOf(row.sealedValue),
    byteLength(key) + byteLength(value),
  );
}

/** Deletes a variable. A running deployment keeps it until the next deployment. */
export async function removeVariable(
  { db }: Pick<Dependencies, 'db'>,
  variable: Pick<VariableRow, 'id' | 'serviceId'>,
): Promise<void> {
  await deleteVariable(db, variable);
}
