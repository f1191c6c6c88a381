import { cellPattern, newId } from '../protocol/ids.ts';
import { platform } from './domain/access/initiator.ts';
import { type Env, isPaused } from './env.ts';
import { createAccountAnalytics } from './gateways/account-analytics.ts';
import { createLanguageModels } from './gateways/ai/language-models.ts';
import { createBlobs } from './gateways/blobs/create-blobs.ts';
import { tryBucket } from './gateways/blobs/s3-trouble.ts';
import { createDnsProviders, type Outside } from './gateways/dns/index.ts';
import { createLookUpTxt } from './gateways/dns/txt-records.ts';
import { createGitHostReads } from './gateways/git-host-reads.ts';
import { createGitHubApi } from './gateways/github-api.ts';
import { createGitHubTokens } from './gateways/github-tokens.ts';
import { createCiIssuers, createKnownIssuers } from './gateways/identity/ci-issuers.ts';
import { createIdentityServers } from './gateways/identity/identity-servers.ts';
import { createKeySets } from './gateways/identity/key-sets.ts';
import { createKnownMetadata } from './gateways/identity/known-metadata.ts';
import { createLogStreams } from './gateways/log-streams.ts';
import { createLogWriters } from './gateways/log-writers.ts';
import { networks } from './gateways/networks.ts';
import { createRunnerHubs } from './gateways/runner-hubs.ts';
import { createRuntimeLogs } from './gateways/runtime-logs.ts';
import { createShells } from './gateways/shells.ts';
import { createMails } from './gateways/smtp/mails.ts';
import { createTransfers } from './gateways/transfers.ts';
import { createWebhookPosts } from './gateways/webhook-posts.ts';
import { createFingerprint, createFingerprintCheck } from './security/fingerprint.ts';
import { operatorProofs, operatorTokenCheck } from './security/operator-token.ts';
import { createSecretEnvelope } from './security/secret-envelope.ts';
import { openDatabase } from './store/sql/database.ts';
import { readBackupBucket } from './usecases/backups/read-backup-bucket.ts';
import type { Dependencies } from './usecases/dependencies.ts';
import { askTxtFromHost } from './usecases/domains/check-verification.ts';
import { findNamecheapHost } from './usecases/domains/find-namecheap-host.ts';

/** Time limit for calls to outside services that a client waits for. */
const outsideTimeLimitMs = 10_000;

/** From the connection to a mail server to its answer: some wait before they greet. */
const mailTimeLimitMs = 20_000;

/** Shared by the isolate: dependencies are created for each request. */
const gitHubTokens = createGitHubTokens();

/** Pause between two fetches of a provider's keys: invented key ids cause no more requests than this. */
const keySetCooldownMs = 30_000;
const keySets = createKeySets(keySetCooldownMs);
const metadataLimits = {
  ...{ keepMs: 600_000, keepFailureMs: 5_000 },
  // A little longer than the fetch itself may take.
  ...{ waitMs: outsideTimeLimitMs + 2_000, now: Date.now },
};
const metadata = createKnownMetadata(metadataLimits);
/** Apart from those of sign-ins: tenants name these issuers, and many of them must not push out the operator's providers. */
const ciKeySets = createKeySets(keySetCooldownMs);
const ciMetadata = createKnownIssuers(metadataLimits);

/** Builds the use cases' dependencies from the Worker's bindings. Cheap and stateless: created per request, cron run and object. */
export function createDependencies(env: Env): Dependencies {
  const db = openDatabase(env.DB);
  const cell = cellOf(env);
  const hubs = createRunnerHubs(env.RUNNER_HUB);
  const { ENCRYPTION_KEY: current, ENCRYPTION_KEY_PREVIOUS: previous } = env;
  const envelope = createSecretEnvelope({ current, previous }, fillRandom);
  const fingerprint = createFingerprint(current);
  const { open, inner } = networks(env.INNER_NETWORK);
  return {
    db,
    hubs,
    logs: createLogStreams(env.LOG_STREAM),
    runtimeLogs: createRuntimeLogs(env.RUNTIME_LOG),
    logWriters: createLogWriters(env),
    transfers: createTransfers(env.TRANSFER),
    shells: createShells(env.SHELL),
    blobs: createBlobs({
      r2: env.BLOBS,
      setBucket: () => readBackupBucket({ db, envelope }),
      fetch: inner.fetch,
    }),
    tryBucket: (bucket) => tryBucket(bucket, inner.fetch),
    dns: createDnsProviders(outside, (credentials) => findNamecheapHost({ db, hubs }, credentials)),
    lookUpTxt: createLookUpTxt({ fetch: (request) => fetch(request), askHost: askTxtFromHost({ db, hubs }) }),
    ai: createLanguageModels(inner.fetch),
    webhookPosts: createWebhookPosts(open.fetch, outsideTimeLimitMs, inner.fetch),
    mails: createMails(open.connect, mailTimeLimitMs, inner.connect),
    identityServers: createIdentityServers({
      ...{ fetch: open.fetch, innerFetch: inner.fetch },
      ...{ keySets, metadata, timeLimitMs: outsideTimeLimitMs, now: Date.now },
    }),
    ciIssuers: createCiIssuers({
      ...{ fetch: open.fetch, innerFetch: inner.fetch },
      ...{ keySets: ciKeySets, metadata: ciMetadata, timeLimitMs: outsideTimeLimitMs },
    }),
    accountAnalytics: createAccountAnalytics(outside, {
      accountId: env.CLOUDFLARE_ACCOUNT_ID,
      token: env.CLOUDFLARE_ANALYTICS_TOKEN,
    }),
    gitHub: createGitHubApi(open.fetch, outsideTimeLimitMs, inner.fetch),
    gitHubTokens,
    gitHostReads: createGitHostReads(open.fetch, outsideTimeLimitMs, inner.fetch),
    isPaused: isPaused(env),
    hostsUrl: env.HOSTS_URL,
    envelope,
    isOperatorToken: operatorTokenCheck(env.OPERATOR_TOKEN, env.OPERATOR_TOKEN_PREVIOUS),
    operatorProofs: operatorProofs(env.OPERATOR_TOKEN, env.OPERATOR_TOKEN_PREVIOUS),
    fingerprint,
    isFingerprint: createFingerprintCheck(fingerprint, ...(previous ? [createFingerprint(previous)] : [])),
    hostRelease: env.HOST_RELEASE || null,
    initiator: platform,
    now: Date.now,
    cell,
    newId: (kind) => newId(kind, fillRandom, cell),
    fillRandom,
  };
}

const outside: Outside = {
  fetch: (request) => fetch(request),
  pause: (ms) => scheduler.wait(ms),
  timeLimitMs: outsideTimeLimitMs,
};

function fillRandom(bytes: Uint8Array<ArrayBuffer>): void {
  crypto.getRandomValues(bytes);
}

/** @throws Error for a mark that no id could begin with. */
function cellOf({ CELL: cell = '' }: Env): string {
  if (cell === '' || cellPattern.test(cell)) return cell;
  throw new Error('The Worker variable CELL must be two lower-case letters or digits.');
}
