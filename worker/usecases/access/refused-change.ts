import { membersMax } from '../../domain/access/members.ts';
import { ApiError } from '../../domain/errors.ts';
import { lastOwnerColumn, notOwnerColumn, tooManyColumn } from '../../store/access/member-change-store.ts';
import { violates } from '../../store/sql/store-failure.ts';

/** Runs a change of members, and turns a refusal by one of its guards into an error. @throws ApiError `forbidden`, `conflict`, `quota_exceeded` */
export async function orRefused<Result>(change: () => Promise<Result>): Promise<Result> {
  try {
    return await change();
  } catch (error) {
    if (violates(error, 'NOT NULL', notOwnerColumn)) throw notOwner();
    if (violates(error, 'NOT NULL', lastOwnerColumn)) throw lastOwner();
    if (violates(error, 'NOT NULL', tooManyColumn)) throw tooMany();
    if (violates(error, 'UNIQUE', 'members.email')) throw known();
    throw error;
  }
}

const notOwner = () =>
  new ApiError('forbidden', 'You are no longer an owner: ask one of the owners to change members.');

const lastOwner = () =>
  new ApiError(
    'conflict',
    'This is the last owner, and nobody could change members any more: make another member an owner first.',
  );

const tooMany = () =>
  new ApiError('quota_exceeded', `A tenant has at most ${membersMax} members: remove one first.`);

const known = () =>
  new ApiError(
    'conflict',
    'The field "email" is the address of a member or of an open invitation: change that one, or make a new link for it.',
  );
