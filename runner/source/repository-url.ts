/** Checks repository URLs, and converts them to the form that git gets. */
import { isBranchName, isRefName } from '../../protocol/sources/branch-name.ts';
import { JobFailure } from '../base/job-failure.ts';

export interface RepositoryUrl {
  /** Normalised, without credentials: safe as an argument and in a log. */
  url: string;
  protocol: 'https' | 'http' | 'ssh';
  /** The host without brackets. */
  host: string;
  port: number;
}

const defaultPorts = { https: 443, http: 80, ssh: 22 } as const;
const isAllowed = (protocol: string): protocol is keyof typeof defaultPorts => protocol in defaultPorts;

/**
 * Parses a repository's URL: https and ssh; http where the runner's operator allows it. `git@host:path` is ssh.
 * @throws JobFailure `source_refused` with the violated rule
 */
export function parseRepositoryUrl(text: string, options: { allowHttp: boolean }): RepositoryUrl {
  const url = toUrl(text);
  const protocol = url.protocol.replace(/:$/, '');
  if (!isAllowed(protocol))
    refuse(`Repository URLs must begin with https:// or ssh://, not ${url.protocol}//.`);
  if (protocol === 'http' && !options.allowHttp) {
    refuse('Plain http repositories are not allowed on this host; use https.');
  }
  if (url.password || (url.username && protocol !== 'ssh')) {
    refuse("Store the token as the service's git token; the repository URL must not contain credentials.");
  }
  if (!/^[A-Za-z0-9._]*$|^[A-Za-z0-9._][A-Za-z0-9._-]*$/.test(url.username))
    refuse('The ssh user name is not valid.');
  if (url.search || url.hash) refuse('The repository URL must not have a query or a fragment.');
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (!/^[A-Za-z0-9:][A-Za-z0-9.:-]*$/.test(host)) refuse('The repository URL has no valid host name.');
  if (url.pathname.length < 2) refuse('The repository URL has no path.');
  return { url: url.href, protocol, host, port: url.port ? Number(url.port) : defaultPorts[protocol] };
}

/** True if both are on one server, and are fetched the same way. */
export const isSameServer = (one: RepositoryUrl, other: RepositoryUrl) =>
  one.protocol === other.protocol && one.host === other.host && one.port === other.port;

/** @throws JobFailure `source_refused` for a name that git does not accept for a branch */
export function checkBranch(branch: string): string {
  if (!isBranchName(branch)) refuse(`"${branch}" is not a valid branch name.`);
  return branch;
}

/** @throws JobFailure `source_refused` for what git does not accept as a commit, tag or branch, or reads as something else */
export function checkRef(ref: string): string {
  if (!isRefName(ref)) refuse(`"${ref}" is not a commit id and not the name of a tag or branch.`);
  return ref;
}

function toUrl(text: string): URL {
  const control = [...text].some((character) => character <= ' ' || character === '\u007f');
  if (control || text.startsWith('-')) refuse('The repository URL is not valid.');
  const scp = /^(?<user>[A-Za-z0-9._-]+)@(?<host>[A-Za-z0-9.-]+):(?<path>[^/].*)$/.exec(text)?.groups;
  try {
    return new URL(scp ? `ssh://${scp.user}@${scp.host}/${scp.path}` : text);
  } catch {
    return refuse('The repository URL is not valid.');
  }
}

function refuse(message: string): never {
  throw new JobFailure('source_refused', message);
}
