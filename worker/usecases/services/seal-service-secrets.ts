/** Secrets that come with a service's create body or PATCH, sealed for their rows. */
import type { NewVariable } from '../../domain/variables/variable-fields.ts';
import { gitTokenPlace, variablePlace } from '../../security/secret-places.ts';
import type { VariableRow } from '../../store/services/variable-store.ts';
import type { Dependencies } from '../dependencies.ts';
import type { SecretsOwner } from './resolve-variables.ts';

/** Seals secrets from a service's create body or PATCH for their rows. @returns null for no token */
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
    list.map(async ({ key, value, secret = null }) => {
      const id = newId('variable');
      const sealedValue = await envelope.seal(project.wrappedDataKey, project.id, variablePlace(id), value);
      return { id, serviceId, key, sealedValue, secret, createdAt, updatedAt: createdAt };
    }),
  );
}
