import { type IdentityView, selectIdentityOfCaller } from '../../store/access/identity-store.ts';
import { parameter, type ResourceLoader } from '../resources.ts';

/** `:identityId` of the member whose session calls. */
export const identityResource: ResourceLoader<IdentityView> = {
  name: 'identity',
  scope: 'key',
  select: (db, tokenId, params) => selectIdentityOfCaller(db, tokenId, parameter(params, 'identityId')),
  projectOf: () => null,
};
