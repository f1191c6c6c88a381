/** Deploy keys, with which a service reads a private repository over SSH. The private key is stored as the service's git token. */
import { ApiError } from '../../domain/errors.ts';
import { ed25519Text, publicKeyLine, publicPartOf } from '../../domain/sources/ssh-key.ts';
import { toBase64Url } from '../../security/base64url.ts';
import { gitTokenPlace } from '../../security/secret-places.ts';
import type { ProjectRow } from '../../store/projects/project-store.ts';
import type { ServiceRow } from '../../store/services/service-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { updateService } from './update-service.ts';

interface Loaded {
  service: ServiceRow;
  project: ProjectRow;
}

/** The public part of a deploy key. */
export interface DeployKey {
  /** `ssh-ed25519 <base64> longshore-<service id>`. */
  publicKey: string;
  /** `SHA256:<base64>`, the format of ssh-keygen and git hosts. */
  fingerprint: string;
}

/** In PKCS #8 of an Ed25519 key (RFC 8410, section 7), the seed is at the end. */
const seedBytes = 32;

/**
 * Creates a key pair and stores its private part; it replaces the service's token or key.
 * @throws ApiError `unsupported` for a service without a repository; `conflict` if the service has been transferred since
 */
export async function makeDeployKey(deps: Dependencies, loaded: Loaded): Promise<DeployKey> {
  refuseWithoutRepository(loaded.service);
  const text = await newKeyText(deps, loaded.service.id);
  await updateService(deps, loaded, { gitToken: text });
  const key = await present(text, loaded.service.id);
  if (!key) throw new Error("The new deploy key can't be parsed.");
  return key;
}

/** The public part of the stored key; null if the service has none or has an access token. */
export async function readDeployKey(
  { envelope }: Pick<Dependencies, 'envelope'>,
  { service, project }: Loaded,
): Promise<DeployKey | null> {
  refuseWithoutRepository(service);
  if (service.sealedGitToken === null) return null;
  const place = gitTokenPlace(service.id);
  const text = await envelope.open(project.wrappedDataKey, project.id, place, service.sealedGitToken);
  return present(text, service.id);
}

function refuseWithoutRepository(service: ServiceRow): void {
  if (service.kind === 'git') return;
  throw new ApiError('unsupported', "This service has no repository, so it can't have a deploy key.");
}

async function newKeyText(
  { fillRandom }: Pick<Dependencies, 'fillRandom'>,
  serviceId: string,
): Promise<string> {
  const pair = (await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify'])) as CryptoKeyPair;
  const [secret, key] = await Promise.all([
    crypto.subtle.exportKey('pkcs8', pair.privateKey) as Promise<ArrayBuffer>,
    crypto.subtle.exportKey('raw', pair.publicKey) as Promise<ArrayBuffer>,
  ]);
  const check = new Uint8Array(4);
  fillRandom(check);
  return ed25519Text(new Uint8Array(secret).slice(-seedBytes), new Uint8Array(key), {
    comment: commentOf(serviceId),
    check: new DataView(check.buffer).getUint32(0),
  });
}

async function present(text: string, serviceId: string): Promise<DeployKey | null> {
  const part = publicPartOf(text);
  if (!part) return null;
  const digest = toBase64Url(new Uint8Array(await crypto.subtle.digest('SHA-256', part)));
  return {
    publicKey: publicKeyLine(part, commentOf(serviceId)),
    fingerprint: `SHA256:${digest.replaceAll('-', '+').replaceAll('_', '/')}`,
  };
}

const commentOf = (serviceId: string) => `longshore-${serviceId}`;
