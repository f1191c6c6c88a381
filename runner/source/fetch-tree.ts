/** Fetches one commit of one repository into a directory, under the same rules for a service's repository and its submodules. */

import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { commitTextMax } from '../../protocol/job-report.ts';
import { JobFailure } from '../base/job-failure.ts';
import type { JobLog } from '../job-log/job-log.ts';
import { guardedAddress } from './address-guard.ts';
import { type Branches, BranchList, listArguments } from './existing-branches.ts';
import { gitEnvironment, loginEnvironment, networkSettings, runGit } from './git-command.ts';
import { type GitAttempt, gitFailure, isMissingRef } from './git-failure.ts';
import { type GitLogin, loginFor } from './git-login.ts';
import { countGrowingFiles } from './growing-files.ts';
import { isSameServer, type RepositoryUrl } from './repository-url.ts';
import type { Command, Outcome } from './run-program.ts';
import type { SourceBudget } from './source-budget.ts';
import { isSshKey, sshCommand } from './ssh-access.ts';
import { type Submodule, submodulesOf } from './submodule-list.ts';
import type { Resolve } from './system-resolve.ts';
import { type TreeEntry, treeReader } from './tree-entries.ts';
import { withoutUnreadableNames } from './unreadable-names.ts';

/** The parts shared by all fetches of one checkout. */
export interface Fetching {
  /** The service's own repository: login and key are only sent to this server. */
  main: RepositoryUrl;
  /** The service's own token or key. */
  token: string | null;
  /** The login for https. */
  login: GitLogin | null;
  /** File of the ssh key; `null` if the token is not a key. */
  keyFile: string | null;
  knownHosts: string;
  allowPrivate: boolean;
  resolve: Resolve;
  /** An empty directory. */
  home: string;
  budget: SourceBudget;
  log: JobLog;
  /** The job's signal. */
  signal: AbortSignal;
  /** Last resort, in case the job's own deadline does not end it first. */
  deadline: AbortSignal;
}

export interface FetchedTree {
  directory: string;
  commitSha: string;
  /** The first line of the commit message, at most `commitTextMax` characters. */
  commitMessage: string;
  commitAuthor: string;
  entries: TreeEntry[];
  submodules: Submodule[];
}

type Git = (
  args: readonly string[],
  more?: Pick<Command, 'onOutput'> & { signal?: AbortSignal; login?: GitLogin | null },
) => Promise<Outcome>;

/**
 * Settings of every command: hooks and submodules are disabled. Git reads files above the threshold piece by piece, and unpacks with few
 * threads: each may hold objects of `allocationBytesMax`.
 */
const safeSettings = {
  'core.hooksPath': '/dev/null',
  'submodule.recurse': 'false',
  'core.bigFileThreshold': '64m',
  'pack.threads': '2',
};
/** Makes a fetch write one pack, even for few objects: its size is watched. */
const fetchSettings = { 'fetch.unpackLimit': '1' };

/**
 * The fetched URL and the token are in no file: .git/config contains no remote, and .git is removed at the end.
 * @param wanted the ref or commit, and its name in messages
 * @param directory created if it is missing
 * @throws JobFailure `source_refused`, `source_failed`; the signal's reason
 */
export async function fetchTree(
  fetching: Fetching,
  repository: RepositoryUrl,
  wanted: { ref: string; name: string },
  directory: string,
): Promise<FetchedTree> {
  refuseWrongCredential(fetching, repository);
  const { host, port } = repository;
  const address = await guardedAddress(host, { ...fetching, port });
  await mkdir(directory, { recursive: true });
  await mkdir(fetching.home, { recursive: true });
  const git = gitIn(fetching, repository, wanted.name, directory);
  const ssh = await sshOf(fetching, repository, address);
  const dotGit = join(directory, '.git');

  await git(['init', '--quiet', '--template=']);
  const network = settings({ ...fetchSettings, ...networkSettings(repository, address, ssh) });
  const fetch = [...network, ...fetchArguments(repository.url, wanted.ref)];
  const login = loginFor(fetching, repository);
  try {
    await fetching.budget.watch(dotGit, (signal) => git(fetch, { signal, login }));
  } catch (error) {
    throw await namingBranches(error, wanted.ref, async (onOutput) => {
      const list = [...settings(networkSettings(repository, address, ssh)), ...listArguments(repository)];
      await git(list, { onOutput, login });
    });
  }
  const reader = treeReader(fetching.budget);
  const list = ['ls-tree', '-r', '-l', '-z', '--full-tree', 'FETCH_HEAD'];
  await git(list, { onOutput: reader.take, signal: reader.signal });
  await countGrowingFiles(reader.entries, 'FETCH_HEAD', fetching.budget, (args, onOutput) =>
    git(args, { onOutput }),
  );
  // Forced: the index may already list the files, but the directory has none.
  await git(['checkout', '--quiet', '--force', '--detach', 'FETCH_HEAD']);
  // A detached HEAD: the file contains the commit itself.
  const commitSha = (await readFile(join(dotGit, 'HEAD'), 'utf8')).trim();
  const [commitMessage = '', commitAuthor = ''] = (
    await git(['log', '-1', '--format=%s%x00%an', 'FETCH_HEAD'])
  ).stdout
    .split('\0')
    .map(shortText);
  const entries = await withoutUnreadableNames(directory, reader.entries, fetching.log);
  const submodules = await submodulesOf(entries, directory, async (args) => (await git(args)).stdout);
  await rm(dotGit, { recursive: true, force: true });
  return { directory, commitSha, commitMessage, commitAuthor, entries, submodules };
}

