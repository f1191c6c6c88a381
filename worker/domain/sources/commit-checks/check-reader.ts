/** The credential that reads the checks of a repository's commits. */
import type { StatusApi } from '../commit-status/status-apis.ts';
import { credentialFor } from '../credential-for.ts';
import { type RepositoryPlace, writtenPlaceOf } from '../git-source.ts';
import { apiOfHost } from './check-apis.ts';

interface Credential {
  host: string;
  projectId: string | null;
  commitStatus: StatusApi | null;
  /** The GitHub App that creates its tokens. */
  app: object | null;
}

export interface CheckReader<Stored extends Credential> {
  api: StatusApi;
  place: RepositoryPlace;
  /** Undefined: only the service's own token. */
  credential: Stored | undefined;
}

/**
 * The credential for the git host takes precedence over the service's own token, because a token for clones often reads nothing else.
 * @returns why nothing can read the checks, as a sentence with the way out
 */
export function checkReaderOf<Stored extends Credential>(
  repoUrl: string,
  credentials: readonly Stored[],
  hasOwnToken: boolean,
): CheckReader<Stored> | { missing: string } {
  const place = writtenPlaceOf(repoUrl);
  const { host, path } = place;
  const credential = credentialFor(credentials, `https://${host}/${path}`);
  if (!path.includes('/')) return { missing: `The address of the repository has no "<owner>/<repo>".` };
  if (!credential && !hasOwnToken)
    return {
      missing: `There is no token for ${host} that could read the checks. Connect a GitHub App, or store a git credential with "commitStatus" (POST /api/git-credentials).`,
    };
  const api = credential?.commitStatus ?? (credential?.app ? 'github' : apiOfHost(host));
  if (api) return { api, place, credential };
  return {
    missing: `It is not known which API ${host} has: store a git credential for it with "commitStatus" (POST /api/git-credentials), or set that field of the one that there is.`,
  };
}
