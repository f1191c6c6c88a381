/**
 * What somebody else changes, or a host reports, shows by itself: each page names the project that it shows, and one stream of events tells
 * what is different there. Nothing is asked for by a clock. While the tab is hidden the stream is closed; it resumes where it was.
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

/** Waits before the stream is opened again, and at most. */
const waitMs = { first: 500, most: 10_000 };
/** The server sends something every 15 s: after this silence the connection is dead, though no one has closed it. */
const silenceMs = 40_000;

const [scope, setScope] = createSignal<ChangeScope>();
const [isVisible, setIsVisible] = createSignal(document.visibilityState === 'visible');
document.addEventListener('visibilitychange', () => setIsVisible(document.visibilityState === 'visible'));
const [isLive, setIsLive] = createSignal(false);

/** Whether what is shown is renewed when it changes; otherwise it has an age. */
export { isLive };

/** Where each stream was last, so that a return to a page asks only for what has changed. */
const places = new Map<ChangeScope, string>();

/** For a page: renews what it shows of this project. @param of undefined: not known yet */
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
      // A refusal that no repeat changes, such as of a project that is gone.
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
  // What was asked for before the stream began may have changed in between.
  if (isFirst) renew(() => true);
  else if (event.event === 'changed') renew((serviceId) => event.data.serviceIds.includes(serviceId));
}

/** Lists that name services of any kind. */
const lists = ['projects', 'project', 'references'];
/** What is asked for by the id of a service. What only a host or a database knows is not among it. */
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
