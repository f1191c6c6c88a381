/** Writes text files into containers, such as secrets that must not appear on a command line, and reads them. */
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { extract, type Header } from 'tar-stream';
import { archiveOf } from '../base/tar-entry.ts';
import { call, type DockerHost } from './client.ts';
import { DockerError, isNotFound } from './docker-error.ts';

/** A file owned by a user of the container. */
export interface OwnedFile {
  text: string;
  owner: { uid: number; gid: number };
  /** The file mode, for example 0o600. */
  mode: number;
}

/**
 * @param files by absolute path; a plain text is readable by every user in the container
 * @throws DockerError, also if the image has a directory at a path: Docker would remove it
 */
export async function putFiles(
  host: DockerHost,
  id: string,
  files: Readonly<Record<string, string | OwnedFile>>,
): Promise<void> {
  if (Object.keys(files).length === 0) return;
  const bytes = await archiveOf(
    Object.entries(files).map(([path, file]) => {
      const { text, owner, mode } = typeof file === 'string' ? everybodys(file) : file;
      return { header: { name: path.slice(1), mode, ...owner }, bytes: Buffer.from(text) };
    }),
  );
  await call('write files into the container', () =>
    host.engine.getContainer(id).putArchive(bytes, { path: '/', noOverwriteDirNonDir: 'true' }),
  );
}

const everybodys = (text: string): OwnedFile => ({ text, owner: { uid: 0, gid: 0 }, mode: 0o444 });

/**
 * The text of one file of a container, running or not.
 * @returns undefined when there is no such file
 * @throws DockerError
 */
export async function readContainerFile(
  host: DockerHost,
  id: string,
  path: string,
): Promise<string | undefined> {
  try {
    return await call('read a file of the container', async () =>
      fileOf(await host.engine.getContainer(id).getArchive({ path })),
    );
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** The runner's files are far smaller, but an image or a program in the container may have replaced them. */
const readBytesMax = 1024 * 1024;

/** Reads the text of a tar stream with one small file. @throws DockerError `start_failed` if the file is larger than 1 MB */
export async function fileOf(archive: NodeJS.ReadableStream): Promise<string> {
  let found = '';
  for await (const { bytes } of smallFiles(archive)) found += bytes.toString();
  return found;
}

/** The entries of a tar stream, with the bytes of each. @throws DockerError `start_failed` if they are larger than 1 MB in total */
export async function* smallFiles(
  archive: NodeJS.ReadableStream,
): AsyncGenerator<{ header: Header; bytes: Buffer }> {
  const entries = extract();
  // `pipeline` ends the daemon's stream when reading stops early, and forwards errors. Without it a lost connection would hang.
  const piped = pipeline(archive, entries).catch(() => {});
  let total = 0;
  try {
    for await (const entry of entries) {
      total += entry.header.size ?? 0;
      if (total > readBytesMax) throw tooLarge(entry.header.name);
      yield { header: entry.header, bytes: await buffer(entry) };
    }
  } finally {
    entries.destroy();
    await piped;
  }
}

function tooLarge(name: string): DockerError {
  const sentence = `The file ${name} in the container is larger than 1 MB, so it is not the expected one. Deploy the service from an image with the original file.`;
  return new DockerError('start_failed', sentence, { detail: sentence, cause: undefined });
}
