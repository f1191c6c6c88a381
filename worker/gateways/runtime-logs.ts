/** Access to the logs of running containers: one RuntimeLog object per service. */
import { ApiError } from '../domain/errors.ts';
import { type LogReader, readerQuery, tooManyReaders } from './log-reader.ts';
import type { RuntimeLogCalls } from './object-calls.ts';

export interface RuntimeLogs {
  /**
   * A WebSocket, not yet accepted, that sends finished Server-Sent Events text: a snapshot of the last 200 lines above `after`, then every
   * new line. At most `readWindowBytes` are sent ahead and the reader grants more, as for build logs.
   * @throws ApiError `runner_offline` if the host is not connected; `rate_limited` if the log or the key has too many
   *   readers
   */
  subscribe(service: { id: string; runnerId: string }, after: number, reader: LogReader): Promise<WebSocket>;
  /** Ensures that the host still follows the container; ends the stream if the host is not connected. */
  keepFollowing(serviceId: string): Promise<void>;
  /** Ends the streams of the service's old host after a move to this host. Never throws: they end with the next reader at the latest. */
  moveTo(serviceId: string, runnerId: string): Promise<void>;
}

export function createRuntimeLogs(namespace: DurableObjectNamespace<RuntimeLogCalls>): RuntimeLogs {
  return {
    async subscribe({ id, runnerId }, after, reader) {
      const address = `https://runtime-log/?service=${id}&runner=${runnerId}&after=${after}&${readerQuery(reader)}`;
      const response = await runtimeLogOf(namespace, id).fetch(address, {
        headers: { upgrade: 'websocket' },
      });
      if (response.webSocket) return response.webSocket;
      if (response.status === 429) throw await tooManyReaders(response, reader);
      await response.body?.cancel();
      throw refusal(response.status);
    },
    keepFollowing: async (serviceId) => await runtimeLogOf(namespace, serviceId).keepFollowing(),
    async moveTo(serviceId, runnerId) {
      try {
        await runtimeLogOf(namespace, serviceId).moveTo(runnerId);
      } catch (error) {
        console.error(`The readers of the log of ${serviceId} could not be told that it has moved:`, error);
      }
    },
  };
}

export function runtimeLogOf(
  namespace: DurableObjectNamespace<RuntimeLogCalls>,
  serviceId: string,
): DurableObjectStub<RuntimeLogCalls> {
  return namespace.get(namespace.idFromName(serviceId));
}

function refusal(status: number): Error {
  if (status === 503)
    return new ApiError(
      'runner_offline',
      "The service's host is not connected, so its log can't be read now.",
    );
  return new Error(`The runtime log answered ${status} instead of a WebSocket.`);
}
