/** Logins for other servers that a job gets: registries of container images, git hosts. */
import { z } from 'zod';

/** The registry of images without a host in their name, and all spellings of this registry (distribution/reference, `splitDockerDomain`). */
export const dockerHub = 'docker.io';
const hubNames: ReadonlySet<string> = new Set([dockerHub, 'index.docker.io', 'registry-1.docker.io']);

/** A login at a registry of container images. */
export const registryLoginSchema = z.object({
  id: z.string(),
  /** Host with port, as in names of images; Docker Hub is `docker.io`. */
  host: z.string(),
  username: z.string(),
  password: z.string(),
});

export type RegistryLogin = z.infer<typeof registryLoginSchema>;

/** @param host in the image's name; undefined: the name has no host */
export function registryName(host: string | undefined): string {
  const name = (host ?? dockerHub).toLowerCase();
  return hubNames.has(name) ? dockerHub : name;
}

/** A credential of a git host, for repositories over https. */
export const gitCredentialSchema = z.object({
  id: z.string(),
  /** In the form of `gitHostOf`. */
  host: z.string(),
  username: z.string(),
  token: z.string(),
  /** True: stored for one project. False: for all projects. */
  ofProject: z.boolean(),
});

export type GitCredential = z.infer<typeof gitCredentialSchema>;

/**
 * The host of a repository in the form of credentials: with its port, unless that is 443. Plain http always has its port, so a credential without
 * a port is never sent unencrypted.
 * @returns undefined if the repository is not fetched by https or http
 */
export function gitHostOf(repositoryUrl: string): string | undefined {
  const url = URL.parse(repositoryUrl);
  if (url?.protocol === 'https:') return url.host;
  return url?.protocol === 'http:' ? `${url.hostname}:${url.port || 80}` : undefined;
}

/** GitHub, GitLab, Gitea and Forgejo accept any name with a token; Bitbucket requires this one for access tokens (its documentation). */
export const tokenUser = (host: string) => (host === 'bitbucket.org' ? 'x-token-auth' : 'x-access-token');
