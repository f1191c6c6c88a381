/** Which digest the tag of an image has at its registry now. Nothing is pulled. */
import type { RegistryLogin } from '../../protocol/credentials.ts';
import type { ImageDigestAnswer } from '../../protocol/host-request.ts';
import { systemClock } from '../base/clock.ts';
import { JobFailure } from '../base/job-failure.ts';
import type { DockerHost } from '../docker/client.ts';
import { parseImageRef } from '../docker/image-ref.ts';
import { askEach, loginFor, type RegistryAccess } from './pull-image.ts';
import { RegistryError } from './registry-error.ts';

/** The control plane waits for 30 s. */
const answerLimitMs = 25_000;

/**
 * @param access `clock` also limits the wait
 * @throws errors that say nothing about the registry, such as those of Docker
 */
export async function readImageDigest(
  host: DockerHost,
  imageRef: string,
  access: RegistryAccess,
): Promise<ImageDigestAnswer> {
  const over = new AbortController();
  const cancel = (access.clock ?? systemClock).after(answerLimitMs, () => over.abort());
  try {
    const ref = parseImageRef(imageRef);
    const login = loginFor(ref, access.logins);
    const asked = askEach(host, ref, access, over.signal, (remote) => remote.digest(ref.tag));
    return await asked.then((digest) => ({ found: 'digest', digest }) as const, refusedWith(imageRef, login));
  } catch (error) {
    if (over.signal.aborted) return failure(`The registry of ${imageRef} did not answer in 25 s.`);
    if (error instanceof JobFailure) return failure(error.message);
    throw error;
  } finally {
    cancel();
  }
}

const failure = (reason: string, waitMs?: number): ImageDigestAnswer => ({
  found: 'failure',
  reason,
  waitMs: waitMs === undefined ? null : Math.ceil(waitMs),
});

const refusedWith = (imageRef: string, login: RegistryLogin | undefined) => (error: unknown) => {
  if (!(error instanceof RegistryError)) throw error;
  return failure(sentenceOf(imageRef, error, login), error.momentary?.waitMs);
};

/** What a registry's refusal means for the user, with a way out. */
export function sentenceOf(
  imageRef: string,
  { trouble, message }: RegistryError,
  login: RegistryLogin | undefined,
): string {
  const sentences = {
    unreachable: `The registry of ${imageRef} cannot be reached: ${message}.`,
    missing: login
      ? `The registry has no ${imageRef} for the login of "${login.username}": was the tag deleted?`
      : `The registry has no ${imageRef}, or it is private: was the tag deleted, or is a login missing (POST /api/registries)?`,
    unauthorized: `The registry refuses the login of "${login?.username}": ${message}. Store a new password for it (PATCH /api/registries/:registryId).`,
    limited: `The registry gives no answers for now: ${message}.`,
    broken: `The registry's answer about ${imageRef} can't be used: ${message}.`,
  };
  return sentences[trouble];
}
