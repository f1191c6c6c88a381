/** The place of each kind of secret: one function per sealed column, so that encryption and decryption match. */
import { bucketSecretName } from '../domain/backups/backup-bucket.ts';
import { eventWebhookSecretName } from '../domain/instance/event-webhook.ts';
import type { SecretPlace } from './secret-envelope.ts';

export const variablePlace = (variableId: string): SecretPlace => ({
  table: 'variables',
  column: 'sealed_value',
  rowId: variableId,
});

/** Spec and variables of a dispatched deployment. */
export const snapshotPlace = (deploymentId: string): SecretPlace => ({
  table: 'deployments',
  column: 'sealed_snapshot',
  rowId: deploymentId,
});

export const gitTokenPlace = (serviceId: string): SecretPlace => ({
  table: 'services',
  column: 'sealed_git_token',
  rowId: serviceId,
});

/** The secret with which a git host signs its deliveries. */
export const webhookSecretPlace = (serviceId: string): SecretPlace => ({
  table: 'git_webhooks',
  column: 'sealed_secret',
  rowId: serviceId,
});

/** All mounted files of a service, as one list. */
export const serviceFilesPlace = (serviceId: string): SecretPlace => ({
  table: 'service_files',
  column: 'sealed_files',
  rowId: serviceId,
});

/** The URL of an import's source server; removed when the job has ended. */
export const importSourcePlace = (importId: string): SecretPlace => ({
  table: 'imports',
  column: 'sealed_source',
  rowId: importId,
});

/** The following secrets belong to the instance and are sealed with `sealForInstance`. */
export const dnsCredentialsPlace = (providerId: string): SecretPlace => ({
  table: 'dns_providers',
  column: 'sealed_credentials',
  rowId: providerId,
});

export const aiCredentialsPlace = (providerId: string): SecretPlace => ({
  table: 'ai_providers',
  column: 'sealed_credentials',
  rowId: providerId,
});

export const clientSecretPlace = (identityProviderId: string): SecretPlace => ({
  table: 'identity_providers',
  column: 'sealed_client_secret',
  rowId: identityProviderId,
});

export const registryPasswordPlace = (registryId: string): SecretPlace => ({
  table: 'registries',
  column: 'sealed_password',
  rowId: registryId,
});

export const gitCredentialPlace = (gitCredentialId: string): SecretPlace => ({
  table: 'git_credentials',
  column: 'sealed_token',
  rowId: gitCredentialId,
});

/** A certificate from the owner of a domain, with its key. */
export const ownCertificatePlace = (domainId: string): SecretPlace => ({
  table: 'own_certificates',
  column: 'sealed_certificate',
  rowId: domainId,
});

/** Private key and webhook secret of a GitHub App. */
export const gitHubSecretsPlace = (gitHubAppId: string): SecretPlace => ({
  table: 'github_apps',
  column: 'sealed_secrets',
  rowId: gitHubAppId,
});

/** Tokens and secret addresses of a receiver of notifications. */
export const channelConfigPlace = (channelId: string): SecretPlace => ({
  table: 'notification_channels',
  column: 'sealed_config',
  rowId: channelId,
});

/** The receiver of a log drain, with its headers and secrets. */
export const logDrainTargetPlace = (logDrainId: string): SecretPlace => ({
  table: 'log_drains',
  column: 'sealed_target',
  rowId: logDrainId,
});

/** The secret part of a key of encrypted backups. */
export const backupIdentityPlace = (backupKeyId: string): SecretPlace => ({
  table: 'backup_keys',
  column: 'sealed_identity',
  rowId: backupKeyId,
});

/** The secret with which event webhook deliveries are signed. */
export const eventWebhookSecretPlace: SecretPlace = {
  table: 'settings',
  column: 'value',
  rowId: eventWebhookSecretName,
};

/** The secret key of the operator's bucket. */
export const bucketSecretPlace: SecretPlace = {
  table: 'settings',
  column: 'value',
  rowId: bucketSecretName,
};

/** Responses stored for repeats: they may contain a token that is shown once and stored nowhere else. */
export const idempotentResponsePlace = (name: { keyId: string; idempotencyKey: string }): SecretPlace => ({
  table: 'idempotency_keys',
  column: 'response',
  rowId: `${name.keyId} ${name.idempotencyKey}`,
});
