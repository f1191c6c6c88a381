/** Access to the hosts: one RunnerHub object per runner. Every call is safe to repeat; the rows in D1 are the source of truth. */
import type { HostRequest } from '../../protocol/host-request.ts';
import type { ProxyResult } from '../../protocol/host-task.ts';
import { ApiError } from '../domain/errors.ts';
import type { Connection, HostAnswer, HubCalls } from './object-calls.ts';

export interface RunnerHubs {
  /** Looks for work for this host now. Never throws: hello and cron make up for a lost wake-up. */
  wake(runnerId: string): Promise<void>;
  /** Tells the host to stop a job whose row already carries `abort_requested_at`. Never throws. */
  abortJob(runnerId: string, jobId: string): Promise<void>;
  /** A client is reading this job's log: the host flushes it every 250 ms until it is told to stop. Never throws. */
  watchLog(runnerId: string, jobId: string): Promise<void>;
  /**
   * Sends a pending `host_tasks` row now and waits for its end.
   * @returns the host's proxy result; `ok: false` with the reason if the host is offline or did not answer in time (the row stays, and the
   *   task runs when the host reconnects)
   */
  runTask(runnerId: string, taskId: string, timeoutMs: number): Promise<ProxyResult>;
  /**
   * Asks the host and waits for its answer.
   * @returns the value, or the host's own refusal
   * @throws ApiError `runner_offline` if it is not connected; `timeout` if it did not answer within `timeoutMs` or the connection was lost
   */
  request(runnerId: string, request: HostRequest, timeoutMs: number): Promise<HostAnswer>;
  /**
   * Waits until the host has reported the end of this job and the end is stored.
   * @returns false if it has not ended after `timeoutMs`, or if the hub was lost; then read the row
   */
  jobEnds(runnerId: string, jobId: string, timeoutMs: number): Promise<boolean>;
  isConnected(runnerId: string): Promise<boolean>;
  /** Sends the host its alert rules. Never throws: a host that is not connected gets them when it connects. */
  sendAlertRules(runnerId: string): Promise<void>;
  /** Sends the host the log drains of its projects. Never throws: a host that is not connected gets them when it connects. */
  sendLogDrains(runnerId: string): Promise<void>;
  /** Closes the socket permanently (close code 4003). */
  revoke(runnerId: string): Promise<void>;
  /**
   * Opens the control socket of a runner that exists and is not revoked.
   * @returns the client's end, not yet accepted
   */
  connect(connection: Connection): Promise<WebSocket>;
}

export function createRunnerHubs(namespace: DurableObjectNamespace<HubCalls>): RunnerHubs {
  // A new stub per call, because one that threw an error may stay broken.
  const hubOf = (runnerId: string) => namespace.get(namespace.idFromName(runnerId));
  return {
    wake: (runnerId) => attempt('wake', () => hubOf(runnerId).wake(runnerId)),
    abortJob: (runnerId, jobId) => attempt('abort', () => hubOf(runnerId).abortJob(runnerId, jobId)),
    watchLog: (runnerId, jobId) => attempt('watch', () => hubOf(runnerId).watchLog(jobId)),
    async runTask(runnerId, taskId, timeoutMs) {
      try {
        return await hubOf(runnerId).runTask(runnerId, taskId, timeoutMs);
      } catch (error) {
        console.error(`The task ${taskId} could not be sent now:`, error);
        return { ok: false, detail: 'The host could not be reached; it will do this as soon as possible.' };
      }
    },
    async request(runnerId, request, timeoutMs) {
      const answer = await hubOf(runnerId).request(request, timeoutMs).catch(lost);
      if (!answer.ok && (answer.code === 'runner_offline' || answer.code === 'timeout')) {
        throw new ApiError(answer.code, answer.message);
      }
      return answer;
    },
    async jobEnds(runnerId, jobId, timeoutMs) {
      try {
        return await hubOf(runnerId).jobEnds(jobId, timeoutMs);
      } catch (error) {
        console.error(`Waiting for the end of ${jobId} failed:`, error);
        return false;
      }
    },
    isConnected: async (runnerId) => await hubOf(runnerId).isConnected(),
    sendAlertRules: (runnerId) => attempt('alert rules', () => hubOf(runnerId).sendAlertRules()),
    sendLogDrains: (runnerId) => attempt('log drains', () => hubOf(runnerId).sendLogDrains()),
    revoke: async (runnerId) => await hubOf(runnerId).revoke(),
    connect: (connection) => openSocket(hubOf(connection.runnerId), connection),
  };
}

/** The hub was lost, for example because its code was updated; the request may have reached the host. */
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
