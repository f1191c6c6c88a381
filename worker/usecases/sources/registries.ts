/** Logins of a tenant at registries of container images. */
import { type RegistryLogin, registryName } from '../../../protocol/credentials.ts';
import { UndispatchableError } from '../../domain/deployments/deploy-spec.ts';
import { ApiError, absent } from '../../domain/errors.ts';
import { registriesPerTenant } from '../../domain/sources/registries.ts';
import { registryPasswordPlace } from '../../security/secret-places.ts';
import {
  insertRegistry,
  type RegistryRow,
  type SealedLogin,
  updateRegistry,
} from '../../store/sources/registry-store.ts';
import { violates } from '../../store/sql/store-failure.ts';
import type { Dependencies } from '../dependencies.ts';

type Needs = Pick<Dependencies, 'db' | 'envelope' | 'now'>;

/** @throws ApiError `conflict` if there is a login for the host; `quota_exceeded` */
export async function createRegistry(
  deps: Needs & Pick<Dependencies, 'newId'>,
  tenantId: string,
  given: { host: string; username: string; password: string },
): Promise<RegistryRow> {
  const id = deps.newId('registry');
  const at = deps.now();
  const { username } = given;
  const host = registryName(given.host);
  const sealedPassword = await deps.envelope.sealForInstance(registryPasswordPlace(id), given.password);
  const row = { id, tenantId, host, username, sealedPassword, createdAt: at, updatedAt: at };
  const written = await insertRegistry(deps.db, row).catch((error: unknown) => {
    if (!violates(error, 'UNIQUE')) throw error;
    throw new ApiError('conflict', `There is a login for ${host}: change it with PATCH, or delete it first.`);
  });
  if (written.length > 0) return row;
  throw new ApiError('quota_exceeded', `A tenant can have ${registriesPerTenant} registries: delete one.`);
}

/** @throws ApiError `not_found` if the login has been deleted since */
export async function changeRegistry(
  deps: Needs,
  { id }: RegistryRow,
  { username, password }: { username?: string | undefined; password?: string | undefined },
): Promise<RegistryRow> {
  const sealed =
    password === undefined
      ? {}
      : { sealedPassword: await deps.envelope.sealForInstance(registryPasswordPlace(id), password) };
  const [row] = await updateRegistry(deps.db, id, {
    ...(username === undefined ? {} : { username }),
    ...sealed,
    updatedAt: deps.now(),
  });
  if (!row) throw absent('registry');
  return row;
}

/** The logins for a job's sealed box. @throws UndispatchableError with the registry whose password is lost */
export function openLogins(
  { envelope }: Pick<Dependencies, 'envelope'>,
  sealed: readonly SealedLogin[],
): Promise<RegistryLogin[]> {
  return Promise.all(
    sealed.map(async ({ id, host, username, sealedPassword }) => {
      try {
        const password = await envelope.openForInstance(registryPasswordPlace(id), sealedPassword);
        return { id, host, username, password };
      } catch (cause) {
        console.error(`The login for ${host} can't be decrypted:`, cause instanceof Error ? cause.name : '');
        throw new UndispatchableError(
          `The login for ${host} can't be decrypted: store its password again (PATCH /api/registries/${id}).`,
        );
      }
    }),
  );
}
