/**
 * The images that a Dockerfile names, brought to this host, looked at, and given a name of the build's own: so what Docker builds upon
 * is what was looked at, whatever their own names mean a second later.
 */
import type { References } from '../../builder/dockerfile/references.ts';
import type { BaseImage } from '../../builder/dockerfile/scope.ts';
import { inspectImage, pullImage, removeImage, tagImage } from '../../docker/images.ts';
import type { JobLog } from '../../job-log/job-log.ts';
import type { Attempt } from './attempt.ts';
import { guardRegistry } from './guard-registry.ts';

export interface PinnedImages {
  /** By the name in the Dockerfile. */
  images: Map<string, BaseImage>;
  nameOf: (name: string) => string;
  /** A log that calls the images by their names in the Dockerfile. */
  readable: (log: JobLog) => JobLog;
  /** Takes the build's own names away. */
  release: () => Promise<void>;
}

/** @throws JobFailure `source_refused`, `image_failed` */
export async function pinImages(attempt: Attempt, references: References): Promise<PinnedImages> {
  const { parts, spec } = attempt;
  const names = new Set(
    [...references.of.values()].flat().flatMap((one) => (one.type === 'image' ? [one.name] : [])),
  );
  const images = new Map<string, BaseImage>();
  const pins = new Map<string, string>();
  const release = async () => {
    for (const pin of new Set(pins.values())) await removeImage(parts.docker, pin);
  };
  try {
    for (const name of names) {
      const image = await bring(attempt, name);
      const pin = `longshore-${spec.serviceId}-base-${image.Id.replace('sha256:', '').slice(0, 16)}`;
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
    }),
    release,
  };
}

type FoundImage = NonNullable<Awaited<ReturnType<typeof inspectImage>>>;

/** A copy on this host serves, as it does in Docker's own builds. */
async function bring(attempt: Attempt, name: string): Promise<FoundImage> {
  const { parts, context } = attempt;
  const local = await inspectImage(parts.docker, name, context.signal);
  if (local) return local;
  await guardRegistry(attempt, name);
  context.log.line('system', `Pulling ${name}`);
  const id = await pullImage(parts.docker, name, context.log, context.signal);
  return (await inspectImage(parts.docker, id, context.signal)) ?? bring(attempt, name);
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
