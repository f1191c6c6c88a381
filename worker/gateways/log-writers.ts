/** The sockets on which hosts send lines directly to the objects of their logs. */
import { type LogWriter, logWriterHeader } from '../domain/logs/log-writer.ts';
import { logStreamOf } from './log-streams.ts';
import type { LogStreamCalls, RuntimeLogCalls } from './object-calls.ts';
import { runtimeLogOf } from './runtime-logs.ts';

export interface LogWriters {
  /** @returns the host's end of the socket, not yet accepted; null if the log has no reader any more, or if a later attempt writes it */
  open(writer: LogWriter): Promise<WebSocket | null>;
  /** Closes the sockets of a host to one log. */
  close(runnerId: string, log: Pick<LogWriter['log'], 'kind' | 'id'>): Promise<void>;
}

export interface LogNamespaces {
  LOG_STREAM: DurableObjectNamespace<LogStreamCalls>;
  RUNTIME_LOG: DurableObjectNamespace<RuntimeLogCalls>;
}

export function createLogWriters(namespaces: LogNamespaces): LogWriters {
  const objectOf = ({ kind, id }: Pick<LogWriter['log'], 'kind' | 'id'>) =>
    kind === 'job' ? logStreamOf(namespaces.LOG_STREAM, id) : runtimeLogOf(namespaces.RUNTIME_LOG, id);
  return {
    async open(writer) {
      const response = await objectOf(writer.log).fetch('https://log/', {
        headers: { upgrade: 'websocket', [logWriterHeader]: JSON.stringify(writer) },
      });
      if (!response.webSocket) await response.body?.cancel();
      return response.webSocket;
    },
    close: async (runnerId, log) => await objectOf(log).closeWriters(runnerId),
  };
}
