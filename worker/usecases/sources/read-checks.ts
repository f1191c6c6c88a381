/** Reads the checks of a commit at its git host. */
import { ApiError } from '../../domain/errors.ts';
import { checkedWebhookUrl } from '../../domain/names/webhook-url.ts';
import {
  type CheckApi,
  type CheckList,
  type CommitPlace,
  checkApis,
  pagesMax,
} from '../../domain/sources/commit-checks/check-apis.ts';
import { type CheckReader, checkReaderOf } from '../../domain/sources/commit-checks/check-reader.ts';
import type { Check } from '../../domain/sources/commit-checks/commit-checks.ts';
import { isSshKeyText } from '../../domain/sources/ssh-key.ts';
import { type GitHostAnswer, GitHostFailure } from '../../gateways/git-host-reads.ts';
import { gitCredentialPlace, gitTokenPlace } from '../../security/secret-places.ts';
import type { ClaimedPush } from '../../store/sources/awaited-push-store.ts';
import type { SealedGitCredential } from '../../store/sources/git-credential-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { type GitHubNeeds, installationToken } from './installation-token.ts';

export type CheckNeeds = Pick<Dependencies, 'gitHostReads'> & GitHubNeeds;

export type ReadChecks =
  | { checks: Check[] }
  /** The host gave no answer or wants to be asked later. @property waitMs null: it names no time */
  | { later: string; waitMs: number | null }
  /** Reading is refused or impossible, with the way out. */
  | { unread: string };

/** A host that is busy, without a time. */
const busyMs = 5 * 60_000;

/** @param allowsPrivate whether the host may be a private address. Never throws for a failure of the host */
export async function readChecks(
  deps: CheckNeeds,
  { push, service, project, credentials }: ClaimedPush,
  allowsPrivate: boolean,
): Promise<ReadChecks> {
  const reader = checkReaderOf(service.repoUrl, credentials, service.sealedGitToken !== null);
  if ('missing' in reader) return { unread: reader.missing };
  try {
    const token = await tokenOf(deps, reader, { push, service, project });
    if ('unread' in token) return token;
    const { host, path: repository } = reader.place;
    const place = { host, repository, sha: push.commitSha };
    const lists = checkApis[reader.api].lists(place);
    const headers = checkApis[reader.api].headers(token.token);
    const read = await Promise.all(
      lists.map((list) => readList(deps, list, { headers, host, allowsPrivate })),
    );
    return joined(read);
  } catch (error) {
    if (error instanceof GitHostFailure) return { later: error.message, waitMs: null };
    if (!(error instanceof ApiError)) throw error;
    return error.code === 'unavailable' ? { later: error.message, waitMs: null } : { unread: error.message };
  }
}

/** @throws ApiError of the GitHub App */
async function tokenOf(
  deps: CheckNeeds,
  { credential, place }: CheckReader<SealedGitCredential>,
  { push, service, project }: Pick<ClaimedPush, 'push' | 'service' | 'project'>,
): Promise<{ token: string } | { unread: string }> {
  const { sealedGitToken } = service;
  if (credential) {
    const token = await tokenOfCredential(deps, credential, place.path);
    if (token !== undefined) return token;
  }
  if (sealedGitToken === null)
    return {
      unread: `The GitHub App ${credential?.app?.name} is not installed for ${place.path}: choose the repository in its installation.`,
    };
  const own = await opened(() =>
    deps.envelope.open(project.wrappedDataKey, project.id, gitTokenPlace(push.serviceId), sealedGitToken),
  );
  return 'token' in own && isSshKeyText(own.token)
    ? {
        unread: `The service has a deploy key, which reads no checks. Connect a GitHub App, or store a git credential for ${place.host} with "commitStatus" (POST /api/git-credentials).`,
      }
    : own;
}

/** @returns undefined if the GitHub App is not installed for the repository */
async function tokenOfCredential(
  deps: CheckNeeds,
  { id, app, sealedToken }: SealedGitCredential,
  repository: string,
): Promise<{ token: string } | { unread: string } | undefined> {
  if (!app) return opened(() => deps.envelope.openForInstance(gitCredentialPlace(id), sealedToken));
  const token = await installationToken(deps, app, { purpose: 'checks', repository });
  return token === undefined ? undefined : { token };
}

async function opened(open: () => Promise<string>): Promise<{ token: string } | { unread: string }> {
  try {
    return { token: await open() };
  } catch (error) {
    console.error('A git token was not decrypted:', error instanceof Error ? error.name : '');
    return { unread: "The token can't be decrypted: store it again." };
  }
}

interface Access {
  headers: ReturnType<CheckApi['headers']>;
  host: CommitPlace['host'];
  allowsPrivate: boolean;
}

/** @throws GitHostFailure; ApiError for a private address */
async function readList(deps: CheckNeeds, list: CheckList, access: Access): Promise<ReadChecks> {
  const checks: Check[] = [];
  for (let page = 1; page <= pagesMax; page++) {
    const url = checkedWebhookUrl(list.url(page), 'repoUrl', access.allowsPrivate);
    const answer = await deps.gitHostReads.get(url, access.headers, access.allowsPrivate);
    const problem = problemOf(access.host, answer);
    if (problem) return problem;
    const read = pageOf(list, answer);
    if (!read) return { later: `${access.host} gave an answer that was not understood.`, waitMs: null };
    checks.push(...read.checks);
    if (read.found < list.perPage) return { checks };
  }
  if (checks.some(({ result }) => result === 'red')) return { checks };
  const read = list.perPage * pagesMax;
  return {
    unread: `The commit has more than ${read} checks, and no more than these are read. Deploy the commit by hand.`,
  };
}

function pageOf(list: CheckList, { body }: GitHostAnswer): ReturnType<CheckList['read']> | undefined {
  try {
    return list.read(body);
  } catch {
    return undefined;
  }
}

/** A red check decides, even if another list was not read. */
function joined(read: readonly ReadChecks[]): ReadChecks {
  const checks = read.flatMap((one) => ('checks' in one ? one.checks : []));
  if (checks.some(({ result }) => result === 'red')) return { checks };
  return read.find((one) => 'unread' in one) ?? read.find((one) => 'later' in one) ?? { checks };
}

/** @returns undefined for an answer that can be read */
function problemOf(host: string, { status, body, waitMs }: GitHostAnswer): ReadChecks | undefined {
  if (status >= 200 && status < 300) return undefined;
  const isLimited = status === 429 || (status === 403 && (waitMs !== null || saysLimit(body)));
  if (isLimited)
    return { later: `${host} takes no more requests for now (HTTP ${status}).`, waitMs: waitMs ?? busyMs };
  if (status >= 500 || status === 408) return { later: `${host} answered with HTTP ${status}.`, waitMs };
  if (status === 401)
    return {
      unread: `${host} refused the token (HTTP 401): it is wrong, has expired or was revoked. Store another one.`,
    };
  if (status === 403 || status === 404)
    return {
      unread: `${host} does not let the token read the checks of the repository (HTTP ${status}). Give the token that right, or deploy the commit by hand.`,
    };
  if (status === 422) return { unread: `${host} does not have the commit (HTTP 422). Push again.` };
  return { unread: `${host} answered with HTTP ${status}. Deploy the commit by hand.` };
}

/** GitHub's secondary limits may have no header. */
const saysLimit = (body: unknown) => /\brate limit\b/i.test(JSON.stringify(body) ?? '');
