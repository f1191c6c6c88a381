/** Follows the output of a service, or of several services of a project. After a lost connection it resumes after the last line. */
import type { CallOptions, EventOf } from '../../client/client.ts';
import { LongshoreError } from '../../client/client.ts';
import { api } from './client.ts';
import { pause } from './pause.ts';
import { waitAgainMs } from './wait-again.ts';

type KeptEvent = EventOf<'GET /api/projects/:projectId/runtime-logs/follow'>;
export type KeptLine = Extract<KeptEvent, { event: 'lines' }>['data'][number];
/** What the stream leaves out, and which hosts do not answer. */
export type FollowState = Extract<KeptEvent, { event: 'state' }>['data'];
export type LogFilters = Omit<
  NonNullable<CallOptions<'GET /api/projects/:projectId/runtime-logs/follow'>['query']>,
  'lines'
>;
/** The service, or the project of the services. */
export type LogsOf = { serviceId: string } | { projectId: string };

/** The first and the longest wait before a retry. */
const waitMs = { first: 500, most: 10_000 };

interface Following {
  onLines(lines: readonly KeptLine[]): void;
  onState(state: FollowState): void;
  /** Why no lines arrive. `isFinal`: a retry does not help. */
  onTrouble(sentence: string, isFinal: boolean): void;
  onOpen(isOpen: boolean): void;
}

/** @param signal stops following */
export async function followKept(
  of: LogsOf,
  query: LogFilters & { lines?: number },
  following: Following,
  signal: AbortSignal,
): Promise<void> {
  let lastEventId: string | undefined;
  for (let wait = waitMs.first; !signal.aborted; wait = Math.min(wait * 2, waitMs.most)) {
    let refusal: unknown;
    try {
      const more = { query, signal, ...(lastEventId === undefined ? {} : { lastEventId }) };
      const events =
        'serviceId' in of
          ? api.events('GET /api/services/:serviceId/runtime-logs/follow', { params: of, ...more })
          : api.events('GET /api/projects/:projectId/runtime-logs/follow', { params: of, ...more });
      for await (const event of events) {
        wait = waitMs.first;
        following.onOpen(true);
        if (event.event === 'state') following.onState(event.data);
        if (event.event !== 'lines') continue;
        lastEventId = event.id;
        following.onLines(event.data);
      }
    } catch (error) {
      refusal = error;
      if (signal.aborted) return;
      if (error instanceof LongshoreError) {
        const isFinal = error.status < 500 && error.status !== 429;
        following.onTrouble(error.message, isFinal);
        if (isFinal) return;
      }
    }
    following.onOpen(false);
    await pause(waitAgainMs(wait, refusal), signal);
  }
}
