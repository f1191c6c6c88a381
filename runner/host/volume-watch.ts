/** Notices volumes that something other than Longshore has removed. Their data can't be made again, so it is only said. */

import { labels } from '../../protocol/names.ts';
import { type Clock, pause } from '../base/clock.ts';
import { type Logger, messageOf } from '../base/logger.ts';
import type { DockerHost } from '../docker/client.ts';
import { goneSentence, instanceVolumes } from '../docker/volumes.ts';
import type { KnownVolumes } from '../storage/known-volumes.ts';

export interface VolumeWatch {
  /** What its owner has to know; undefined if all volumes of the service are there. */
  sentenceOf(serviceId: string): string | undefined;
  stop(): void;
}

export const volumesLookMs = 30_000;

export function watchVolumes(parts: {
  docker: DockerHost;
  known: KnownVolumes;
  clock: Clock;
  logger: Pick<Logger, 'warn' | 'info'>;
  /** Called when a service has lost a volume, or has it again. */
  changed: () => void;
}): VolumeWatch {
  const { docker, known, clock, logger, changed } = parts;
  const stopping = new AbortController();
  let gone = new Map<string, string>();

  async function look(): Promise<void> {
    const found = await instanceVolumes(docker);
    const services = found.map(({ name, labels: of }) => [name, of[labels.service] ?? ''] as const);
    known.add(new Map(services.filter(([, serviceId]) => serviceId !== '')));
    const present = new Set(found.map(({ name }) => name));
    const missing = new Map([...known.all()].filter(([name]) => !present.has(name)));
    for (const [name, serviceId] of missing)
      if (!gone.has(name)) logger.warn(`${serviceId}: ${goneSentence(docker, name, serviceId)}`);
    for (const name of gone.keys())
      if (!missing.has(name)) logger.info(`the volume ${name} is there again, or was removed by Longshore`);
    const isChanged = [...missing.keys()].join() !== [...gone.keys()].join();
    gone = missing;
    if (isChanged) changed();
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      // Without Docker nothing is known.
      await look().catch((error: unknown) => logger.info(`volumes were not looked at: ${messageOf(error)}`));
      await pause(clock, volumesLookMs, stopping.signal);
    }
  }

  void run();
  return {
    sentenceOf(serviceId) {
      const lost = [...gone].find(([, of]) => of === serviceId);
      return lost && goneSentence(docker, lost[0], serviceId);
    },
    stop: () => stopping.abort(),
  };
}
