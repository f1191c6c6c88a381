import { ApiError } from '../../domain/errors.ts';
import { webhookSecretPlace } from '../../security/secret-places.ts';
import { issueWebhookSecret } from '../../security/standard-webhook.ts';
import { putWebhook } from '../../store/sources/git-webhook-store.ts';
import type { Dependencies } from '../dependencies.ts';
import type { SecretsOwner } from '../services/resolve-variables.ts';

/**
 * Creates the webhook of a service, or gives it a new secret, which invalidates the old one.
 * @returns the secret, to be shown once
 * @throws ApiError `unsupported` for services without a repository; `conflict` if the service has been transferred since
 */
export async function renewWebhook(
  { db, envelope, fillRandom, now }: Dependencies,
  { service, project }: { service: { id: string; kind: string }; project: SecretsOwner },
): Promise<string> {
  if (service.kind !== 'git') {
    throw new ApiError(
      'unsupported',
      'Only services with a git repository can have a webhook: deploy this one through the API.',
    );
  }
  const secret = issueWebhookSecret(fillRandom);
  const place = webhookSecretPlace(service.id);
  const sealedSecret = await envelope.seal(project.wrappedDataKey, project.id, place, secret);
  if (await putWebhook(db, project.id, { serviceId: service.id, sealedSecret, createdAt: now() }))
    return secret;
  throw new ApiError('conflict', 'The service was transferred or deleted in the meantime: try again.');
}
