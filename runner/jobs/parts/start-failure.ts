import { JobFailure } from '../../base/job-failure.ts';
import { DockerError } from '../../docker/docker-error.ts';

/** What the daemon refuses here is the image's or the settings' fault, not the platform's. */
export function startFailure(error: unknown): unknown {
  if (!(error instanceof DockerError) || error.code !== 'internal') return error;
  const reason = /no command specified/i.test(error.detail)
    ? 'the image names no command to run; add CMD to its Dockerfile'
    : error.detail;
  return new JobFailure('start_failed', `The container could not be started: ${reason}.`, { cause: error });
}
