/** Mounted files of a service: written into a container before it starts, and removed with it. */
import type { DeploySecrets } from '../../../protocol/job-spec.ts';
import type { MountedFile } from '../../../protocol/mounts.ts';
import { JobFailure } from '../../base/job-failure.ts';
import { call, type DockerHost } from '../../docker/client.ts';
import { putFiles } from '../../docker/container-files.ts';
import { DockerError } from '../../docker/docker-error.ts';
import { ownerIn } from '../../docker/users.ts';

/** The read-only files for the request that creates the container. */
export const readOnlyFilesOf = ({ files }: Pick<DeploySecrets, 'files'>) => ({
  readOnlyFiles: (files ?? []).map(({ path }) => path),
});

/**
 * Writes the files; missing directories are created. The user of the container owns them.
 * @param id of a container that has not started yet and was created with `readOnlyFilesOf`
 * @throws JobFailure `start_failed` for a file that can't be written, with its path; DockerError
 */
export async function writeFiles(
  docker: DockerHost,
  id: string,
  { files }: Pick<DeploySecrets, 'files'>,
): Promise<void> {
  if (!files?.length) return;
  const { Config } = await call('inspect the container', () => docker.engine.getContainer(id).inspect());
  const owner = await ownerIn(docker, id, Config.User ?? '');
  for (const { path, content, mode } of files) {
    await putFiles(docker, id, { [path]: { text: content, owner, mode } }).catch((error: unknown) => {
      throw refusalOf(path, error);
    });
  }
}

/** Names the path in an error, for example if the image has a directory there, or a file where a directory is needed. */
function refusalOf(path: MountedFile['path'], error: unknown): unknown {
  if (!(error instanceof DockerError) || error.code !== 'internal') return error;
  return new JobFailure(
    'start_failed',
    `The file ${path} could not be written into the container: ${error.message} Choose another path, or change what the image has there.`,
    { cause: error },
  );
}