/**
 * The branches of a repository, at most as many as fit into 256 KB.
 * @param directory for git, created if it is missing
 * @throws JobFailure `source_refused`, `source_failed`; the signal's reason
 */
export async function listBranches(
  fetching: Fetching,
  repository: RepositoryUrl,
  directory: string,
): Promise<Branches> {
  refuseWrongCredential(fetching, repository);
  const { host, port } = repository;
  const address = await guardedAddress(host, { ...fetching, port });
  await mkdir(directory, { recursive: true });
  await mkdir(fetching.home, { recursive: true });
  const ssh = await sshOf(fetching, repository, address);
  const git = gitIn(fetching, repository, 'The repository', directory);
  const found = new BranchList();
  const list = [...settings(networkSettings(repository, address, ssh)), ...listArguments(repository)];
  await git(list, { onOutput: found.take, login: loginFor(fetching, repository) });
  return found.branches();
}

async function sshOf(fetching: Fetching, repository: RepositoryUrl, address: string) {
  if (repository.protocol !== 'ssh') return null;
  const key = isSameServer(repository, fetching.main) ? fetching.keyFile : null;
  return await sshCommand(repository, address, { key, knownHosts: fetching.knownHosts });
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches them
const controlCharacters = /[\u0000-\u001f\u007f]+/g;
const shortText = (text: string) =>
  text.replace(controlCharacters, ' ').trim().slice(0, commitTextMax).toWellFormed();

function refuseWrongCredential({ token, main }: Fetching, repository: RepositoryUrl): void {
  if (token === null || repository !== main) return;
  if (repository.protocol !== 'ssh' && isSshKey(token)) {
    throw new JobFailure(
      'source_refused',
      `The stored git token is an SSH key, which ${repository.url} does not accept: give the service the repository's ssh URL, or store an access token.`,
    );
  }
}

const branches = 'refs/heads/';

/**
 * Adds the branches that exist to the failure of a missing one.
 * @param list calls git, and passes on what it prints
 */
async function namingBranches(
  error: unknown,
  ref: string,
  list: (onOutput: (text: string) => void) => Promise<void>,
): Promise<unknown> {
  if (!(error instanceof JobFailure) || !ref.startsWith(branches) || !isMissingRef(error)) return error;
  const found = new BranchList();
  try {
    await list(found.take);
  } catch {
    return error; // the list only helps
  }
  const sentence = `${error.message} ${found.sentence(ref.slice(branches.length))}`;
  return new JobFailure(error.code, sentence, { cause: error });
}

/** The user's own input follows the end of the options. */
function fetchArguments(url: string, ref: string): string[] {
  return [
    'fetch',
    '--depth=1',
    '--no-tags',
    '--no-recurse-submodules',
    '--no-write-commit-graph',
    '--progress',
    '--end-of-options',
    url,
    ref,
  ];
}

function gitIn(fetching: Fetching, repository: RepositoryUrl, wanted: string, directory: string): Git {
  const { token, main, log, signal, deadline } = fetching;
  const hasKey = token !== null && isSameServer(repository, main);
  const attempt: GitAttempt = { repository, main, wanted, hasKey, login: loginFor(fetching, repository) };
  const base = {
    cwd: directory,
    env: gitEnvironment(fetching.home, repository.protocol),
    onLine: (line: string) => {
      if (isWorthLogging(line)) log.line('stdout', line.trimEnd());
    },
  };
  return async (args, more = {}) => {
    const { signal: own, login, ...rest } = more;
    const command = {
      ...base,
      ...rest,
      env: login ? { ...base.env, ...loginEnvironment(login, repository) } : base.env,
      args: [...settings(safeSettings), ...args],
      signal: AbortSignal.any([signal, deadline, ...(own ? [own] : [])]),
    };
    const outcome = await runGit(command).catch((error: unknown) => {
      signal.throwIfAborted();
      if (error instanceof JobFailure) throw error;
      if (deadline.aborted)
        throw new JobFailure('source_failed', `Fetching ${repository.url} took too long.`);
      throw new JobFailure('internal', 'git could not be started on this host; is it installed?', {
        cause: error,
      });
    });
    if (outcome.exitCode !== 0) throw gitFailure(outcome, attempt);
    return outcome;
  };
}

const settings = (values: Record<string, string>) =>
  Object.entries(values).flatMap(([key, value]) => ['-c', `${key}=${value}`]);

/** Progress bars repeat a hundred times; only their last line is logged. */
const isWorthLogging = (line: string) => !/\d% \(/.test(line) || /, done\.\s*$/.test(line);
