/** Pulls images by users' names: the runner asks the registry, and Docker gets the answer (pull-endpoint.ts). */
import { createHash } from 'node:crypto';
import { type RegistryLogin, registryName } from '../../protocol/credentials.ts';
import { type Clock, systemClock } from '../base/clock.ts';
import { crashPoint } from '../base/crash-point.ts';
import { JobFailure } from '../base/job-failure.ts';
import type { DockerHost } from '../docker/client.ts';
import { DockerError, diskFull, isDiskFull } from '../docker/docker-error.ts';
import { type ImageRef, parseImageRef } from '../docker/image-ref.ts';
import { imageId, pullByName, removeImage, tagImage } from '../docker/images.ts';
import type { JobLog } from '../job-log/job-log.ts';
import { type Resolve, systemResolve } from '../source/system-resolve.ts';
import { addressesOf, type DockerSettings, dockerSettings } from './docker-settings.ts';
import type { Manifest } from './manifest.ts';
import { openPullEndpoint, type PullEndpoint } from './pull-endpoint.ts';
import { RegistryError } from './registry-error.ts';
import { RemoteRepository } from './remote-repository.ts';

/** The operator's permissions and the parts that tests replace. */
export interface RegistryAccess {
  /** True if registries may have private addresses, and plain http if Docker allows it. */
  allowPrivate: boolean;
  /** Registries that the operator chose, in the form of image names: these may always be private. */
  trusted?: ReadonlySet<string>;
  /** The project's logins. A private image from one of them is stored on the host under a name that only the same login finds. */
  logins?: readonly RegistryLogin[] | undefined;
  resolve?: Resolve;
  clock?: Clock;
  /** Docker's own by default. */
  settings?: DockerSettings;
}

interface Pull {
  log: JobLog;
  signal: AbortSignal;
  /** Called with the digest of the image at its registry; not for a local copy of a tag, whose digest is unknown. */
  onDigest?: (digest: string) => void;
}

/** Docker shares a layer's download between pulls: if a pull ends early, the pulls that joined it have to begin again. */
const pullsMax = 3;
/** Docker's error if it had joined the download of another pull whose endpoint is closed. */
const endpointGone = /127\.0\.0\.1:\d+.*(?:connection refused|connection reset|EOF)/;

/**
 * Pulls an image to the host and returns its id. If the registry can't be reached, limits pulls or is forbidden, a local copy is used, and
 * the log reports that.
 * @throws JobFailure `image_failed` or `source_refused` with one sentence; DockerError; the signal's reason
 */
export async function pullImage(
  host: DockerHost,
  imageRef: string,
  access: RegistryAccess,
  { log, signal, onDigest }: Pull,
): Promise<string> {
  const ref = parseImageRef(imageRef);
  const local = await localId(host, ref, signal, access.logins);
  if (local && ref.pinned) {
    onDigest?.(ref.tag);
    return local;
  }
  // Ends the open requests of the pull, also after its end.
  const over = new AbortController();
  const either = AbortSignal.any([signal, over.signal]);
  try {
    const found = await find(host, ref, access, either);
    const id = await pullFound(host, ref, found, { log, signal, logins: access.logins });
    onDigest?.(found.manifest.digest);
    return id;
  } catch (error) {
    signal.throwIfAborted();
    const reason = whyLocal(error);
    if (!local || !reason) throw pullFailure(imageRef, error, loginFor(ref, access.logins));
    log.line('system', `${reason}; using the copy of ${imageRef} that is on this host.`);
    return local;
  } finally {
    over.abort(new Error('the pull is over'));
  }
}

/** The id of the host's copy of an image; `undefined` if there is none. */
export async function localId(
  host: DockerHost,
  ref: ImageRef,
  signal: AbortSignal,
  logins: readonly RegistryLogin[] | undefined,
): Promise<string | undefined> {
  const hasLogin = loginFor(ref, logins) !== undefined;
  const byName = hasLogin ? undefined : await imageId(host, ref.name, signal);
  if (byName || !(ref.pinned || hasLogin)) return byName;
  const { repository, tag } = keptName(ref, logins);
  return await imageId(host, `${repository}:${tag}`, signal);
}

/**
 * Docker accepts no digest as a new name, so an image of a digest gets a tag with it. The name of a private image depends on the login: on
 * a host that tenants share, no other tenant's deployment finds it. `image-ref.ts` refuses these names to users.
 */
function keptName(
  ref: ImageRef,
  logins: readonly RegistryLogin[] | undefined,
): { repository: string; tag: string } {
  const login = loginFor(ref, logins);
  if (login) {
    const key = createHash('sha256').update(`${login.id} ${ref.name}`).digest('hex');
    return { repository: 'longshore-private', tag: key };
  }
  const { repository, tag, pinned } = ref;
  return pinned ? { repository: 'longshore-pinned', tag: tag.replace(':', '-') } : { repository, tag };
}

export const loginFor = ({ registry }: ImageRef, logins: readonly RegistryLogin[] | undefined) =>
  logins?.find(({ host }) => host === registryName(registry));

