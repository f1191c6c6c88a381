import {
  type IdentityProviderRow,
  selectIdentityProvider,
} from '../../store/access/identity-provider-store.ts';
import { parameter, type ResourceLoader } from '../resources.ts';

/** `:identityProviderId`, for the operator. */
export const identityProviderResource: ResourceLoader<{ provider: IdentityProviderRow }> = {
  name: 'identity provider',
  scope: 'operator',
  select: (db, _tokenId, params) => selectIdentityProvider(db, parameter(params, 'identityProviderId')),
};
