/** How use cases reach the hosts: one RunnerHub object a runner. Every call is safe to repeat; rows in D1 stay the truth. */
import type { HostRequest } from '../../protocol/host-request.ts';
import type { ProxyResult } from '../../protocol/host-task.ts';
import { ApiError } from '../domain/errors.ts';
import type { Connection, HostAnswer, HubCalls } from './object-calls.ts';

export interface RunnerHubs {
  /** Looks for work for this host now. Never throws: a lost wake-up is made good by hello and by cron. */
  wake(runnerId: string): Promise<void>;
  /** Tells the host to stop a job whose row already carries `abort_requested_at`. Never throws. */
  abortJob(runnerId: string, jobId: string): Promise<void>;
  /** Somebody reads this job's log: the host flushes every 50 ms until told otherwise. Never throws. */
  watchLog(runnerId: string, jobId: string): Promise<void>;
  /**
   * Sends a pending `host_tasks` row now and waits for its end.
   * @returns the host's proxy result; `ok: false` with the reason when the host is offline or did not answer in time
   *   (the row stays and is done on its return).
   */
  runTask(runnerId: string, taskId: string, timeoutMs: number): Promise<ProxyResult>;
  /**
   * Asks the host and waits for its answer.
   * @returns the value, or the host's own refusal.
   * @throws ApiError `runner_offline` when it is not connected; `timeout` when it did not answer within `timeoutMs`, or it or its hub was lost.
   */
  request(runnerId: string, request: HostRequest, timeoutMs: number): Promise<HostAnswer>;
  /**
   * Waits until the host has told the end of this job, and that is written.
   * @returns false when it has not ended after `timeoutMs`; then, and after a lost hub, its row says more.
   */
  jobEnds(runnerId: string, jobId: string, timeoutMs: number): Promise<boolean>;
  isConnected(runnerId: string): Promise<boolean>;
  /** Closes the socket for good (close code 4003). */
  revoke(runnerId: string): Promise<void>;
  /**
   * Opens the control socket of a runner that is in D1 and not revoked.
   * @returns the client's end, not yet accepted.
   * @throws ApiError `rate_limited` when too many sockets of this runner are still to prove themselves.
   */
  connect(connection: Connection): Promise<WebSocket>;
}

const connectRetryAfterSeconds = 10;

export function createRunnerHubs(namespace: DurableObjectNamespace<HubCalls>): RunnerHubs {
  // A fresh stub a call: one that met an error may stay broken.
  const hubOf = (runnerId: string) => namespace.get(namespace.idFromName(runnerId));
  return {
    wake: (runnerId) => attempt('wake', () => hubOf(runnerId).wake(runnerId)),
    abortJob: (runnerId, jobId) => attempt('abort', () => hubOf(runnerId).abortJob(runnerId, jobId)),
    watchLog: (runnerId, jobId) => attempt('watch', () => hubOf(runnerId).watchLog(jobId)),
    async runTask(runnerId, taskId, timeoutMs) {
      try {
        return await hubOf(runnerId).runTask(runnerId, taskId, timeoutMs);
      } catch (error) {
        console.error(`task ${taskId} could not be sent now`, error);
        return { ok: false, detail: 'The host could not be reached; it does this as soon as it can be.' };
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
        console.error(`the end of ${jobId} could not be waited for`, error);
        return false;
      }
    },
    isConnected: async (runnerId) => await hubOf(runnerId).isConnected(),
    revoke: async (runnerId) => await hubOf(runnerId).revoke(),
    connect: (connection) => openSocket(hubOf(connection.runnerId), connection),
  };
}

/** The hub itself was lost, as when its code is updated: the host may have been asked. */
function lost(cause: unknown): never {
  throw new ApiError('timeout', 'The connection to the host broke off before its answer.', { cause });
}

async function attempt(what: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    console.error(`a hub could not be told to ${what}; its rows will tell it`, error);
  }
}

async function openSocket(hub: DurableObjectStub<HubCalls>, connection: Connection): Promise<WebSocket> {
  const response = await hub.fetch('https://runner-hub/', {
    headers: { upgrade: 'websocket', 'x-longshore-connection': JSON.stringify(connection) },
  });
  if (response.webSocket) return response.webSocket;
  await response.body?.cancel();
  if (response.status === 429) {
    throw new ApiError('rate_limited', 'Too many connections of this runner are being opened at once.', {
      retryAfterSeconds: connectRetryAfterSeconds,
    });
  }
  throw new Error(`The hub answered ${response.status} instead of a WebSocket.`);
}
