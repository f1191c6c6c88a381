/** The tests' own images, as a user would have them on the host: built outside of Longshore. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Docker from 'dockerode';

const docker = new Docker();

/** Builds `tag` from the files, including a Dockerfile. */
export async function buildImage(tag: string, files: Record<string, string>): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'longshore-e2e-image-'));
  try {
    await Promise.all(Object.entries(files).map(([name, text]) => writeFile(join(directory, name), text)));
    await buildImageFrom(directory, Object.keys(files), tag);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Builds `tag` from these files and directories of `context`, including a Dockerfile. */
export async function buildImageFrom(context: string, src: string[], tag: string): Promise<void> {
  const output = await docker.buildImage({ context, src }, { t: tag });
  const events = await new Promise<{ error?: string }[]>((resolve, reject) =>
    docker.modem.followProgress(output, (error, all) => (error ? reject(error) : resolve(all ?? []))),
  );
  const failed = events.find(({ error }) => error !== undefined);
  if (failed) throw new Error(failed.error);
}

/** Removes the existing ones of these images. */
export async function removeImages(...tags: string[]): Promise<void> {
  await Promise.allSettled(tags.map((tag) => docker.getImage(tag).remove({ force: true })));
}
