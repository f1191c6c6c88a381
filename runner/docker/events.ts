/** Docker's event stream: something has changed with one of our containers. */
import { setTimeout as delay } from 'node:timers/promises';
import { call, type DockerHost, ownedBy } from './client.ts';
import { streamedJson } from './streamed-json.ts';

/** After a lost stream: long enough not to spin while the daemon restarts, short enough to see a crash soon. */
const reconnectMs = 2_000;

/**
 * Calls `onChange` whenever a container of this instance starts, dies, is renamed or removed, and once after every
 * reconnect (events may have been missed). Resolves when the signal is aborted.
 */
export async function watchContainers(
  host: DockerHost,
  onChange: () => void,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      const stream = await call('watch the events', () =>
        host.engine.getEvents({
          filters: { type: ['container'], event: ['start', 'die', 'destroy', 'rename'], ...ownedBy(host) },
        }),
      );
      onChange();
      for await (const _ of streamedJson(stream, signal)) onChange();
    } catch {
      // The daemon went away or the signal was aborted: the loop's condition tells.
    }
    await delay(reconnectMs, undefined, { signal }).catch(() => undefined);
  }
}
