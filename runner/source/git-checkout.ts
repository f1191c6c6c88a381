/** Brings one branch of a repository into a directory: the newest commit only, without its .git. */
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { JobFailure, type JobLog } from '../jobs/job.ts';
import { guardedAddress, type Resolve, systemResolve } from './address-guard.ts';
import { type GitCommand, type GitOutcome, gitEnvironment, networkSettings, runGit } from './git-command.ts';
import { type GitAttempt, gitFailure } from './git-failure.ts';
import { checkBranch, parseRepositoryUrl, type RepositoryUrl } from './repository-url.ts';

export interface CheckoutRequest {
  url: string;
  branch: string;
  token: string | null;
  /** Whether http and private addresses may be used. */
  allowPrivate: boolean;
  /** Must not exist; `tree` (the files) and `home` are made in it. */
  directory: string;
  resolve?: Resolve;
}

export interface Checkout {
  /** Directory of the files. */
  tree: string;
  commitSha: string;
}

/** The job's deadline ends it first; this one is the last resort. */
const fetchTimeoutMs = 15 * 60_000;

/** Off in every command: hooks and submodules. */
const safeSettings = { 'core.hooksPath': '/dev/null', 'submodule.recurse': 'false' };

/**
 * Checks a branch out. Progress goes to the log.
 * The fetched URL and the token are in no file: .git/config names no remote, and .git is gone before anybody builds.
 * @throws JobFailure `source_refused`, `source_failed`; the signal's reason
 */
export async function checkOut(
  request: CheckoutRequest,
  log: JobLog,
  signal: AbortSignal,
): Promise<Checkout> {
  const repository = parseRepositoryUrl(request.url, { allowHttp: request.allowPrivate });
  const branch = checkBranch(request.branch);
  const address = await guardedAddress(
    repository.host,
    request.allowPrivate,
    request.resolve ?? systemResolve,
  );
  const tree = join(request.directory, 'tree');
  const home = join(request.directory, 'home');
  await mkdir(tree, { recursive: true });
  await mkdir(home, { recursive: true });
  const git = commandRunner(request, repository, branch, { tree, home }, log, signal);

  await git('init', '--quiet', '--template=');
  await git(...settings(networkSettings(repository, address)), ...fetchArguments(repository.url, branch));
  await git('checkout', '--quiet', '--detach', 'FETCH_HEAD');
  // Detached: the file holds the commit itself.
  const commitSha = await readFile(join(tree, '.git', 'HEAD'), 'utf8');
  await rm(join(tree, '.git'), { recursive: true, force: true });
  return { tree, commitSha: commitSha.trim() };
}

/** Options end before what the user wrote. */
function fetchArguments(url: string, branch: string): string[] {
  return [
    'fetch',
    '--depth=1',
    '--no-tags',
    '--no-recurse-submodules',
    '--no-write-commit-graph',
    '--progress',
    '--end-of-options',
    url,
    `refs/heads/${branch}`,
  ];
}

function commandRunner(
  request: CheckoutRequest,
  repository: RepositoryUrl,
  branch: string,
  directories: { tree: string; home: string },
  log: JobLog,
  signal: AbortSignal,
): (...args: string[]) => Promise<GitOutcome> {
  const attempt: GitAttempt = {
    url: repository.url,
    host: repository.host,
    branch,
    hasToken: request.token !== null,
  };
  const token =
    request.token === null ? null : { username: tokenUser(repository.host), value: request.token };
  const deadline = AbortSignal.timeout(fetchTimeoutMs);
  const base: Omit<GitCommand, 'args'> = {
    cwd: directories.tree,
    env: gitEnvironment(directories.home, repository.protocol, token),
    onLine: (line) => {
      if (isWorthLogging(line)) log.line('stdout', line.trimEnd());
    },
    signal: AbortSignal.any([signal, deadline]),
  };
  return async (...args) => {
    const outcome = await runGit({ ...base, args: [...settings(safeSettings), ...args] }).catch(
      (error: unknown) => {
        signal.throwIfAborted();
        if (deadline.aborted)
          throw new JobFailure('source_failed', `Fetching ${repository.url} took too long.`);
        throw new JobFailure('internal', 'git could not be started on this host; is it installed?', {
          cause: error,
        });
      },
    );
    if (outcome.exitCode !== 0) throw gitFailure(outcome, attempt);
    return outcome;
  };
}

/** Any name will do at GitHub, GitLab and Gitea; Bitbucket wants this one for access tokens (its documentation). */
const tokenUser = (host: string) => (host === 'bitbucket.org' ? 'x-token-auth' : 'x-access-token');

const settings = (values: Record<string, string>) =>
  Object.entries(values).flatMap(([key, value]) => ['-c', `${key}=${value}`]);

/** Progress bars repeat a hundred times; their last line is enough. */
const isWorthLogging = (line: string) => !/\d% \(/.test(line) || /, done\.\s*$/.test(line);
