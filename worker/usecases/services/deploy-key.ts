/** Deploy keys: how a service reads a private repository by ssh. The private part is the service's git token, stored as one. */
import { ApiError } from '../../domain/errors.ts';
import { ed25519Text, publicKeyLine, publicPartOf } from '../../domain/ssh-key.ts';
import { toBase64Url } from '../../security/base64url.ts';
import { gitTokenPlace } from '../../security/secret-places.ts';
import type { ProjectRow } from '../../store/project-store.ts';
import type { ServiceRow } from '../../store/service-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { updateService } from './update-service.ts';

interface Loaded {
  service: ServiceRow;
  project: ProjectRow;
}

/** What a git host is given. */
export interface DeployKey {
  /** `ssh-ed25519 <base64> longshore-<service id>`. */
  publicKey: string;
  /** `SHA256:<base64>`, as ssh-keygen and git hosts show it. */
  fingerprint: string;
}

/** PKCS #8 of an Ed25519 key (RFC 8410, 7): the seed is its end. */
const seedBytes = 32;

/**
 * Makes a key pair and stores its private part in place of the token or key that the service had.
 * @throws ApiError `unsupported` for a service without a repository; `conflict` when it was transferred meanwhile.
 */
export async function makeDeployKey(deps: Dependencies, loaded: Loaded): Promise<DeployKey> {
  refuseWithoutRepository(loaded.service);
  const text = await newKeyText(deps, loaded.service.id);
  await updateService(deps, loaded, { gitToken: text });
  const key = await present(text, loaded.service.id);
  if (!key) throw new Error('a new deploy key can not be read');
  return key;
}

/** The public part of the stored key; null when the service has none, or has an access token. */
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
  throw new ApiError(
    'unsupported',
    'The service has no repository: deploy keys are for services built from one.',
  );
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
