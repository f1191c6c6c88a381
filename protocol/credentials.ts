/** Logins that a job gets for other servers: registries of container images, git hosts. */
import { z } from 'zod';

/** The registry of images whose names start with no host, in every spelling of it (distribution/reference, `splitDockerDomain`). */
export const dockerHub = 'docker.io';
const hubNames: ReadonlySet<string> = new Set([dockerHub, 'index.docker.io', 'registry-1.docker.io']);

/** A login at a registry of container images. */
export const registryLoginSchema = z.object({
  id: z.string(),
  /** Host with port, as names of images write it; Docker Hub is `docker.io`. */
  host: z.string(),
  username: z.string(),
  password: z.string(),
});

export type RegistryLogin = z.infer<typeof registryLoginSchema>;

/** @param host of an image's name; undefined: it has none */
export function registryName(host: string | undefined): string {
  const name = (host ?? dockerHub).toLowerCase();
  return hubNames.has(name) ? dockerHub : name;
}

/** A credential of a git host, for repositories over https. */
export const gitCredentialSchema = z.object({
  id: z.string(),
  /** As `gitHostOf` writes it. */
  host: z.string(),
  username: z.string(),
  token: z.string(),
  /** Whether it is stored for one project, or for all. */
  ofProject: z.boolean(),
});

export type GitCredential = z.infer<typeof gitCredentialSchema>;

/**
 * The host of a repository as credentials name it: with its port, unless it is 443. So plain http has its port, and a credential that names
 * none is never sent without encryption.
 * @returns undefined if the repository is not fetched by https or http
 */
export function gitHostOf(repositoryUrl: string): string | undefined {
  const url = URL.parse(repositoryUrl);
  if (url?.protocol === 'https:') return url.host;
  return url?.protocol === 'http:' ? `${url.hostname}:${url.port || 80}` : undefined;
}

/** GitHub, GitLab, Gitea and Forgejo accept any name beside a token; Bitbucket requires this one for access tokens (its documentation). */
export const tokenUser = (host: string) => (host === 'bitbucket.org' ? 'x-token-auth' : 'x-access-token');
