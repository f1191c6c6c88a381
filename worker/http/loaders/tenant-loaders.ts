/** Loaders of a tenant's resources other than services: keys, people, credentials, alerts and receivers. */
import { type ApiKeyRow, selectMadeKey } from '../../store/access/api-key-store.ts';
import { type IdentityView, selectIdentityOfCaller } from '../../store/access/identity-store.ts';
import { type MemberView, selectScopedMember } from '../../store/access/member-store.ts';
import { type PasskeyRow, selectPasskeyOfCaller } from '../../store/access/passkey-store.ts';
import { type SessionRow, selectOwnSession } from '../../store/access/session-store.ts';
import { selectScopedTrustPolicy, type TrustPolicyView } from '../../store/access/trust-policy-store.ts';
import { type AlertRuleRow, selectScopedAlertRule } from '../../store/alerts/alert-rule-store.ts';
import { type AlertRow, selectScopedAlert } from '../../store/alerts/alert-store.ts';
import { type ChannelRow, selectScopedChannel } from '../../store/alerts/notification-channel-store.ts';
import { type BackupKeyRow, selectScopedBackupKey } from '../../store/backups/backup-key-store.ts';
import { type LogDrainRow, selectScopedLogDrain } from '../../store/logs/log-drain-store.ts';
import {
  type GitCredentialRow,
  selectScopedGitCredential,
} from '../../store/sources/git-credential-store.ts';
import {
  type GitHubAppRow,
  selectScopedGitHubApp,
  selectSignedGitHubApp,
} from '../../store/sources/github-app-store.ts';
import { type RegistryRow, selectScopedRegistry } from '../../store/sources/registry-store.ts';
import type { KeyMaker } from '../../store/sql/scoped-store.ts';
import { ofAnyone, ofKey, ofTenant } from './loader.ts';

export interface LoadedKey {
  key: ApiKeyRow;
  /** The key or member that created it. */
  maker: KeyMaker | null;
  /** Ids of the chosen projects as a JSON array. */
  projectIds: string[];
}
export interface LoadedLogDrain {
  drain: LogDrainRow;
  tenantId: string;
}
interface LoadedGitHubApp {
  gitHubApp: GitHubAppRow;
}

/** A key that the caller has created. */
export const madeKeyResource = ofKey<LoadedKey>('key made by this one', ['keyId'], selectMadeKey, ofTenant);
/** A session of the caller's key. */
export const ownSessionResource = ofKey<SessionRow>('session', ['sessionId'], selectOwnSession, ofTenant);
/** Finds a member, for owners. */
export const memberResource = ofKey<MemberView>('member', ['memberId'], selectScopedMember, ofTenant);
/** Finds an identity of the member whose session calls. */
export const identityResource = ofKey<IdentityView>(
  'identity',
  ['identityId'],
  selectIdentityOfCaller,
  ofTenant,
);
/** Finds a passkey of the member whose session calls. */
export const passkeyResource = ofKey<{ passkey: PasskeyRow }>(
  'passkey',
  ['passkeyId'],
  selectPasskeyOfCaller,
  ofTenant,
);
export const backupKeyResource = ofKey<{ backupKey: BackupKeyRow }>(
  'backup key',
  ['backupKeyId'],
  selectScopedBackupKey,
  ofTenant,
);
export const registryResource = ofKey<{ registry: RegistryRow }>(
  'registry',
  ['registryId'],
  selectScopedRegistry,
  ofTenant,
);
export const gitCredentialResource = ofKey<{ gitCredential: GitCredentialRow }>(
  'gitCredential',
  ['gitCredentialId'],
  selectScopedGitCredential,
  ({ gitCredential }) => gitCredential.projectId,
);
export const gitHubAppResource = ofKey<LoadedGitHubApp>(
  'GitHub App',
  ['githubAppId'],
  selectScopedGitHubApp,
  ofTenant,
);
/** Finds a GitHub App for deliveries that are signed with its secret. */
export const signedGitHubAppResource = ofAnyone<LoadedGitHubApp>(
  'signed',
  'GitHub App',
  'githubAppId',
  selectSignedGitHubApp,
);
/** Finds an alert about a service that the key may see, or about its tenant. */
export const alertResource = ofKey<{ alert: AlertRow }>(
  'alert',
  ['alertId'],
  selectScopedAlert,
  ({ alert }) => alert.projectId || null,
);
export const alertRuleResource = ofKey<{ rule: AlertRuleRow }>(
  'alertRule',
  ['ruleId'],
  selectScopedAlertRule,
  ({ rule }) => rule.projectId,
);
export const notificationChannelResource = ofKey<{ channel: ChannelRow }>(
  'notificationChannel',
  ['channelId'],
  selectScopedChannel,
  ({ channel }) => channel.projectId,
);
export const logDrainResource = ofKey<LoadedLogDrain>(
  'logDrain',
  ['logDrainId'],
  selectScopedLogDrain,
  ({ drain }) => drain.projectId,
);
export const trustPolicyResource = ofKey<TrustPolicyView>(
  'trustPolicy',
  ['trustPolicyId'],
  selectScopedTrustPolicy,
  ({ policy }) => policy.projectId,
);
