/** What use cases need from outside. context.ts builds it from the Worker's `env`. */
import type { IdKind } from '../../protocol/ids.ts';
import type { BucketAccess, BucketTrouble } from '../domain/backups/backup-bucket.ts';
import type { AccountAnalytics } from '../gateways/account-analytics.ts';
import type { LanguageModels } from '../gateways/ai/language-models.ts';
import type { Blobs } from '../gateways/blobs/blobs.ts';
import type { DnsProviders } from '../gateways/dns/index.ts';
import type { LookUpTxt } from '../gateways/dns/txt-records.ts';
import type { GitHubApi } from '../gateways/github-api.ts';
import type { GitHubTokens } from '../gateways/github-tokens.ts';
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
  /** Undefined: its secrets are not set. */
  accountAnalytics: AccountAnalytics | undefined;
  gitHub: GitHubApi;
  /** Those that this isolate has made and that are still valid. */
  gitHubTokens: GitHubTokens;
  /** The Worker variable PAUSED is set: hosts are not let in and nothing scheduled runs, so that the database can be put back. */
  isPaused: boolean;
  /** Where hosts on other machines reach an embedded control plane; undefined: where everybody does. */
  hostsUrl: string | undefined;
  envelope: SecretEnvelope;
  /** Compares with the Worker secrets OPERATOR_TOKEN and OPERATOR_TOKEN_PREVIOUS in constant time. */
  isOperatorToken(presented: string): Promise<boolean>;
  /** Proofs of the operator's sessions. They end with the operator token. */
  operatorProofs: OperatorProofs;
  /** Keyed hash of a client address or a request, which is stored instead of the original to recognise it again. */
  fingerprint: Fingerprint;
  /** Recognises it again. */
  isFingerprint: IsFingerprint;
  /** The release that hosts get from this control plane, as they report theirs; null: unknown. */
  hostRelease: string | null;
  /** Epoch milliseconds. */
  now(): number;
  /** The mark of this installation in ids and tokens (protocol/ids). */
  cell: string;
  newId(kind: IdKind): string;
  /** Random bytes for tokens. */
  fillRandom(bytes: Uint8Array<ArrayBuffer>): void;
}
