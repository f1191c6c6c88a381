/** Access to the hosts: one RunnerHub object per runner. */
import { ApiError } from '../domain/errors.ts';
import type { Connection, HostCalls, HubCalls } from './object-calls.ts';

export interface RunnerHubs extends HostCalls {
  /**
   * Opens the control socket of an existing runner that is not revoked.
   * @returns the client's end, not yet accepted
   */
  connect(connection: Connection): Promise<WebSocket>;
}

/**
 * Calls the hubs. Calls that only shorten a wait never throw if the hub fails: hello and cron find the work in D1. `jobEnds` then returns
 * false, and the caller reads the row; `runTask` returns a reason. `request` throws ApiError `runner_offline` for a host that is not
 * connected, and `timeout` if it did not answer or the connection was lost.
 */
export function createRunnerHubs(namespace: DurableObjectNamespace<HubCalls>): RunnerHubs {
  // A new stub per call, because a stub that threw an error may stay broken.
  const hubOf = (runnerId: string) => namespace.get(namespace.idFromName(runnerId));
  return {
    wake: (runnerId) => attempt('wake', () => hubOf(runnerId).wake(runnerId)),
    abortJob: (runnerId, jobId) => attempt('abort', () => hubOf(runnerId).abortJob(runnerId, jobId)),
    watchLog: (runnerId, jobId) => attempt('watch', () => hubOf(runnerId).watchLog(runnerId, jobId)),
    async runTask(runnerId, taskId, timeoutMs) {
      try {
        return await hubOf(runnerId).runTask(runnerId, taskId, timeoutMs);
      } catch (error) {
        console.error(`The task ${taskId} could not be sent now:`, error);
        return { ok: false, detail: 'The host could not be reached; it will do this as soon as possible.' };
      }
    },
    async request(runnerId, request, timeoutMs) {
      const answer = await hubOf(runnerId).request(runnerId, request, timeoutMs).catch(lost);
      if (!answer.ok && (answer.code === 'runner_offline' || answer.code === 'timeout')) {
        throw new ApiError(answer.code, answer.message);
      }
      return answer;
    },
    async jobEnds(runnerId, jobId, timeoutMs) {
      try {
        return await hubOf(runnerId).jobEnds(runnerId, jobId, timeoutMs);
      } catch (error) {
        console.error(`Waiting for the end of ${jobId} failed:`, error);
        return false;
      }
    },
    isConnected: async (runnerId) => await hubOf(runnerId).isConnected(runnerId),
    sendSetting: (runnerId, setting) =>
      attempt(setting, () => hubOf(runnerId).sendSetting(runnerId, setting)),
    revoke: async (runnerId) => await hubOf(runnerId).revoke(runnerId),
    connect: (connection) => openSocket(hubOf(connection.runnerId), connection),
  };
}

/** The hub failed, for example because its code was updated; the request may have reached the host. */
function lost(cause: unknown): never {
  throw new ApiError('timeout', 'The connection to the host was lost before it answered.', { cause });
}

async function attempt(what: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    console.error(`A call to a hub (${what}) failed; it will find the work in the database:`, error);
  }
}

async function openSocket(hub: DurableObjectStub<HubCalls>, connection: Connection): Promise<WebSocket> {
  const response = await hub.fetch('https://runner-hub/', {
    headers: { upgrade: 'websocket', 'x-longshore-connection': JSON.stringify(connection) },
  });
  if (response.webSocket) return response.webSocket;
  await response.body?.cancel();
  throw new Error(`The hub answered ${response.status} instead of a WebSocket.`);
}
