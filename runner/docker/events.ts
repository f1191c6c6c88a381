/** Docker's event stream: reports changes of our containers, and of the default network. */
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { call, type DockerHost, ownedBy } from './client.ts';
import { streamedJson } from './streamed-json.ts';

/** Pause after a lost stream: long enough not to spin while the daemon restarts, short enough to notice a crash soon. */
const reconnectMs = 2_000;
/** Past events arrive at once; with `until` one second from now, the stream ends within that second. */
const pastEventsTimeoutMs = 5_000;

const exitEventSchema = z.object({
  Actor: z.object({ Attributes: z.object({ exitCode: z.coerce.number() }) }),
});

/**
 * The exit code of a container's last end, even when Docker has restarted it: by then its state no longer contains the code.
 * The daemon keeps a few hundred events; null when this one is no longer among them.
 */
export async function lastExitCode(host: DockerHost, containerId: string): Promise<number | null> {
  let exitCode: number | null = null;
  const signal = AbortSignal.timeout(pastEventsTimeoutMs);
  const stream = await call('read the events', () =>
    host.engine.getEvents({
      since: 1,
      until: Math.ceil(Date.now() / 1000),
      filters: { type: ['container'], event: ['die'], container: [containerId] },
    }),
  );
  for await (const event of streamedJson(stream, signal)) {
    exitCode = exitEventSchema.safeParse(event).data?.Actor.Attributes.exitCode ?? exitCode;
  }
  return exitCode;
}

/**
 * Calls `onChange` whenever a container of this instance starts, dies, is renamed or removed, or its health changes, and once after every
 * reconnect, because events may have been missed. Resolves when the signal is aborted.
 */
export function watchContainers(host: DockerHost, onChange: () => void, signal: AbortSignal): Promise<void> {
  const filters = {
    type: ['container'],
    event: ['start', 'die', 'destroy', 'rename', 'health_status'],
    ...ownedBy(host),
  };
  return watchEvents(host, filters, onChange, signal);
}

/**
 * Calls `onChange` whenever anybody's container joins or leaves Docker's default network, and once after every reconnect. A container that
 * joins has its address, and does not run yet. Resolves when the signal is aborted.
 */
export function watchDefaultNetwork(
  host: DockerHost,
  onChange: () => void,
  signal: AbortSignal,
): Promise<void> {
  const filters = { type: ['network'], event: ['connect', 'disconnect'], network: ['bridge'] };
  return watchEvents(host, filters, onChange, signal);
}

async function watchEvents(
  host: DockerHost,
  filters: Record<string, string[]>,
  onChange: () => void,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      const stream = await call('watch the events', () => host.engine.getEvents({ filters }));
      onChange();
      for await (const _ of streamedJson(stream, signal)) onChange();
    } catch {
      // The daemon went away, or the signal was aborted: the loop's condition decides.
    }
    await delay(reconnectMs, undefined, { signal }).catch(() => undefined);
  }
}
