/** Text files that are put into a container beside its image: what must not stand in a command line. */
import { buffer } from 'node:stream/consumers';
import { pack } from 'tar-stream';
import { call, type DockerHost } from './client.ts';

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
