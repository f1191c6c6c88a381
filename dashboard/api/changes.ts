/**
 * Shows changes by other people and reports of hosts automatically: each page passes the project that it shows, and one stream of events reports
 * the changes. There is no polling by time. While the tab is hidden the stream is closed; it resumes at its last position.
 */
import { createEffect, createRoot, createSignal, on, onCleanup } from 'solid-js';
import { type EventOf, LongshoreError } from '../../client/client.ts';
import { api } from './client.ts';
import { pause } from './pause.ts';
import { queries } from './query-client.ts';
import { isSignedIn } from './session.ts';
import { waitAgainMs } from './wait-again.ts';

type ChangeEvent = EventOf<'GET /api/changes/stream'>;
/** The id of a project, or `all`. */
export type ChangeScope = string;

/** The first and the longest wait before the stream is opened again. */
const waitMs = { first: 500, most: 10_000 };
/** The server sends something every 15 s. After this silence the connection is dead, even if it was not closed. */
const silenceMs = 40_000;

const [scope, setScope] = createSignal<ChangeScope>();
const [isVisible, setIsVisible] = createSignal(document.visibilityState === 'visible');
document.addEventListener('visibilitychange', () => setIsVisible(document.visibilityState === 'visible'));
const [isLive, setIsLive] = createSignal(false);

/** Whether the shown data is renewed when it changes; otherwise the page shows its age. */
export { isLive };

/** The last position of each stream, so that after a return to a page only newer changes are requested. */
const places = new Map<ChangeScope, string>();

/** For a page: renews its data when the project changes. @param of undefined: not known yet */
export function useChanges(of: () => ChangeScope | undefined): void {
  createEffect(() => setScope(of()));
  onCleanup(() => setScope(undefined));
}

createRoot(() =>
  createEffect(
    on([scope, isSignedIn, isVisible], ([shown, signedIn, visible]) => {
      if (shown === undefined || !signedIn || !visible) return;
      const stop = new AbortController();
      onCleanup(() => stop.abort());
      void follow(shown, stop.signal);
    }),
  ),
);

async function follow(shown: ChangeScope, signal: AbortSignal): Promise<void> {
  for (let wait = waitMs.first; !signal.aborted; wait = Math.min(wait * 2, waitMs.most)) {
    let refusal: unknown;
    try {
      for await (const event of eventsOf(shown, signal)) {
        wait = waitMs.first;
        take(shown, event);
      }
    } catch (error) {
      refusal = error;
      // A retry does not help, for example because the project was deleted.
      if (error instanceof LongshoreError && error.status < 500 && error.status !== 429) break;
    }
    setIsLive(false);
    await pause(waitAgainMs(wait, refusal), signal);
  }
  setIsLive(false);
}

async function* eventsOf(shown: ChangeScope, signal: AbortSignal): AsyncGenerator<ChangeEvent> {
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), silenceMs);
  const lastEventId = places.get(shown);
  try {
    const events = api.events('GET /api/changes/stream', {
      query: shown === 'all' ? {} : { projectId: shown },
      signal: AbortSignal.any([signal, silence.signal]),
      ...(lastEventId === undefined ? {} : { lastEventId }),
    });
    for await (const event of events) {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), silenceMs);
      yield event;
    }
  } finally {
    clearTimeout(timer);
  }
}

function take(shown: ChangeScope, event: ChangeEvent): void {
  setIsLive(event.event !== 'status');
  if (event.event !== 'current' && event.event !== 'changed') return;
  const isFirst = !places.has(shown);
  places.set(shown, event.id);
  // Data that was requested before the stream began may have changed in between.
  if (isFirst) renew(() => true);
  else if (event.event === 'changed') renew((serviceId) => event.data.serviceIds.includes(serviceId));
}

/** Lists that contain services of any kind. */
const lists = ['projects', 'project', 'references', 'attention'];
/** Queries by the id of a service, except data that only a host or a database knows. */
const ofService = [
  'service',
  'backups',
  'imports',
  'upgrades',
  'traffic',
  'files',
  'schedules',
  'runs',
  'run',
];

function renew(isChanged: (serviceId: string) => boolean): void {
  void queries.invalidateQueries({
    predicate: ({ queryKey: [kind, id], state }) => {
      if (lists.includes(String(kind))) return true;
      if (ofService.includes(String(kind))) return isChanged(String(id));
      const deployment =
        kind === 'deployment' ? (state.data as { serviceId: string } | undefined) : undefined;
      return deployment !== undefined && isChanged(deployment.serviceId);
    },
  });
}
