/** Text files that are put into a container beside its image: what must not stand in a command line. */
import { buffer } from 'node:stream/consumers';
import { pack } from 'tar-stream';
import { call, type DockerHost } from './client.ts';

/**
 * @param files texts by absolute path; each is readable by every user in the container
 * @throws DockerError
 */
export async function putFiles(
  host: DockerHost,
  id: string,
  files: Readonly<Record<string, string>>,
): Promise<void> {
  if (Object.keys(files).length === 0) return;
  const archive = pack();
  for (const [path, text] of Object.entries(files)) archive.entry({ name: path.slice(1), mode: 0o444 }, text);
  archive.finalize();
  const bytes = await buffer(archive);
  await call('write files into the container', () =>
    host.engine.getContainer(id).putArchive(bytes, { path: '/' }),
  );
}
