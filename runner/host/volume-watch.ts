/** Notices volumes that something other than Longshore has removed. Their data is lost, so the loss is only reported. */

import { labels } from '../../protocol/names.ts';
import { type Clock, pause } from '../base/clock.ts';
import { type Logger, messageOf } from '../base/logger.ts';
import type { DockerHost } from '../docker/client.ts';
import { goneSentence, instanceVolumes } from '../docker/volumes.ts';
import type { KnownVolumes } from '../storage/known-volumes.ts';

export interface VolumeWatch {
  /** The message for the service's owner with its time; `undefined` if no volume of the service is missing. */
  lossOf(serviceId: string): { sentence: string; at: number } | undefined;
  stop(): void;
}

export const volumesLookMs = 30_000;

export function watchVolumes(parts: {
  docker: DockerHost;
  known: KnownVolumes;
  clock: Clock;
  logger: Pick<Logger, 'warn' | 'info'>;
  /** Called when a volume of a service is missing, or is found again. */
  changed: () => void;
}): VolumeWatch {
  const { docker, known, clock, logger, changed } = parts;
  const stopping = new AbortController();
  let gone = new Map<string, { serviceId: string; at: number }>();

  async function look(): Promise<void> {
    // Volumes created while Docker lists them are not in the list.
    const expected = new Map(known.all());
    const found = await instanceVolumes(docker);
    const services = found.map(({ name, labels: of }) => [name, of[labels.service] ?? ''] as const);
    known.add(new Map(services.filter(([, serviceId]) => serviceId !== '')));
    const present = new Set(found.map(({ name }) => name));
    const absent = [...expected].filter(([name]) => !present.has(name) && known.has(name));
    const missing = new Map(
      absent.map(([name, serviceId]) => [name, gone.get(name) ?? { serviceId, at: clock.now() }]),
    );
    for (const [name, { serviceId }] of missing)
      if (!gone.has(name)) logger.warn(`${serviceId}: ${goneSentence(docker, name, serviceId)}`);
    for (const name of gone.keys())
      if (!missing.has(name)) logger.info(`the volume ${name} is there again, or was removed by Longshore`);
    const isChanged = [...missing.keys()].join() !== [...gone.keys()].join();
    gone = missing;
    if (isChanged) changed();
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      // Nothing is known without Docker.
      await look().catch((error: unknown) => logger.info(`volumes were not looked at: ${messageOf(error)}`));
      await pause(clock, volumesLookMs, stopping.signal);
    }
  }

  void run();
  return {
    lossOf(serviceId) {
      const [name, lost] = [...gone].find(([, of]) => of.serviceId === serviceId) ?? [];
      if (name === undefined || !lost) return undefined;
      return { sentence: goneSentence(docker, name, serviceId), at: lost.at };
    },
    stop: () => stopping.abort(),
  };
}
