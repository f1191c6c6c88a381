/** Follows a log to its end. After a lost connection it resumes after the last line. */
import type { EventOf } from '../../client/client.ts';
import { LongshoreError } from '../../client/client.ts';
import { api } from './client.ts';
import { pause } from './pause.ts';
import { waitAgainMs } from './wait-again.ts';

type LogEvent =
  | EventOf<'GET /api/deployments/:deploymentId/stream'>
  | EventOf<'GET /api/services/:serviceId/runs/:runId/stream'>;
export type LogEntry = Extract<LogEvent, { event: 'log' }>['data'];
export type Ending = Extract<LogEvent, { event: 'status' }>['data'];

/** The first and the longest wait before a retry. */
const waitMs = { first: 500, most: 10_000 };

export interface Following {
  onLines(lines: readonly LogEntry[]): void;
  /** Undefined: if the server ends the stream, it is opened again. */
  onEnd?(ending: Ending): void;
  /** The server refused the stream, and a retry does not help. */
  onRefusal(error: LongshoreError): void;
  /** The log can't be followed now, for example while the host is not connected; it is retried. */
  onTrouble?(error: LongshoreError): void;
  /** Whether the stream is open. */
  onOpen(isOpen: boolean): void;
}

/** @param signal stops following */
export const followDeployment = (
  deploymentId: string,
  following: Following,
  signal: AbortSignal,
): Promise<void> =>
  follow(
    (options) =>
      api.events('GET /api/deployments/:deploymentId/stream', {
        ...options,
        params: { deploymentId },
        signal,
      }),
    following,
    signal,
  );

/** Follows the output of a command. @param signal stops following */
export const followRun = (
  params: { serviceId: string; runId: string },
  following: Following,
  signal: AbortSignal,
): Promise<void> =>
  follow(
    (options) =>
      api.events('GET /api/services/:serviceId/runs/:runId/stream', { ...options, params, signal }),
    following,
    signal,
  );

async function follow(
  open: (options: { lastEventId?: string }) => AsyncIterable<LogEvent & { id?: string | undefined }>,
  following: Following,
  signal: AbortSignal,
): Promise<void> {
  let lastEventId: string | undefined;
  for (let wait = waitMs.first; !signal.aborted; wait = Math.min(wait * 2, waitMs.most)) {
    let refusal: unknown;
    try {
      for await (const event of open(lastEventId ? { lastEventId } : {})) {
        wait = waitMs.first;
        following.onOpen(true);
        lastEventId = event.id ?? lastEventId;
        if (event.event === 'snapshot') following.onLines(event.data);
        if (event.event === 'log') following.onLines([event.data]);
        if (event.event === 'status' && following.onEnd) return following.onEnd(event.data);
      }
    } catch (error) {
      refusal = error;
      const isRefusal = error instanceof LongshoreError && error.status < 500 && error.status !== 429;
      if (isRefusal) return following.onRefusal(error);
      if (error instanceof LongshoreError) following.onTrouble?.(error);
    }
    following.onOpen(false);
    await pause(waitAgainMs(wait, refusal), signal);
  }
}
