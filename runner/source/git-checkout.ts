/** Fetches one branch, tag or commit of a repository into a directory: only the newest commit, without its .git. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { GitCredential } from '../../protocol/credentials.ts';
import { isCommitId } from '../../protocol/sources/branch-name.ts';
import type { JobLog } from '../job-log/job-log.ts';
import { checkOutSubmodules, type SubmoduleMode } from './check-out-submodules.ts';
import type { Branches } from './existing-branches.ts';
import { type Fetching, fetchTree, listBranches } from './fetch-tree.ts';
import { gitLogin } from './git-login.ts';
import { fetchLargeFiles, warnOfPointers } from './large-files.ts';
import { checkBranch, checkRef, parseRepositoryUrl, type RepositoryUrl } from './repository-url.ts';
import { SourceBudget, type SourceLimits } from './source-budget.ts';
import { isSshKey, writeSshKey } from './ssh-access.ts';
import { type Resolve, systemResolve } from './system-resolve.ts';

export interface CheckoutRequest {
  url: string;
  branch: string;
  /** `branch` may also be a tag or a commit id. */
  isRef?: boolean | undefined;
  /** An access token for https, or a private key for ssh. */
  token: string | null;
  /** The login for https without a token; used only if it is stored for the URL's host. */
  credential?: GitCredential | undefined;
  /** True if http and private addresses are allowed. */
  allowPrivate: boolean;
  /** The directory must not exist; `tree` (the files) and `home` are created in it. */
  directory: string;
  /** File of pinned host keys; kept between checkouts. */
  knownHosts: string;
  submodules?: SubmoduleMode;
  /** True to fetch files of Git LFS, false to keep the pointers from the repository. */
  lfs?: boolean;
  resolve?: Resolve;
  limits?: SourceLimits;
}

export interface Checkout {
  /** Directory of the files. */
  tree: string;
  commitSha: string;
  commitMessage: string;
  commitAuthor: string;
}

/** Last resort; the job's deadline usually ends it first. */
const fetchTimeoutMs = 15 * 60_000;

/**
 * Checks a branch out, with its progress in the log.
 * @throws JobFailure `source_refused`, `source_failed`; the signal's reason
 */
export async function checkOut(
  request: CheckoutRequest,
  log: JobLog,
  signal: AbortSignal,
): Promise<Checkout> {
  const main = parseRepositoryUrl(request.url, { allowHttp: request.allowPrivate });
  const wanted = wantedOf(request);
  const keyDirectory = join(request.directory, 'ssh');
  try {
    const fetching = await fetchingOf(request, main, { keyDirectory, log, signal });
    const tree = await fetchTree(fetching, main, wanted, join(request.directory, 'tree'));
    const inner = await checkOutSubmodules(fetching, tree, request.submodules ?? 'none');
    for (const one of [{ repository: main, tree }, ...inner]) {
      if (request.lfs) await fetchLargeFiles(fetching, one);
      else await warnOfPointers(one.tree, log);
    }
    const { commitSha, commitMessage, commitAuthor } = tree;
    return { tree: tree.directory, commitSha, commitMessage, commitAuthor };
  } finally {
    await rm(keyDirectory, { recursive: true, force: true });
  }
}

/**
 * Lists the branches of a repository, for a request whose branch is not decided yet.
 * @throws JobFailure `source_refused`, `source_failed`; the signal's reason
 */
export async function branchesOf(
  request: Omit<CheckoutRequest, 'branch'>,
  log: JobLog,
  signal: AbortSignal,
): Promise<Branches> {
  const main = parseRepositoryUrl(request.url, { allowHttp: request.allowPrivate });
  const keyDirectory = join(request.directory, 'ssh');
  try {
    const fetching = await fetchingOf({ ...request, branch: '' }, main, { keyDirectory, log, signal });
    return await listBranches(fetching, main, join(request.directory, 'list'));
  } finally {
    await rm(keyDirectory, { recursive: true, force: true });
  }
}

/** The ref for `git fetch`, and its name in messages. A name that is not said to be a branch is found by git's own rules: tags before branches. */
function wantedOf({ branch, isRef = false }: CheckoutRequest): { ref: string; name: string } {
  if (!isRef) return { ref: `refs/heads/${checkBranch(branch)}`, name: `The branch "${branch}"` };
  const ref = checkRef(branch);
  if (isCommitId(ref)) return { ref, name: `The commit ${ref}` };
  return { ref, name: `The tag or branch "${ref}"` };
}

async function fetchingOf(
  request: CheckoutRequest,
  main: RepositoryUrl,
  { keyDirectory, log, signal }: { keyDirectory: string; log: JobLog; signal: AbortSignal },
): Promise<Fetching> {
  const { token, credential, knownHosts, allowPrivate } = request;
  const isKey = token !== null && main.protocol === 'ssh' && isSshKey(token);
  return {
    main,
    token,
    login: gitLogin(main, token, credential),
    keyFile: isKey ? await writeSshKey(keyDirectory, token) : null,
    knownHosts,
    allowPrivate,
    resolve: request.resolve ?? systemResolve,
    home: join(request.directory, 'home'),
    budget: new SourceBudget(request.limits),
    log,
    signal,
    deadline: AbortSignal.timeout(fetchTimeoutMs),
  };
}
