import { JobFailure } from '../../base/job-failure.ts';
import { DockerError } from '../../docker/docker-error.ts';

/** If the daemon refuses the start, the image or the settings are wrong, not the platform. */
export function startFailure(error: unknown): unknown {
  if (!(error instanceof DockerError) || error.code !== 'internal') return error;
  const reason = /no command specified/i.test(error.detail)
    ? 'the image names no command to run; add CMD to its Dockerfile'
    : error.detail;
  return new JobFailure('start_failed', `The container could not be started: ${reason}.`, { cause: error });
}
