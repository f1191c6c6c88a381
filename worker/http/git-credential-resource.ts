import { type GitCredentialRow, selectScopedGitCredential } from '../store/sources/git-credential-store.ts';
import {
  type GitHubAppRow,
  selectScopedGitHubApp,
  selectSignedGitHubApp,
} from '../store/sources/github-app-store.ts';
import { parameter, type ResourceLoader } from './resources.ts';

/** `:gitCredentialId` of the caller's tenant. */
export const gitCredentialResource: ResourceLoader<{ gitCredential: GitCredentialRow }> = {
  name: 'gitCredential',
  scope: 'key',
  select: (db, tokenId, params) =>
    selectScopedGitCredential(db, tokenId, parameter(params, 'gitCredentialId')),
  projectOf: ({ gitCredential }) => gitCredential.projectId,
};

interface LoadedGitHubApp {
  gitHubApp: GitHubAppRow;
}

/** `:githubAppId` of the caller's tenant. */
export const gitHubAppResource: ResourceLoader<LoadedGitHubApp> = {
  name: 'GitHub App',
  scope: 'key',
  select: (db, tokenId, params) => selectScopedGitHubApp(db, tokenId, parameter(params, 'githubAppId')),
  projectOf: () => null,
};

/** `:githubAppId`, for deliveries that are signed with its secret. */
export const signedGitHubAppResource: ResourceLoader<LoadedGitHubApp> = {
  name: 'GitHub App',
  scope: 'signed',
  select: (db, _tokenId, params) => selectSignedGitHubApp(db, parameter(params, 'githubAppId')),
};
