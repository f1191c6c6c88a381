/** Rules for Git URLs and branch names. The runner checks the resolved address when it connects. */
import { z } from 'zod';
import { isBranchName } from '../../../protocol/sources/branch-name.ts';

const urlMax = 2048;
/** A host name or bracketed IPv6 address; never text that ssh could read as an option. */
const hostPattern = /^(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\])$/;
/** The user part of an ssh URL, without a password. */
const sshUserPattern = /^[A-Za-z_][A-Za-z0-9_.-]{0,31}$/;

/** The short form that git hosts show for ssh: `git@host:owner/app.git` (git-fetch(1), GIT URLS). */
const shortSshPattern = /^(?<user>[^/@:]+)@(?<host>[^/@:[\]]+):(?<path>[^/:].*)$/;

/** https, http or ssh (also in its short form); no user (except for ssh), password, query or fragment. Tokens belong in `gitToken`. */
export const gitUrlSchema = z
  .string()
  .max(urlMax)
  .refine(
    isGitUrl,
    'must be an https, ssh or http URL, such as "https://git.example.com/owner/app.git" or "git@git.example.com:owner/app.git", without a password, query or fragment; put an access token in "gitToken"',
  );

/** `<owner>/<repo>`, by GitHub's rules for names. */
export const hostedRepositorySchema = z
  .string()
  .regex(/^[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})\/(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}$/);

/** A name that git accepts. */
export const gitBranchSchema = z
  .string()
  .refine(isBranchName, 'must be a branch name, such as "main" or "feature/login"')
  .refine(
    (text) => !text.startsWith('refs/heads/'),
    'must name the branch without "refs/heads/", such as "main"',
  );

/** The server and the path of a Git URL: equal for all forms of the URL of one repository. */
export interface RepositoryPlace {
  /** With a port for http and https. */
  host: string;
  path: string;
}

/** @param url that satisfies `gitUrlSchema` */
export function placeOfRepository(url: string): RepositoryPlace {
  const { host, path } = writtenPlaceOf(url);
  return { host, path: path.toLowerCase() };
}

/** The same with the path as it is written, for requests to the git host. */
export function writtenPlaceOf(url: string): RepositoryPlace {
  const short = shortSshPattern.exec(url)?.groups;
  if (short) return placeOf(short.host ?? '', short.path ?? '');
  const { protocol, host, hostname, pathname } = new URL(url);
  return placeOf(protocol === 'ssh:' ? hostname : host, pathname);
}

const placeOf = (host: string, path: string): RepositoryPlace => ({
  host: host.toLowerCase(),
  path: path.replace(/^\/+|\/+$/g, '').replace(/\.git$/i, ''),
});

export function isSameRepository(one: string, other: string): boolean {
  const [a, b] = [placeOfRepository(one), placeOfRepository(other)];
  return a.host === b.host && a.path === b.path;
}

function isGitUrl(text: string): boolean {
  // URL() silently removes line breaks and tabs and converts backslashes, so these are refused first.
  if (!/^[\x21-\x7e]+$/.test(text) || text.includes('\\')) return false;
  const short = shortSshPattern.exec(text)?.groups;
  const url = URL.parse(short ? `ssh://${short.user}@${short.host}/${short.path}` : text);
  if (!url || !['https:', 'ssh:', 'http:'].includes(url.protocol)) return false;
  const userIsFine =
    url.password === '' &&
    (url.username === '' || (url.protocol === 'ssh:' && sshUserPattern.test(url.username)));
  const hasNoRest = !text.includes('?') && !text.includes('#');
  return userIsFine && hasNoRest && hostPattern.test(url.hostname) && url.pathname.length > 1;
}
