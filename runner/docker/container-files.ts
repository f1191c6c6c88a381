/** Writes text files into containers, such as secrets that must not appear on a command line, and reads them. */
import { buffer, text as textOf } from 'node:stream/consumers';
import { extract, pack } from 'tar-stream';
import { call, type DockerHost } from './client.ts';
import { isNotFound } from './docker-error.ts';

/** A file owned by a user of the container. */
export interface OwnedFile {
  text: string;
  owner: { uid: number; gid: number };
  /** For example 0o600. */
  mode: number;
}

/**
 * @param files by absolute path; a plain text is readable by every user in the container
 * @throws DockerError
 */
export async function putFiles(
  host: DockerHost,
  id: string,
  files: Readonly<Record<string, string | OwnedFile>>,
): Promise<void> {
  if (Object.keys(files).length === 0) return;
  const archive = pack();
  for (const [path, file] of Object.entries(files)) {
    const { text, owner, mode } = typeof file === 'string' ? everybodys(file) : file;
    archive.entry({ name: path.slice(1), mode, ...owner }, text);
  }
  archive.finalize();
  const bytes = await buffer(archive);
  await call('write files into the container', () =>
    host.engine.getContainer(id).putArchive(bytes, { path: '/' }),
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

/** Reads the text of a tar stream with one small file. */
export async function fileOf(archive: NodeJS.ReadableStream): Promise<string> {
  const entries = extract();
  // A pipe does not forward errors: without this a lost connection would hang.
  archive.once('error', (error) => entries.destroy(error));
  let found = '';
  for await (const entry of archive.pipe(entries)) found += await textOf(entry);
  return found;
}
