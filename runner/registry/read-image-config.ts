/** What an image says about itself: ports, variables, volumes, user. Its registry is asked, and nothing is pulled. */
import { z } from 'zod';
import { JobFailure } from '../base/job-failure.ts';
import type { DockerHost } from '../docker/client.ts';
import { parseImageRef } from '../docker/image-ref.ts';
import { inspectImage } from '../docker/images.ts';
import { askEach, localId, loginFor, type RegistryAccess } from './pull-image.ts';
import { sentenceOf } from './read-image-digest.ts';
import { RegistryError } from './registry-error.ts';
import type { RemoteRepository } from './remote-repository.ts';

export interface ImageConfig {
  exposed: string[];
  /** Names only: values of an image may be secrets of its builder. */
  variables: string[];
  volumes: string[];
  user: string | null;
  /** null: a copy on the host was read. */
  digest: string | null;
}

/** https://github.com/opencontainers/image-spec/blob/main/config.md: sets are objects with empty values. */
const configSchema = z.object({
  config: z
    .object({
      ExposedPorts: z.record(z.string(), z.unknown()).nullish(),
      Env: z.array(z.string()).nullish(),
      Volumes: z.record(z.string(), z.unknown()).nullish(),
      User: z.string().nullish(),
    })
    .nullish(),
});
type Config = NonNullable<z.infer<typeof configSchema>['config']>;

const indexSchema = z.object({
  manifests: z.array(
    z.object({
      digest: z.string(),
      platform: z.object({ os: z.string(), architecture: z.string() }).nullish(),
    }),
  ),
});
const manifestSchema = z.object({ config: z.object({ digest: z.string() }) });
const configBytesMax = 4 * 2 ** 20;
const architectures: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };

/**
 * @throws JobFailure `image_failed` with a sentence, `source_refused` for a malformed name; the signal's reason; errors of Docker
 */
export async function readImageConfig(
  host: DockerHost,
  imageRef: string,
  access: RegistryAccess,
  signal: AbortSignal,
): Promise<ImageConfig> {
  const ref = parseImageRef(imageRef);
  try {
    return await askEach(host, ref, access, signal, (remote) => ofRegistry(remote, ref.tag));
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof RegistryError)) throw error;
    // As for a pull: a copy on the host serves while its registry does not.
    const isAway = error.trouble === 'unreachable' || error.trouble === 'limited';
    const id = isAway ? await localId(host, ref, signal, access.logins) : undefined;
    const copy = id === undefined ? undefined : await inspectImage(host, id, signal);
    if (copy) return presented(copy.Config as Config, null);
    throw new JobFailure('image_failed', sentenceOf(imageRef, error, loginFor(ref, access.logins)), {
      cause: error,
    });
  }
}

async function ofRegistry(remote: RemoteRepository, tag: string): Promise<ImageConfig> {
  const first = await remote.manifest(tag);
  const index = indexSchema.safeParse(JSON.parse(first.bytes.toString('utf8')));
  const manifest = index.success ? await remote.manifest(chosen(index.data.manifests)) : first;
  const named = manifestSchema.safeParse(JSON.parse(manifest.bytes.toString('utf8')));
  if (!named.success) throw new RegistryError('broken', 'its manifest names no configuration');
  const bytes = await remote.smallBlob(named.data.config.digest, configBytesMax);
  const config = configSchema.safeParse(JSON.parse(bytes.toString('utf8')));
  if (!config.success) throw new RegistryError('broken', 'its configuration was not understood');
  return presented(config.data.config ?? {}, first.digest);
}

/** The digest for this machine. @throws RegistryError */
function chosen(manifests: z.infer<typeof indexSchema>['manifests']): string {
  const architecture = architectures[process.arch] ?? process.arch;
  const fits = manifests.find(
    ({ platform }) => platform?.os === 'linux' && platform.architecture === architecture,
  );
  if (!fits) throw new RegistryError('broken', `it has no variant for linux on ${architecture}`);
  return fits.digest;
}

const presented = ({ ExposedPorts, Env, Volumes, User }: Config, digest: string | null): ImageConfig => ({
  exposed: Object.keys(ExposedPorts ?? {}),
  variables: (Env ?? []).map((entry) => entry.split('=', 1)[0] ?? ''),
  volumes: Object.keys(Volumes ?? {}),
  user: User || null,
  digest,
});
