/** Where each kind of secret lives: one function a sealed column, so that sealing and opening agree. */
import { bucketSecretName } from '../domain/backup-bucket.ts';
import { eventWebhookSecretName } from '../domain/event-webhook.ts';
import type { SecretPlace } from './secret-envelope.ts';

export const variablePlace = (variableId: string): SecretPlace => ({
  table: 'variables',
  column: 'sealed_value',
  rowId: variableId,
});

/** Spec and variables of a deployment as dispatched. */
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

/** What a git host signs its deliveries with. */
export const webhookSecretPlace = (serviceId: string): SecretPlace => ({
  table: 'git_webhooks',
  column: 'sealed_secret',
  rowId: serviceId,
});

/** URL of the server that an import reads, until its job has ended. */
export const importSourcePlace = (importId: string): SecretPlace => ({
  table: 'imports',
  column: 'sealed_source',
  rowId: importId,
});

/** Secrets of the instance: sealed with `sealForInstance`. */
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

/** What the deliveries of the event webhook are signed with. */
export const eventWebhookSecretPlace: SecretPlace = {
  table: 'settings',
  column: 'value',
  rowId: eventWebhookSecretName,
};

/** The secret key of the bucket that the operator has set. */
export const bucketSecretPlace: SecretPlace = {
  table: 'settings',
  column: 'value',
  rowId: bucketSecretName,
};

/** Answers that are kept for repeats: a token in one is shown once, and stored nowhere else. */
export const idempotentResponsePlace = (name: { keyId: string; idempotencyKey: string }): SecretPlace => ({
  table: 'idempotency_keys',
  column: 'response',
  rowId: `${name.keyId} ${name.idempotencyKey}`,
});
