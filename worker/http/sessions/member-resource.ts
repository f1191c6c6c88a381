import { type MemberView, selectMember, selectScopedMember } from '../../store/access/member-store.ts';
import { parameter, type ResourceLoader } from '../resources.ts';

/** `:memberId` of the caller's tenant, for owners. */
export const memberResource: ResourceLoader<MemberView> = {
  name: 'member',
  scope: 'key',
  select: (db, tokenId, params) => selectScopedMember(db, tokenId, parameter(params, 'memberId')),
  projectOf: () => null,
};

/** `:memberId` of any tenant, for the operator. */
export const anyMemberResource: ResourceLoader<MemberView> = {
  name: 'member',
  scope: 'operator',
  select: (db, _tokenId, params) => selectMember(db, parameter(params, 'memberId')),
};
