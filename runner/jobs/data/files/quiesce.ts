/** Quiesces a service while its volume is copied, and always wakes it again: the journal contains the unfinished work of a killed runner. */
import { z } from 'zod';
import { stableContainerName } from '../../../../protocol/names.ts';
import { type Quiesce, quiesceSchema } from '../../../../protocol/volumes/volume-job-spec.ts';
import { crashPoint } from '../../../base/crash-point.ts';
import { JobFailure } from '../../../base/job-failure.ts';
import { listServiceContainers, stopContainer } from '../../../docker/containers.ts';
import { execTools } from '../../../docker/exec-tools.ts';
import type { JobContext } from '../../job.ts';
import { holdTraffic, logVainWait } from '../../parts/hold-traffic.ts';
import { startLive } from '../../parts/start-live.ts';
import { persist } from './persist.ts';
import type { VolumeJobParts } from './volume-attempt.ts';

/** Enough to flush a database to disk. */
const commandTimeoutMs = 5 * 60_000;
/** Programs write their files before they exit. */
const stopGraceSeconds = 60;

interface Service {
  parts: Pick<VolumeJobParts, 'docker' | 'traffic'>;
  serviceId: string;
  context: JobContext;
}

const checkpointSchema = z.object({ quiesced: quiesceSchema.nullable().default(null) });

/** The service that a previous process has not woken again. */
export const quiescedIn = (checkpoint: Record<string, unknown>): Quiesce | null =>
  checkpointSchema.parse(checkpoint).quiesced;

/**
 * Runs the copy while the service is quiesced.
 * @throws JobFailure `dump_failed` when a command fails, `database_down` when there is no container for it; the errors of `copy`
 */
export async function whileQuiet<T>(service: Service, quiesce: Quiesce, copy: () => Promise<T>): Promise<T> {
  if (quiesce.type === 'none') return await copy();
  service.context.checkpoint({ quiesced: quiesce });
  let copied: T;
  try {
    await calm(service, quiesce);
    crashPoint('dump:quiesced');
    copied = await copy();
  } catch (error) {
    await wake(service, quiesce).catch((second: unknown) => {
      service.context.log.line('system', second instanceof Error ? second.message : String(second));
    });
    throw error;
  }
  await wake(service, quiesce);
  return copied;
}

/** Stops the live container; does nothing if none runs. @throws DockerError */
export async function stopLive({ parts, serviceId, context }: Service): Promise<void> {
  const live = await findLive({ parts, serviceId });
  if (!(live?.running || live?.restarting)) return;
  await holdTraffic(parts.traffic, serviceId, context.log);
  logVainWait(context.log, await stopContainer(parts.docker, live.id, stopGraceSeconds));
}

/** Starts the live container again, unless the owner of the service has stopped it. @throws DockerError, after an hour */
export const startService = (service: Service): Promise<void> =>
  persist(() => startLive(service.parts, service.serviceId), sayTo(service));

/** Wakes the service. A service that its owner has stopped stays stopped. @throws JobFailure, DockerError */
export async function wake(service: Service, quiesce: Quiesce): Promise<void> {
  if (quiesce.type === 'command') await runCommand(service, 'after', quiesce.after);
  if (quiesce.type === 'stop') await startService(service);
  service.context.checkpoint({ quiesced: null });
}

export const sayTo =
  ({ context }: Pick<Service, 'context'>) =>
  (line: string) =>
    context.log.line('system', line);

async function calm(service: Service, quiesce: Exclude<Quiesce, { type: 'none' }>): Promise<void> {
  if (quiesce.type === 'command') return await runCommand(service, 'before', quiesce.before);
  service.context.log.line('system', 'The service is stopped while its volume is copied.');
  await stopLive(service);
}

async function runCommand(service: Service, which: 'before' | 'after', line: string): Promise<void> {
  const { parts, context } = service;
  const live = await findLive(service);
  if (!live?.running) {
    throw new JobFailure(
      'database_down',
      `The service does not run, so the command "${which}" can't run in it: choose the quiesce mode "none" or "stop".`,
    );
  }
  // The second command runs although the job was aborted: it ends the work of the first one.
  const timeout = AbortSignal.timeout(commandTimeoutMs);
  const signal = which === 'before' ? AbortSignal.any([context.signal, timeout]) : timeout;
  const tools = execTools(parts.docker, live.id);
  const { code, stderr } = await tools.run(['sh', '-c', line], { signal }).catch((error: unknown) => {
    if (!timeout.aborted) throw error;
    throw new JobFailure(
      'dump_failed',
      `The command "${which}" has not ended after five minutes, and was killed.`,
    );
  });
  if (stderr) context.log.line('stderr', stderr);
  if (code === 0) return;
  throw new JobFailure(
    'dump_failed',
    `The command "${which}" ended with exit code ${code}. ${stderr}`.trim(),
  );
}

async function findLive({ parts, serviceId }: Pick<Service, 'parts' | 'serviceId'>) {
  const containers = await listServiceContainers(parts.docker, serviceId);
  return containers.find(({ name }) => name === stableContainerName(serviceId));
}
