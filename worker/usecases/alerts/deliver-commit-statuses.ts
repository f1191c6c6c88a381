import { ApiError } from '../../domain/errors.ts';
import { type Settings, settingsOf } from '../../domain/instance/settings.ts';
import { serviceUrls } from '../../domain/names/host-names.ts';
import { allowsPrivateFor, checkedWebhookUrl } from '../../domain/names/webhook-url.ts';
import { isRouted } from '../../domain/services/service-kind.ts';
import {
  type CommitStatus,
  contextPrefix,
  descriptionOf,
  repositoryOf,
} from '../../domain/sources/commit-status/commit-status.ts';
import { type StatusApi, statusRequest } from '../../domain/sources/commit-status/status-apis.ts';
import { credentialFor } from '../../domain/sources/credential-for.ts';
import { gitCredentialPlace } from '../../security/secret-places.ts';
import type { ServiceView } from '../../store/services/service-view-store.ts';
import {
  type ClaimedStatuses,
  type CommitStatusRow,
  claimCommitStatuses,
  endCommitStatuses,
  type StatusEnd,
} from '../../store/sources/commit-status-store.ts';
import type { SealedGitCredential } from '../../store/sources/git-credential-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { repeatPass } from '../repeat-pass.ts';
import { type GitHubNeeds, installationToken } from '../sources/installation-token.ts';
import { type Delivery, post } from './send-event.ts';

type Needs = Pick<Dependencies, 'db' | 'webhookPosts' | 'newId'> & GitHubNeeds;

/** Limits a run to 10 requests (see deliver-notifications). */
const sentPerPass = 5;
const passesMax = 2;
/** With the waits of `retryWaitsMs` the last attempt is about a day after the first. */
const attemptsMax = 12;

/**
 * Reports the state of deployments to git hosts, as a status of their commit. Only the newest state of a commit is sent. An unreachable git
 * host gets it later; after a refusal there is no retry, and the credential shows the reason.
 * @returns number of claimed statuses
 */
export async function deliverCommitStatuses(deps: Needs): Promise<number> {
  let claimed = 0;
  await repeatPass(deps, passesMax, async () => {
    const found = await claimCommitStatuses(deps.db, { now: deps.now(), limit: sentPerPass });
    const settings = settingsOf(found.settings);
    const ends = await Promise.all(found.rows.map((row) => deliver(deps, row, found, settings)));
    await endCommitStatuses(deps.db, ends);
    claimed += found.rows.length;
    return found.rows.length === sentPerPass;
  });
  return claimed;
}

async function deliver(
  deps: Needs,
  row: CommitStatusRow,
  { contexts, views }: ClaimedStatuses,
  settings: Settings,
): Promise<StatusEnd> {
  const context = contexts.find(
    ({ deploymentId, serviceId }) => deploymentId === row.deploymentId && serviceId === row.serviceId,
  );
  const view = views.find(({ service }) => service.id === row.serviceId);
  const audit = { id: deps.newId('audit'), tenantId: context?.tenantId ?? '', at: deps.now() };
  const over = { row, isOver: true, credentialId: undefined, failure: null, waitsUntil: null, audit };
  if (!context || !view) return over; // deleted since
  const credential = credentialFor(context.credentials, view.service.repoUrl);
  const repository = repositoryOf(view.service.repoUrl);
  // The commit id is from a host, and becomes part of a URL, so it is checked.
  if (!credential?.commitStatus || repository === undefined || !isCommitId(row.commitSha)) return over;
  const status: CommitStatus = {
    host: credential.host,
    repository,
    sha: row.commitSha,
    state: row.state,
    context: `${contextPrefix}${context.projectSlug}/${view.service.slug}`,
    description: descriptionOf(row.state, context.failure),
    url: addressOf(view),
  };
  const { failure, isFinal, waitMs } = await send(
    deps,
    credential,
    credential.commitStatus,
    status,
    allowsPrivateFor(context.tenantId, settings),
  );
  const isOver = failure === null || isFinal || row.attempts >= attemptsMax;
  const waitsUntil = waitMs === null ? null : deps.now() + waitMs;
  return { row, isOver, credentialId: credential.id, failure, waitsUntil, audit };
}

