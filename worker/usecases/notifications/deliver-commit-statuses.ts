import { type CommitStatus, descriptionOf, repositoryOf } from '../../domain/commit-status/commit-status.ts';
import { type StatusApi, statusRequest } from '../../domain/commit-status/status-apis.ts';
import { ApiError } from '../../domain/errors.ts';
import { serviceUrls } from '../../domain/host-names.ts';
import { isRouted } from '../../domain/service-kind.ts';
import { type Settings, settingsOf } from '../../domain/settings.ts';
import { allowsPrivateFor, checkedWebhookUrl } from '../../domain/webhook-url.ts';
import { gitCredentialPlace } from '../../security/secret-places.ts';
import {
  type ClaimedStatuses,
  type CommitStatusRow,
  claimCommitStatuses,
  endCommitStatuses,
  type StatusEnd,
} from '../../store/commit-status-store.ts';
import type { SealedGitCredential } from '../../store/git-credential-store.ts';
import type { ServiceView } from '../../store/service-view-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { type GitHubNeeds, installationToken } from '../github/installation-token.ts';
import { post } from '../instance/send-event.ts';
import { credentialFor } from '../keys/git-credentials.ts';
import { repeatPass } from '../repeat-pass.ts';

type Needs = Pick<Dependencies, 'db' | 'webhookPosts' | 'newId'> & GitHubNeeds;

/** 10 requests in a run (see deliver-notifications). */
const sentPerPass = 5;
const passesMax = 2;
/** By the waits of `retryWaitsMs` the last one is about a day after the first. */
const attemptsMax = 12;

/**
 * Tells git hosts the state of deployments, as a status of their commit. Only the newest state of a commit is sent. A git host that is away
 * gets it later; one that refuses it does not, and the credential shows why.
 * @returns how many were claimed
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
  const context = contexts.find(({ deploymentId }) => deploymentId === row.deploymentId);
  const view = views.find(({ service }) => service.id === row.serviceId);
  const audit = { id: deps.newId('audit'), tenantId: context?.tenantId ?? '', at: deps.now() };
  const over = { row, isOver: true, credentialId: undefined, failure: null, audit };
  if (!context || !view) return over; // deleted in the meantime
  const credential = credentialFor(context.credentials, view.service.repoUrl);
  const repository = repositoryOf(view.service.repoUrl);
  // The id comes from a host, and becomes part of an address.
  if (!credential?.commitStatus || repository === undefined || !isCommitId(row.commitSha)) return over;
  const status: CommitStatus = {
    host: credential.host,
    repository,
    sha: row.commitSha,
    state: row.state,
    context: `longshore/${context.projectSlug}/${view.service.slug}`,
    description: descriptionOf(row.state, context.failure),
    url: addressOf(view),
  };
  const { failure, isFinal } = await send(
    deps,
    credential,
    credential.commitStatus,
    status,
    allowsPrivateFor(context.tenantId, settings),
  );
  const isOver = failure === null || isFinal || row.attempts >= attemptsMax;
  return { row, isOver, credentialId: credential.id, failure, audit };
}

async function send(
  deps: Needs,
  { id, host, sealedToken, app }: SealedGitCredential,
  api: StatusApi,
  status: CommitStatus,
  allowsPrivate: boolean,
): Promise<{ failure: string | null; isFinal: boolean }> {
  try {
    const token = app
      ? await installationToken(deps, app, { purpose: 'status', repository: status.repository })
      : await deps.envelope.openForInstance(gitCredentialPlace(id), sealedToken);
    if (token === undefined)
      return {
        failure: `The GitHub App ${app?.name} is not installed for ${status.repository}.`,
        isFinal: true,
      };
    const { url, headers, body } = statusRequest(api, status, token);
    checkedWebhookUrl(url, 'host', allowsPrivate);
    const all = { 'content-type': 'application/json', 'user-agent': 'Longshore', ...headers };
    const bytes = new TextEncoder().encode(JSON.stringify(body)) as Uint8Array<ArrayBuffer>;
    const reply = await post(deps, url, all, bytes);
    return { failure: reply.ok ? null : sentenceOf(host, reply), isFinal: isRefusal(reply.status) };
  } catch (error) {
    if (error instanceof ApiError) return { failure: error.message, isFinal: error.code !== 'unavailable' };
    console.error(`The commit status for ${host} was not sent:`, error instanceof Error ? error.name : '');
    return { failure: "The token can't be decrypted: store it again.", isFinal: true };
  }
}

const isCommitId = (text: string) => /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(text);

/** Another attempt would be refused as well. 408 and 429 ask for one. */
const isRefusal = (status: number | null) =>
  status !== null && status >= 300 && status < 500 && status !== 408 && status !== 429;

function sentenceOf(host: string, { status, detail }: { status: number | null; detail: string }): string {
  if (status === 401) return `${host} refused the token (HTTP 401): it is wrong, has expired or was revoked.`;
  if (status === 403 || status === 404)
    return `${host} does not let the token write commit statuses of the repository (HTTP ${status}).`;
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
