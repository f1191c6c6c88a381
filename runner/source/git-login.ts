/** The login of git and LFS for repositories over https, and its name in messages. */
import { type GitCredential, gitHostOf, tokenUser } from '../../protocol/credentials.ts';
import { isSameServer, type RepositoryUrl } from './repository-url.ts';
import { isSshKey } from './ssh-access.ts';

export interface GitLogin {
  username: string;
  password: string;
  /** `the stored git token`. */
  name: string;
  /** The way to replace it, as a sentence. */
  replacing: string;
}

/**
 * The login for the service's repository: the service's own token, or else the credential that is stored for this host.
 * @param token of the service, which can be an ssh key
 */
export function gitLogin(
  main: RepositoryUrl,
  token: string | null,
  credential: GitCredential | undefined,
): GitLogin | null {
  if (main.protocol === 'ssh') return null;
  if (token !== null && !isSshKey(token)) {
    return {
      username: tokenUser(main.host),
      password: token,
      name: 'the stored git token',
      replacing: 'Store another one with the service ("gitToken").',
    };
  }
  // The control plane has chosen it by the same rule.
  if (token !== null || !credential || credential.host !== gitHostOf(main.url)) return null;
  const { id, host, username } = credential;
  return {
    ...{ username, password: credential.token },
    name: `the git credential ${id}, which is stored for ${host} and ${credential.ofProject ? 'this project' : 'all projects'}`,
    replacing: `Store a new token (PATCH /api/git-credentials/${id}).`,
  };
}

/** The login for a repository's server: none, unless it is the server of the service's own repository. */
export const loginFor = (
  { main, login }: { main: RepositoryUrl; login: GitLogin | null },
  repository: RepositoryUrl,
): GitLogin | null => (isSameServer(repository, main) ? login : null);

/** The reason why a server that requires a login got none, and a solution. */
export function whyNoLogin(main: RepositoryUrl, repository: RepositoryUrl): string {
  if (!isSameServer(repository, main))
    return `tokens and credentials are sent only to the server of the service's own repository, ${main.host}.`;
  const host = gitHostOf(repository.url) ?? repository.host;
  return `store a git token with the service ("gitToken"), or a credential for ${host} (POST /api/git-credentials): there is neither.`;
}
