import { type SessionRow, selectOwnSession, selectSession } from '../../store/access/session-store.ts';
import { parameter, type ResourceLoader } from '../resources.ts';

/** `:sessionId` of a session of the caller's key. */
export const ownSessionResource: ResourceLoader<SessionRow> = {
  name: 'session',
  scope: 'key',
  select: (db, tokenId, params) => selectOwnSession(db, tokenId, parameter(params, 'sessionId')),
  projectOf: () => null,
};

/** `:sessionId` of any session, for the operator. */
export const sessionResource: ResourceLoader<SessionRow> = {
  name: 'session',
  scope: 'operator',
  select: (db, _tokenId, params) => selectSession(db, parameter(params, 'sessionId')),
};
