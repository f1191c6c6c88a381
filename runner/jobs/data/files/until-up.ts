import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { stableContainerName } from '../../../../protocol/names.ts';
import type { VolumeRestoreSpec } from '../../../../protocol/volumes/volume-job-spec.ts';
import { type ContainerFacts, listServiceContainers } from '../../../docker/containers.ts';
import { EngineError } from '../../../engines/engine-error.ts';
import type { VolumeJobParts } from './volume-attempt.ts';

/** Large apps read all of their files when they start. */
const startTimeoutMs = 5 * 60_000;
const pollMs = 250;
const connectTimeoutMs = 5_000;
/** A program that can't read its files ends within this time, as a rule. */
const staysUpMs = 3_000;

/**
 * Waits until the live container of a service has stayed up for a moment, and its port accepts connections. Does nothing for a service that
 * its owner has stopped.
 * @throws EngineError when it exits, restarts, or has not started after five minutes; DockerError
 */
export async function untilUp(
  { docker, traffic }: Pick<VolumeJobParts, 'docker' | 'traffic'>,
  { serviceId, port }: Pick<VolumeRestoreSpec, 'serviceId' | 'port'>,
): Promise<void> {
  if (traffic.current(serviceId)?.target.type === 'stopped') return;
  const startedAt = performance.now();
  for (;;) {
    const containers = await listServiceContainers(docker, serviceId);
    const live = containers.find(({ name }) => name === stableContainerName(serviceId));
    if (!live?.running || live.restarting || live.restarts > 0) {
      throw new EngineError(
        'unavailable',
        `The service does not stay up with the restored files: ${exitOf(live)}. See its runtime log`,
      );
    }
    const waitedMs = performance.now() - startedAt;
    if (waitedMs > staysUpMs && (await accepts(live, port))) return;
    if (waitedMs > startTimeoutMs) {
      throw new EngineError(
        'unavailable',
        `The service does not listen on port ${port} with the restored files. See its runtime log`,
      );
    }
    await delay(pollMs);
  }
}

const exitOf = (live: ContainerFacts | undefined) =>
  live === undefined ? 'it has no container' : `exit code ${live.exitCode}`;

function accepts({ address }: ContainerFacts, port: number | null): Promise<boolean> {
  if (port === null || address === null) return Promise.resolve(true);
  return new Promise((resolve) => {
    const socket = connect({ host: address, port, timeout: connectTimeoutMs });
    const end = (isOpen: boolean) => {
      socket.destroy();
      resolve(isOpen);
    };
    socket
      .once('connect', () => end(true))
      .once('error', () => end(false))
      .once('timeout', () => end(false));
  });
}
