/**
 * Pulls the images of a Dockerfile or a plan, inspects them, and gives each a name that only this build uses (a pin). So Docker builds from
 * the inspected images, even if their original names are moved in the meantime.
 */
import { JobFailure } from '../../base/job-failure.ts';
import type { BaseImage } from '../../builder/dockerfile/scope.ts';
import { parseImageRef } from '../../docker/image-ref.ts';
import { inspectImage, removeImage, tagImage } from '../../docker/images.ts';
import type { JobLog } from '../../job-log/job-log.ts';
import { localId, pullImage, type RegistryAccess } from '../../registry/pull-image.ts';
import { type Attempt, registryAccess } from './attempt.ts';

export interface PinnedImages {
  /** Images by the requested name. */
  images: Map<string, BaseImage>;
  nameOf: (name: string) => string;
  /** A log that shows the requested names instead of the pins. */
  readable: (log: JobLog) => JobLog;
  /** Removes the pins. */
  release: () => Promise<void>;
}

/**
 * @param names with tag or digest, in the form of `parseImageRef`
 * @throws JobFailure `source_refused`, `image_failed`
 */
export async function pinImages(
  attempt: Attempt,
  names: ReadonlySet<string>,
  access: RegistryAccess = registryAccess(attempt),
): Promise<PinnedImages> {
  const { parts, spec } = attempt;
  const images = new Map<string, BaseImage>();
  const pins = new Map<string, string>();
  const release = async () => {
    for (const pin of new Set(pins.values())) await removeImage(parts.docker, pin);
  };
  try {
    for (const name of names) {
      const image = await bring(attempt, name, access);
      const pin = `${pinPrefix(spec)}${image.Id.replace('sha256:', '').slice(0, 16)}`;
      pins.set(name, pin);
      await tagImage(parts.docker, image.Id, pin);
      images.set(name, inheritedOf(image));
    }
  } catch (error) {
    await release();
    throw error;
  }
  return {
    images,
    nameOf: (name) => `${pins.get(name) ?? name}:latest`,
    readable: (log) => ({
      line: (stream, text) => log.line(stream, withNames(text, pins)),
      write: (stream, chunk) => log.write(stream, chunk),
      hide: (secrets) => log.hide(secrets),
    }),
    release,
  };
}

type FoundImage = NonNullable<Awaited<ReturnType<typeof inspectImage>>>;

/**
 * Each deployment has its own pins. So the clean-up after an earlier deployment, which may run at any time, never removes the pins of a
 * running build.
 */
const pinPrefix = ({ serviceId, deploymentId }: Attempt['spec']) =>
  `longshore-${serviceId}-base-${deploymentId}-`;

/** An image may be removed right after its pull, by hand or with `docker image prune`. */
const pullsMax = 3;

/**
 * Pulls the image, unless this host already has it: Docker's own builds use such a copy, too.
 * @throws JobFailure `image_failed` if the image is missing after each pull
 */
async function bring(attempt: Attempt, name: string, access: RegistryAccess): Promise<FoundImage> {
  for (let pulls = 0; pulls < pullsMax; pulls += 1) {
    const image = await pullOnce(attempt, name, access);
    if (image) return image;
  }
  throw new JobFailure(
    'image_failed',
    `The image ${name} was pulled ${pullsMax} times, and each time something on the host removed it: stop that, and deploy again.`,
  );
}

async function pullOnce(
  attempt: Attempt,
  name: string,
  access: RegistryAccess,
): Promise<FoundImage | undefined> {
  const { parts, context } = attempt;
  const { log, signal } = context;
  const local = await localId(parts.docker, parseImageRef(name), signal, access.logins);
  if (local) return await inspectImage(parts.docker, local, signal);
  log.line('system', `Pulling ${name}`);
  const id = await pullImage(parts.docker, name, access, { log, signal });
  return await inspectImage(parts.docker, id, signal);
}

function inheritedOf({ Config }: FoundImage): BaseImage {
  const { Env, OnBuild, Shell } = Config as { Env?: string[]; OnBuild?: string[]; Shell?: string[] };
  const env = (Env ?? []).map((entry): [string, string] => {
    const at = entry.indexOf('=');
    return at < 0 ? [entry, ''] : [entry.slice(0, at), entry.slice(at + 1)];
  });
  return {
    env: Object.fromEntries(env),
    interpreter: Shell?.length ? Shell : null,
    triggers: OnBuild ?? [],
  };
}

function withNames(text: string, pins: ReadonlyMap<string, string>): string {
  let named = text;
  for (const [name, pin] of pins)
    named = named.replaceAll(`docker.io/library/${pin}:latest`, name).replaceAll(`${pin}:latest`, name);
  return named;
}
