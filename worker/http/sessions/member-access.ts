import type { MemberRole } from '../../domain/access/members.ts';
import { ApiError } from '../../domain/errors.ts';
import type { AnyRoute } from '../route.ts';

type Needed = Pick<AnyRoute, 'access'>;

/** Routes that only sessions of members open, and no key. */
export const isForMembers = ({ access }: Needed): boolean => access === 'member' || access === 'owner';

/** @param role undefined: the caller is no member's session @throws ApiError `forbidden` */
export function assertMember({ access }: Needed, role: MemberRole | undefined): void {
  if (access === 'owner' && role !== 'owner')
    throw new ApiError(
      'forbidden',
      'This route needs the session of a member who is an owner: a key is not enough.',
    );
  if (role === undefined)
    throw new ApiError('forbidden', 'This route needs the session of a member: a key is not enough.');
}
