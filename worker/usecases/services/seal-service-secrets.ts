/** Secrets in a service's create body or PATCH, sealed for their rows. */
import type { NewVariable } from '../../domain/variables/variable-fields.ts';
import { gitTokenPlace, variablePlace } from '../../security/secret-places.ts';
import type { VariableRow } from '../../store/services/variable-store.ts';
import type { Dependencies } from '../dependencies.ts';
import type { SecretsOwner } from './resolve-variables.ts';

/** Seals the git token of a create body or PATCH for the service's row. @returns null without a token */
export async function sealGitToken(
  { envelope }: Pick<Dependencies, 'envelope'>,
  project: SecretsOwner,
  serviceId: string,
  token: string | null | undefined,
): Promise<string | null> {
  if (token === null || token === undefined) return null;
  return envelope.seal(project.wrappedDataKey, project.id, gitTokenPlace(serviceId), token);
}

/** Builds new rows with new ids. */
export function sealVariables(
  { envelope, newId, now }: Pick<Dependencies, 'envelope' | 'newId' | 'now'>,
  project: SecretsOwner,
  serviceId: string,
  list: readonly NewVariable[],
): Promise<VariableRow[]> {
  const createdAt = now();
  return Promise.all(
    list.map(async ({ key, value, secret = null, scope }) => {
      const id = newId('variable');
      const sealedValue = await envelope.seal(project.wrappedDataKey, project.id, variablePlace(id), value);
      return {
        ...{ id, serviceId, key, sealedValue, secret, scope: storedScope(scope) ?? null },
        ...{ createdAt, updatedAt: createdAt },
      };
    }),
  );
}

/** The value of the column; undefined if the request does not choose. */
export const storedScope = (scope: NewVariable['scope']): VariableRow['scope'] | undefined =>
  scope === 'both' ? null : scope;
