import { JobFailure } from '../../base/job-failure.ts';
import { DockerError } from '../../docker/docker-error.ts';

/** Docker's message has several forms, always with an address before the port. */
const portInUse =
  /:(\d+)(?:\/tcp)?(?:: bind)?:? (?:failed: port is already allocated|address already in use)/i;

/** If the daemon refuses the start, the image or the settings are wrong, not the platform. */
export function startFailure(error: unknown): unknown {
  if (!(error instanceof DockerError) || error.code !== 'internal') return error;
  const port = portInUse.exec(error.detail)?.[1];
  if (port !== undefined) return portTaken(port, error);
  const reason = /no command specified/i.test(error.detail)
    ? 'the image names no command to run; add CMD to its Dockerfile'
    : error.detail;
  return new JobFailure('start_failed', `The container could not be started: ${reason}.`, { cause: error });
}

const portTaken = (port: string, cause: DockerError) =>
  new JobFailure(
    'start_failed',
    `Another program on the host uses port ${port}: stop it, or give the service another port with POST /api/services/<service id>/host-port, then deploy again.`,
    { cause },
  );
