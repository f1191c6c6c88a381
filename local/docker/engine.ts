/** The start's access to the Docker Engine: whether it answers, and its images and containers. The runner builds and runs apps. */
import { Docker } from '../../runner/docker/dockerode.ts';

/** The client's type, re-exported so that no other folder imports the library. */
export type DockerEngine = Docker;

const dockerSocketPath = '/var/run/docker.sock';

/** A daemon that does not answer a ping in this time counts as unusable. */
const pingTimeoutMs = 5_000;

/** A connection to the local daemon, or to `DOCKER_HOST`. Nothing is sent yet. */
export function connectDocker(): Docker {
  return process.env.DOCKER_HOST ? new Docker() : new Docker({ socketPath: dockerSocketPath });
}

/** The reason why the daemon can't be used: `absent` (no socket, nobody listens), `denied` (no rights on the socket), `broken` (anything else). */
export type DockerState = { state: 'ready' } | { state: 'absent' | 'denied' | 'broken'; detail: string };

export async function dockerState(docker: Docker, timeoutMs = pingTimeoutMs): Promise<DockerState> {
  try {
    await pinged(docker, timeoutMs);
    return { state: 'ready' };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    const detail = error instanceof Error ? error.message : String(error);
    if (code === 'ENOENT' || code === 'ECONNREFUSED') return { state: 'absent', detail };
    if (code === 'EACCES' || code === 'EPERM') return { state: 'denied', detail };
    return { state: 'broken', detail: detail === '' ? code : detail };
  }
}

async function pinged(docker: Docker, timeoutMs: number): Promise<void> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs / 1000} s`)), timeoutMs);
  try {
    await Promise.race([docker.ping(), late]);
  } finally {
    clearTimeout(timer);
  }
}