interface Sent {
  failure: string | null;
  /** Whether another attempt would be refused as well. */
  isFinal: boolean;
  /** The wait that the git host requests before the next attempt. */
  waitMs: number | null;
}

async function send(
  deps: Needs,
  { id, host, sealedToken, app }: SealedGitCredential,
  api: StatusApi,
  status: CommitStatus,
  allowsPrivate: boolean,
): Promise<Sent> {
  try {
    const token = app
      ? await installationToken(deps, app, { purpose: 'status', repository: status.repository })
      : await deps.envelope.openForInstance(gitCredentialPlace(id), sealedToken);
    if (token === undefined)
      return {
        failure: `The GitHub App ${app?.name} is not installed for ${status.repository}.`,
        isFinal: true,
        waitMs: null,
      };
    const { url, headers, body } = statusRequest(api, status, token);
    checkedWebhookUrl(url, 'host', allowsPrivate);
    const all = { 'content-type': 'application/json', 'user-agent': 'Longshore', ...headers };
    const bytes = new TextEncoder().encode(JSON.stringify(body)) as Uint8Array<ArrayBuffer>;
    const reply = await post(deps, url, all, bytes, allowsPrivate);
    return outcomeOf(host, api, reply);
  } catch (error) {
    if (error instanceof ApiError)
      return { failure: error.message, isFinal: error.code !== 'unavailable', waitMs: null };
    console.error(`The commit status for ${host} was not sent:`, error instanceof Error ? error.name : '');
    return { failure: "The token can't be decrypted: store it again.", isFinal: true, waitMs: null };
  }
}

const isCommitId = (text: string) => /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(text);

function outcomeOf(host: string, api: StatusApi, reply: Delivery): Sent {
  const { ok, status, waitMs = null } = reply;
  if (ok || isKnownAlready(api, reply)) return { failure: null, isFinal: true, waitMs: null };
  const isLimited = status === 429 || (status === 403 && (waitMs !== null || saysLimit(reply)));
  if (isLimited)
    return { failure: `${host} takes no more requests for now (HTTP ${status}).`, isFinal: false, waitMs };
  // 408 demands another attempt.
  const isFinal = status !== null && status >= 300 && status < 500 && status !== 408;
  return { failure: sentenceOf(host, reply), isFinal, waitMs };
}

/** GitLab refuses to set pending or running again, for example after a lost answer. */
const isKnownAlready = (api: StatusApi, { status, words }: Delivery) =>
  api === 'gitlab' && status === 400 && words?.includes('Cannot transition status') === true;

/** GitHub's secondary limits may have no header. */
const saysLimit = ({ words }: Delivery) => words !== undefined && /\brate limit\b/i.test(words);

function sentenceOf(host: string, { status, detail }: Delivery): string {
  if (status === 401) return `${host} refused the token (HTTP 401): it is wrong, has expired or was revoked.`;
  if (status === 403 || status === 404)
    return `${host} does not let the token write commit statuses of the repository (HTTP ${status}).`;
  if (status === 422)
    return `${host} does not take the status (HTTP 422): it does not have the commit, or the commit has as many statuses as it can have.`;
  return status === null ? detail : `${host} answered with HTTP ${status}.`;
}

function addressOf({ service, facts, preferredDomain }: ServiceView): string | null {
  const { hostPort, generatedHostname } = service;
  const { primaryUrl } = serviceUrls(
    { isRouted: isRouted(service), hostPort, generatedHostname },
    preferredDomain,
    facts,
  );
  return primaryUrl === '' ? null : primaryUrl;
}
