import { webhookSecretPlace } from '../../security/secret-places.ts';
import { verifyDelivery } from '../../security/webhook-signature.ts';
import type { Dependencies } from '../dependencies.ts';
import type { SecretsOwner } from '../services/resolve-variables.ts';

export interface SignedService {
  service: { id: string };
  project: SecretsOwner;
  sealedSecret: string;
}

/**
 * Whether a delivery was signed with the service's secret.
 * @throws Error if the stored secret can't be decrypted
 */
export async function verifyDeliveryOf(
  { envelope, now }: Pick<Dependencies, 'envelope' | 'now'>,
  signed: SignedService,
  request: { headers: Headers; body: Uint8Array<ArrayBuffer> },
): Promise<boolean> {
  const secret = await open(envelope, signed);
  return verifyDelivery(secret, { ...request, receivedAt: now() });
}

function open(envelope: Dependencies['envelope'], { service, project, sealedSecret }: SignedService) {
  return envelope.open(project.wrappedDataKey, project.id, webhookSecretPlace(service.id), sealedSecret);
}