interface Pulling {
  log: JobLog;
  signal: AbortSignal;
  logins: readonly RegistryLogin[] | undefined;
}

interface Found {
  remote: RemoteRepository;
  manifest: Manifest;
}

const find = (host: DockerHost, ref: ImageRef, access: RegistryAccess, signal: AbortSignal): Promise<Found> =>
  askEach(host, ref, access, signal, async (remote) => ({
    remote,
    manifest: await remote.manifest(ref.tag),
  }));

/** Asks the mirrors and the registry of an image in turn; the last error from a registry that answered counts. */
export async function askEach<Found>(
  host: DockerHost,
  ref: ImageRef,
  access: RegistryAccess,
  signal: AbortSignal,
  ask: (remote: RemoteRepository) => Promise<Found>,
): Promise<Found> {
  const { allowPrivate, resolve = systemResolve, clock = systemClock } = access;
  const settings = access.settings ?? (await dockerSettings(host, signal));
  const { addresses, trusted } = addressesOf(ref, settings, access);
  let failure: unknown;
  for (const address of addresses) {
    const remote = new RemoteRepository(address, { allowPrivate, trusted, resolve, signal }, clock);
    try {
      return await ask(remote);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof RegistryError)) throw error;
      if (error.trouble !== 'unreachable' || failure === undefined) failure = error;
    }
  }
  throw failure;
}

async function pullFound(
  host: DockerHost,
  ref: ImageRef,
  { remote, manifest }: Found,
  { log, signal, logins }: Pulling,
): Promise<string> {
  for (let pulls = 1; ; pulls += 1) {
    const endpoint = await openPullEndpoint(remote, manifest, host.instance);
    try {
      return await throughEndpoint(host, ref, manifest.digest, { endpoint, log, signal, logins });
    } catch (error) {
      signal.throwIfAborted();
      const again = error instanceof DockerError && endpointGone.test(error.detail);
      if (!again || pulls === pullsMax) throw error;
    } finally {
      await endpoint.close();
    }
  }
}

/** Gives the image its own name, and removes the endpoint's name. */
async function throughEndpoint(
  host: DockerHost,
  ref: ImageRef,
  digest: string,
  { endpoint, log, signal, logins }: Pulling & { endpoint: PullEndpoint },
): Promise<string> {
  const { repository } = endpoint;
  const name = `${repository}@${digest}`;
  const say = (line: string) => {
    if (!line.includes('Pulling from ')) log.line('stdout', line.replaceAll(name, ref.name));
  };
  const either = AbortSignal.any([signal, endpoint.failed]);
  try {
    await pullByName(host, { repository, tag: digest }, say, either);
    crashPoint('pull:named');
    const id = await imageId(host, name, signal);
    if (!id)
      throw new JobFailure('image_failed', `The image ${ref.name} was pulled, but is not on the host.`);
    await tagImage(host, id, keptName(ref, logins));
    return id;
  } finally {
    await removeImage(host, name);
  }
}

/** The reason for using the host's own copy, or undefined. */
function whyLocal(error: unknown): string | undefined {
  if (error instanceof RegistryError && error.trouble === 'unreachable')
    return 'The registry cannot be reached';
  if (error instanceof RegistryError && error.trouble === 'limited')
    return `The registry gives no more pulls for now (${error.message})`;
  if (error instanceof JobFailure && error.code === 'source_refused')
    return `The registry is not contacted (${error.message})`;
  return undefined;
}

function pullFailure(imageRef: string, error: unknown, login: RegistryLogin | undefined): Error {
  if (error instanceof DockerError) {
    if (isDiskFull(error.detail)) return diskFull(error);
    if (error.code !== 'internal') return error;
  } else if (error instanceof JobFailure) return error;
  const trouble = error instanceof RegistryError ? error.trouble : 'broken';
  const words = error instanceof DockerError ? error.detail : (error as Error).message;
  const sentences = {
    unreachable: `The registry of ${imageRef} cannot be reached, and the host has no copy of the image. Connect the host to the registry, or load the image there by hand (docker save, docker load), and deploy again.`,
    missing: login
      ? `The image ${imageRef} was not found with the login of "${login.username}" at ${login.host}: check its name, and what this user may read.`
      : `The image ${imageRef} was not found, or it is private: check its name, or store a login for its registry (POST /api/registries).`,
    unauthorized: `The registry refuses the login of "${login?.username}" at ${login?.host} (${words}): store a new password for it (PATCH /api/registries/:registryId), or give the user access to ${imageRef}.`,
    limited: `The registry gives no more pulls for now (${words}): try again later${login ? '' : ', or store a login for it (POST /api/registries), which is usually allowed more'}.`,
    broken: `The image ${imageRef} could not be pulled: ${words}`,
  };
  const codes = { unauthorized: 'registry_unauthorized', limited: 'registry_rate_limited' } as const;
  const code = trouble === 'unauthorized' || trouble === 'limited' ? codes[trouble] : 'image_failed';
  return new JobFailure(code, sentences[trouble], { cause: error });
}
