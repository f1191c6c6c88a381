/** Follows a log to its end, over lost connections: it resumes after the last line. */
import type { EventOf } from '../../client/client.ts';
import { LongshoreError } from '../../client/client.ts';
import { api } from './client.ts';
import { pause } from './pause.ts';
import { waitAgainMs } from './wait-again.ts';

type LogEvent =
  | EventOf<'GET /api/deployments/:deploymentId/stream'>
  | EventOf<'GET /api/services/:serviceId/runs/:runId/stream'>
  | EventOf<'GET /api/services/:serviceId/runtime-logs/stream'>;
export type LogEntry = Extract<LogEvent, { event: 'log' }>['data'];
export type Ending = Extract<LogEvent, { event: 'status' }>['data'];

/** Waits before the first repeat, and at most. */
const waitMs = { first: 500, most: 10_000 };

export interface Following {
  onLines(lines: readonly LogEntry[]): void;
  /** Undefined: a stream that the server ends is opened again. */
  onEnd?(ending: Ending): void;
  /** A refusal that no repeat changes. */
  onRefusal(error: LongshoreError): void;
  /** It can't be followed now, such as while the host is away; it is tried again. */
  onTrouble?(error: LongshoreError): void;
  /** Whether the stream is open. */
  onOpen(isOpen: boolean): void;
}

/** @param signal ends it */
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

/** What a command prints. @param signal ends it */
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

/** What a service prints, from the last 200 lines on. @param signal ends it */
export const followRuntimeLog = (
  serviceId: string,
  following: Following,
  signal: AbortSignal,
): Promise<void> =>
  follow(
    (options) =>
      api.events('GET /api/services/:serviceId/runtime-logs/stream', {
        ...options,
        params: { serviceId },
        signal,
      }),
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
