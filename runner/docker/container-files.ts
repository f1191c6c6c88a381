/** Text files that are put into a container beside its image, such as what must not stand in a command line; and how they are read. */
import { buffer, text as textOf } from 'node:stream/consumers';
import { extract, pack } from 'tar-stream';
import { call, type DockerHost } from './client.ts';
import { isNotFound } from './docker-error.ts';

/** A file that one user of the container owns. */
export interface OwnedFile {
  text: string;
  owner: { uid: number; gid: number };
  /** Such as 0o600. */
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

/** The text of a tar stream with one small file. */
export async function fileOf(archive: NodeJS.ReadableStream): Promise<string> {
  const entries = extract();
  // A pipe passes no errors on: without this a lost connection would be waited for.
  archive.once('error', (error) => entries.destroy(error));
  let found = '';
  for await (const entry of archive.pipe(entries)) found += await textOf(entry);
  return found;
}
