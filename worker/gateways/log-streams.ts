/** Access to build logs: one LogStream object per deployment. */
import { ApiError } from '../domain/errors.ts';
import type { StoredLine } from '../domain/logs/log-intake.ts';
import type { LogPage } from '../domain/logs/log-window.ts';
import { type LogReader, readerQuery, tooManyReaders } from './log-reader.ts';
import type { LogEnd, LogStreamCalls } from './object-calls.ts';

export type { StoredLine } from '../domain/logs/log-intake.ts';
export type { LogPage } from '../domain/logs/log-window.ts';

export interface LogStreams {
  /**
   * Lines with an id above `after`, in order, up to about 256 KB of text per call.
   * @returns `more` if lines remain: call again with the last id
   */
  read(deploymentId: string, after: number): Promise<{ lines: StoredLine[]; more: boolean }>;
  /**
   * The same page as finished text: deployment log entries as comma-separated JSON objects, which the Worker copies without parsing.
   * @param limit maximum number of lines; if absent, as many as fit
   */
  readEntries(deploymentId: string, after: number, limit?: number): Promise<LogPage>;
  /** The last lines, in order: at least `chars` characters if there are that many; read in whole chunks of about 64 KB. */
  readTail(deploymentId: string, chars: number): Promise<StoredLine[]>;
  /**
   * A WebSocket, not yet accepted, on which the object sends finished Server-Sent Events text: the snapshot after `after`, then every line,
   * then `status`, then it closes. The object sends at most `readWindowBytes` ahead; the reader grants more by sending the number of bytes
   * that were passed on.
   * @throws ApiError `rate_limited` if the log or the key has too many readers
   */
  subscribe(deploymentId: string, after: number, reader: LogReader): Promise<WebSocket>;
  /**
   * Ends the log of a final deployment: stores the buffer, adds `line` (stream `system`) if given, sends `status` with the ending to all
   * subscribers and closes them. Later lines are acknowledged and discarded. Repeats change nothing.
   * @throws ApiError `unavailable` if the log is in the archive, and the bucket fails
   */
  finish(deploymentId: string, end: LogEnd): Promise<void>;
  /** Empties the object. */
  purge(deploymentId: string): Promise<void>;
}

/** Maximum attempts of a call, for when an object restarts; every call here is safe to repeat. */
const callAttempts = 3;
const retryDelayMs = 100;

export function createLogStreams(namespace: DurableObjectNamespace<LogStreamCalls>): LogStreams {
  const call = <Result>(
    deploymentId: string,
    work: (stub: DurableObjectStub<LogStreamCalls>) => Promise<Result>,
  ) => withRetry(() => work(logStreamOf(namespace, deploymentId)));
  return {
    read: (deploymentId, after) => call(deploymentId, async (stub) => await stub.read(after)),
    readEntries: (deploymentId, after, limit) =>
      call(deploymentId, async (stub) => await stub.readEntries(deploymentId, after, limit)),
    readTail: (deploymentId, chars) => call(deploymentId, async (stub) => await stub.readTail(chars)),
    subscribe: (deploymentId, after, reader) =>
      call(deploymentId, (stub) => openSubscription(stub, { deploymentId, after, reader })),
    async finish(deploymentId, end) {
      const { trouble } = await call(
        deploymentId,
        async (stub) => await stub.finish({ ...end, deploymentId }),
      );
      if (trouble === undefined) return;
      throw new ApiError('unavailable', `This log is in the archive, which can't be read now: ${trouble}`);
    },
    purge: (deploymentId) => call(deploymentId, async (stub) => await stub.purge()),
  };
}

export function logStreamOf(
  namespace: DurableObjectNamespace<LogStreamCalls>,
  deploymentId: string,
): DurableObjectStub<LogStreamCalls> {
  return namespace.get(namespace.idFromName(deploymentId));
}

async function openSubscription(
  stub: DurableObjectStub<LogStreamCalls>,
  { deploymentId, after, reader }: { deploymentId: string; after: number; reader: LogReader },
): Promise<WebSocket> {
  const address = `https://log-stream/?deployment=${deploymentId}&after=${after}&${readerQuery(reader)}`;
  const response = await stub.fetch(address, { headers: { upgrade: 'websocket' } });
  if (response.webSocket) return response.webSocket;
  if (response.status === 429) throw await tooManyReaders(response, reader);
  await response.body?.cancel();
  throw new Error(`The log stream answered ${response.status} instead of a WebSocket.`);
}

/**
 * Retries a call. Objects restart on deploys and moves: such errors are `retryable` and need a new stub. An overloaded object must not be
 * retried (https://developers.cloudflare.com/durable-objects/best-practices/error-handling/).
 */
async function withRetry<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt === callAttempts || !isRetryable(error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, retryDelayMs * attempt));
    }
  }
}

function isRetryable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const flags = error as Error & { retryable?: boolean; overloaded?: boolean };
  return flags.retryable === true && flags.overloaded !== true;
}
