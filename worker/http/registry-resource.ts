import { type RegistryRow, selectScopedRegistry } from '../store/sources/registry-store.ts';
import { parameter, type ResourceLoader } from './resources.ts';

/** `:registryId` of the caller's tenant. */
export const registryResource: ResourceLoader<{ registry: RegistryRow }> = {
  name: 'registry',
  scope: 'key',
  select: (db, tokenId, params) => selectScopedRegistry(db, tokenId, parameter(params, 'registryId')),
  projectOf: () => null,
};
