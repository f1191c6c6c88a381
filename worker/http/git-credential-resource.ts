import { type GitCredentialRow, selectScopedGitCredential } from '../store/git-credential-store.ts';
import { parameter, type ResourceLoader } from './resources.ts';

/** `:gitCredentialId` of the caller's tenant. */
export const gitCredentialResource: ResourceLoader<{ gitCredential: GitCredentialRow }> = {
  name: 'gitCredential',
  scope: 'key',
  select: (db, tokenId, params) =>
    selectScopedGitCredential(db, tokenId, parameter(params, 'gitCredentialId')),
};
