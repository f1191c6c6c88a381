/** Provides base images under their official names: pulled when a registry answers, otherwise built from one of the project's recipes. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type Headers, pack } from 'tar-fs';
import { connectDocker, type DockerEngine } from '../docker/engine.ts';
import { StartError } from '../start-error.ts';
import { cacheDirectory, cachedFiles } from './image-cache.ts';
import { type Recipe, recipeHash, recipeLabel } from './recipe.ts';
import { recipes as ownRecipes } from './recipes.ts';
import { registryAnswers } from './registry-probe.ts';

/** `official`: the real image; `stand-in`: built here because no registry answered. */
export type ImageOrigin = 'official' | 'stand-in';

export interface EnsureImageOptions {
  docker?: DockerEngine;
  say?: (line: string) => void;
  /** Tests whether a registry can be reached; called at most once. */
  registryReachable?: (docker: DockerEngine) => Promise<boolean>;
  /** The directory of stand-ins that were built earlier. */
  cache?: string;
  /** The images that can be built here; by default the product's own recipes. */
  recipes?: readonly Recipe[];
}

/** Enough for a pull over a slow line. After that, a stand-in is better than waiting. */
const pullTimeoutMs = 300_000;

/**
 * Makes sure that an image with this name exists.
 * An existing official image is not changed. A stand-in is replaced by the official image as soon as a registry answers.
 * @throws StartError `image_failed` when there is neither a registry nor a recipe, or the recipe fails.
 */
export async function ensureImage(image: string, options: EnsureImageOptions = {}): Promise<ImageOrigin> {
  const {
    docker = connectDocker(),
    say = () => {},
    registryReachable = registryAnswers,
    cache = cacheDirectory(),
    recipes = ownRecipes,
  } = options;
  const present = await presentImage(docker, image);
  if (present === 'official') return 'official';
  if ((await registryReachable(docker)) && (await pulled(docker, image, say))) return 'official';
  const recipe = recipes.find((one) => one.image === image);
  if (recipe === undefined) {
    throw new StartError(
      'image_failed',
      `No container registry answers, and there is no stand-in for ${image}.`,
    );
  }
  await ensureStandIn(docker, recipe, present?.recipe, { say, cache });
  return 'stand-in';
}

/** The image that the name currently refers to: none, an official image, or a stand-in with its recipe's hash. */
async function presentImage(
  docker: DockerEngine,
  image: string,
): Promise<'official' | { recipe: string } | undefined> {
  try {
    const found = await docker.getImage(image).inspect();
    const recipe = found.Config?.Labels?.[recipeLabel];
    return recipe === undefined ? 'official' : { recipe };
  } catch (error) {
    if (error instanceof Error && 'statusCode' in error && error.statusCode === 404) return undefined;
    throw error;
  }
}

async function pulled(docker: DockerEngine, image: string, say: (line: string) => void): Promise<boolean> {
  say(`pulling ${image}`);
  try {
    const stream = await docker.pull(image, { abortSignal: AbortSignal.timeout(pullTimeoutMs) });
    await followed(docker, stream);
    return true;
  } catch (error) {
    say(
      `could not pull ${image} (${error instanceof Error ? error.message : String(error)}): using a stand-in`,
    );
    return false;
  }
}

async function ensureStandIn(
  docker: DockerEngine,
  recipe: Recipe,
  presentHash: string | undefined,
  { say, cache }: { say: (line: string) => void; cache: string },
): Promise<void> {
  const { image } = recipe;
  const hash = recipeHash(image, await recipe.inputs(), recipe.config);
  if (hash === presentHash) return;
  say(`no container registry answers: building a stand-in for ${image}`);
  try {
    await make(docker, recipe, hash, cache);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new StartError('image_failed', `The stand-in for ${image} could not be built: ${why}`, { cause });
  }
}

async function make(docker: DockerEngine, recipe: Recipe, hash: string, directory: string): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), 'longshore-image-'));
  try {
    const files = await cachedFiles(directory, { image: recipe.image, hash }, async () => {
      await recipe.fill(root);
      return packed(root, recipe);
    });
    const [repo = '', tag = 'latest'] = recipe.image.split(':');
    const changes = [...recipe.config, `LABEL ${recipeLabel}=${hash}`];
    await followed(docker, await docker.importImage(files, { repo, tag, changes }));
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

function packed(root: string, recipe: Recipe): Readable {
  const options = {
    // Keeps the file modes: /tmp must be writable for everybody.
    umask: 0,
    map(header: Headers) {
      const owner = recipe.owner(header.name);
      return { ...header, uid: owner, gid: owner };
    },
  };
  return Readable.from(pack(root, options));
}

/** Waits until a progress stream ends. The daemon reports failures inside the stream, with status 200. */
function followed(docker: DockerEngine, stream: NodeJS.ReadableStream): Promise<void> {
  return new Promise((resolve, reject) => {
    docker.modem.followProgress(stream, (error: Error | null, events: { error?: string }[]) => {
      const failure = error?.message ?? events?.find((event) => event.error !== undefined)?.error;
      if (failure === undefined) resolve();
      else reject(new Error(failure));
    });
  });
}

/**
 * Builds missing stand-ins before they are needed, one after the other: on a host without a registry, the first database would find no
 * image. When a registry answers, nothing is pulled in advance. Never throws: a failure is printed, and the deployment that needs the image
 * reports it again.
 */
export async function makeStandInsAhead(
  images: readonly string[],
  options: EnsureImageOptions = {},
): Promise<void> {
  const { docker = connectDocker(), say = () => {}, registryReachable = registryAnswers } = options;
  const sayWhy = (error: unknown) => say(error instanceof Error ? error.message : String(error));
  try {
    if (await registryReachable(docker)) return;
    const alone = { ...options, docker, registryReachable: async () => false };
    // `alone`: one failed image doesn't stop the others.
    for (const image of images) await ensureImage(image, alone).catch(sayWhy);
  } catch (error) {
    sayWhy(error);
  }
}
