import { ApiError } from '../../domain/errors.ts';
import { webhookSecretPlace } from '../../security/secret-places.ts';
import { issueWebhookSecret } from '../../security/standard-webhook.ts';
import { putWebhook } from '../../store/git-webhook-store.ts';
import type { Dependencies } from '../dependencies.ts';
import type { SecretsOwner } from '../services/resolve-variables.ts';

/**
 * Gives a service a webhook, or the one it has a new secret: the old one proves nothing from then on.
 * @returns the secret, to be shown once.
 * @throws ApiError `unsupported` for services that are not built from a repository; `conflict` when it was transferred meanwhile.
 */
export async function renewWebhook(
  { db, envelope, fillRandom, now }: Dependencies,
  { service, project }: { service: { id: string; kind: string }; project: SecretsOwner },
): Promise<string> {
  if (service.kind !== 'git') {
    throw new ApiError(
      'unsupported',
      'Only services that are built from a git repository have a webhook: this one is deployed through the API.',
    );
  }
  const secret = issueWebhookSecret(fillRandom);
  const place = webhookSecretPlace(service.id);
  const sealedSecret = await envelope.seal(project.wrappedDataKey, project.id, place, secret);
  if (await putWebhook(db, project.id, { serviceId: service.id, sealedSecret, createdAt: now() }))
    return secret;
  throw new ApiError('conflict', 'The service was transferred or deleted meanwhile: try again.');
}
