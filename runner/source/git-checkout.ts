/** Brings one branch of a repository into a directory: the newest commit only, without its .git. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { JobLog } from '../job-log/job-log.ts';
import { type Resolve, systemResolve } from './address-guard.ts';
import { checkOutSubmodules, type SubmoduleWish } from './check-out-submodules.ts';
import { type Fetching, fetchTree } from './fetch-tree.ts';
import { fetchLargeFiles, warnOfPointers } from './large-files.ts';
import { checkBranch, parseRepositoryUrl, type RepositoryUrl } from './repository-url.ts';
import { SourceBudget, type SourceLimits } from './source-budget.ts';
import { isSshKey, writeSshKey } from './ssh-access.ts';

export interface CheckoutRequest {
  url: string;
  branch: string;
  /** An access token for https, or a private key for ssh. */
  token: string | null;
  /** Whether http and private addresses may be used. */
  allowPrivate: boolean;
  /** Must not exist; `tree` (the files) and `home` are made in it. */
  directory: string;
  /** File of the host keys that are pinned; kept between checkouts. */
  knownHosts: string;
  submodules?: SubmoduleWish;
  /** Whether files of Git LFS are fetched, or left the pointers that they are in the repository. */
  lfs?: boolean;
  resolve?: Resolve;
  limits?: SourceLimits;
}

export interface Checkout {
  /** Directory of the files. */
  tree: string;
  commitSha: string;
}

/** The job's deadline ends it first; this one is the last resort. */
const fetchTimeoutMs = 15 * 60_000;

/**
 * Checks a branch out. Progress goes to the log.
 * @throws JobFailure `source_refused`, `source_failed`; the signal's reason
 */
export async function checkOut(
  request: CheckoutRequest,
  log: JobLog,
  signal: AbortSignal,
): Promise<Checkout> {
  const main = parseRepositoryUrl(request.url, { allowHttp: request.allowPrivate });
  const branch = checkBranch(request.branch);
  const keyDirectory = join(request.directory, 'ssh');
  try {
    const fetching = await fetchingOf(request, main, { keyDirectory, log, signal });
    const wanted = { ref: `refs/heads/${branch}`, name: `The branch "${branch}"` };
    const tree = await fetchTree(fetching, main, wanted, join(request.directory, 'tree'));
    const inner = await checkOutSubmodules(fetching, tree, request.submodules ?? 'none');
    for (const one of [{ repository: main, tree }, ...inner]) {
      if (request.lfs) await fetchLargeFiles(fetching, one);
      else await warnOfPointers(one.tree, log);
    }
    return { tree: tree.directory, commitSha: tree.commitSha };
  } finally {
    await rm(keyDirectory, { recursive: true, force: true });
  }
}

async function fetchingOf(
  request: CheckoutRequest,
  main: RepositoryUrl,
  { keyDirectory, log, signal }: { keyDirectory: string; log: JobLog; signal: AbortSignal },
): Promise<Fetching> {
  const { token, knownHosts, allowPrivate } = request;
  const isKey = token !== null && main.protocol === 'ssh' && isSshKey(token);
  return {
    main,
    token,
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
