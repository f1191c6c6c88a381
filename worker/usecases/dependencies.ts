/** The dependencies of use cases. context.ts builds them from the Worker's `env`. */
import type { IdKind } from '../../protocol/ids.ts';
import type { Initiator } from '../domain/access/initiator.ts';
import type { BucketAccess, BucketTrouble } from '../domain/backups/backup-bucket.ts';
import type { AccountAnalytics } from '../gateways/account-analytics.ts';
import type { LanguageModels } from '../gateways/ai/language-models.ts';
import type { Blobs } from '../gateways/blobs/blobs.ts';
import type { DnsProviders } from '../gateways/dns/index.ts';
import type { LookUpTxt } from '../gateways/dns/txt-records.ts';
import type { GitHostReads } from '../gateways/git-host-reads.ts';
import type { GitHubApi } from '../gateways/github-api.ts';
import type { GitHubTokens } from '../gateways/github-tokens.ts';
import type { CiIssuers } from '../gateways/identity/ci-issuers.ts';
import type { IdentityServers } from '../gateways/identity/identity-servers.ts';
import type { LogStreams } from '../gateways/log-streams.ts';
import type { LogWriters } from '../gateways/log-writers.ts';
import type { RunnerHubs } from '../gateways/runner-hubs.ts';
import type { RuntimeLogs } from '../gateways/runtime-logs.ts';
import type { Shells } from '../gateways/shells.ts';
import type { Mails } from '../gateways/smtp/mails.ts';
import type { Transfers } from '../gateways/transfers.ts';
import type { WebhookPosts } from '../gateways/webhook-posts.ts';
import type { Fingerprint, IsFingerprint } from '../security/fingerprint.ts';
import type { OperatorProofs } from '../security/operator-token.ts';
import type { SecretEnvelope } from '../security/secret-envelope.ts';
import type { Database } from '../store/sql/database.ts';

export interface Dependencies {
  db: Database;
  hubs: RunnerHubs;
  logs: LogStreams;
  runtimeLogs: RuntimeLogs;
  logWriters: LogWriters;
  transfers: Transfers;
  shells: Shells;
  blobs: Blobs;
  /** Tests a bucket before it is set: why it does not work, or null. */
  tryBucket(bucket: BucketAccess): Promise<BucketTrouble | null>;
  dns: DnsProviders;
  /** Looks up TXT records in the public DNS. Never rejects. */
  lookUpTxt: LookUpTxt;
  ai: LanguageModels;
  webhookPosts: WebhookPosts;
  mails: Mails;
  identityServers: IdentityServers;
  ciIssuers: CiIssuers;
  /** Undefined if its secrets are not set. */
  accountAnalytics: AccountAnalytics | undefined;
  gitHub: GitHubApi;
  /** Valid tokens that this isolate has created. */
  gitHubTokens: GitHubTokens;
  /** Reads checks of commits at git hosts. */
  gitHostReads: GitHostReads;
  /** The Worker variable PAUSED is set: hosts can't connect and no scheduled work runs, so that the database can be restored to an earlier time. */
  isPaused: boolean;
  /** The address of an embedded control plane for hosts on other machines; undefined if it is the usual address. */
  hostsUrl: string | undefined;
  envelope: SecretEnvelope;
  /** Compares with the Worker secrets OPERATOR_TOKEN and OPERATOR_TOKEN_PREVIOUS in constant time. */
  isOperatorToken(presented: string): Promise<boolean>;
  /** Proofs of the operator's sessions. They end with the operator token. */
  operatorProofs: OperatorProofs;
  /** Keyed hash of a client address or a request, stored instead of the original to recognise it. */
  fingerprint: Fingerprint;
  /** Whether a stored hash matches. */
  isFingerprint: IsFingerprint;
  /** The release that hosts get from this control plane, in the form of their reports; `null` if unknown. */
  hostRelease: string | null;
  /** Who acts: the caller of the request; outside of requests the platform. */
  initiator: Initiator;
  /** Epoch milliseconds. */
  now(): number;
  /** The mark of this installation in ids and tokens (protocol/ids). */
  cell: string;
  newId(kind: IdKind): string;
  /** Random bytes for tokens. */
  fillRandom(bytes: Uint8Array<ArrayBuffer>): void;
}
