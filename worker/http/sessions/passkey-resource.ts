import { type PasskeyRow, selectPasskeyOfCaller } from '../../store/access/passkey-store.ts';
import { parameter, type ResourceLoader } from '../resources.ts';

/** `:passkeyId` of the member whose session calls. */
export const passkeyResource: ResourceLoader<{ passkey: PasskeyRow }> = {
  name: 'passkey',
  scope: 'key',
  select: (db, tokenId, params) => selectPasskeyOfCaller(db, tokenId, parameter(params, 'passkeyId')),
  projectOf: () => null,
};
