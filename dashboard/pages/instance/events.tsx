/** Events of the instance, page by page, with their delivery to the event webhook. */

import { createMemo } from 'solid-js';
import type { ReplyOf } from '../../../client/client.ts';
import { isOperator, operatorApi } from '../../api/operator.ts';
import { useInfiniteQuery } from '../../api/use-query.ts';
import { noticesText } from '../../text/notices-text.ts';
import { t } from '../../text/text.ts';
import { Age, exactTime } from '../../ui/age.tsx';
import { Answer } from '../../ui/answer.tsx';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Refreshed } from '../../ui/refreshed.tsx';
import { Rows } from '../../ui/rows.tsx';
import { Show } from '../../ui/show.ts';
import { eventsText } from './events-text.ts';

type Reply = ReplyOf<'GET /api/system/events'>;
type Event = Reply['events'][number];

const pageSize = 50;
/** There is no stream for events, so a visible page polls this often. */
const renewedMs = 15_000;
const tones = { none: 'tone-off', pending: 'tone-busy', delivered: 'tone-ok', undelivered: 'tone-bad' };

export function Events() {
  const events = useInfiniteQuery(() => ({
    queryKey: ['operator', 'events'],
    enabled: isOperator(),
    refetchInterval: renewedMs,
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last: Reply) => last.nextCursor,
    queryFn: ({ signal, pageParam }: { signal: AbortSignal; pageParam: string | undefined }) =>
      operatorApi.call('GET /api/system/events', {
        query: { limit: pageSize, ...(pageParam ? { cursor: pageParam } : {}) },
        signal,
      }),
  }));
  const all = createMemo(() => events.data?.pages.flatMap((page) => page.events) ?? []);
  return (
    <div class="stack">
      <header class="page-head">
        <div>
          <h1>{eventsText.title}</h1>
          <p class="quiet-text">
            {eventsText.help} <Refreshed query={events} />
          </p>
        </div>
      </header>
      <Answer query={events}>
        {() => (
          <>
            <ul class="lines">
              <Rows
                each={all()}
                fallback={<Empty title={eventsText.none} help={eventsText.noneHelp} inList />}
              >
                {(event) => <Line event={event()} />}
              </Rows>
            </ul>
            <Show when={events.hasNextPage}>
              <Button busy={events.isFetchingNextPage} onClick={() => void events.fetchNextPage()}>
                {t.more}
              </Button>
            </Show>
          </>
        )}
      </Answer>
    </div>
  );
}

function Line(props: { event: Event }) {
  const event = () => props.event;
  return (
    <li>
      <div>
        <p>
          {event().summary} <span class="tag">{noticesText.events[event().type]}</span>
        </p>
        <Show when={event().error}>{(why) => <p class="long-text">{why()}</p>}</Show>
        <p class="quiet-text facts-line">
          <Age at={event().createdAt} />
          <code>{event().resourceId}</code>
          <Show when={event().attempts > 0}>
            <span>{eventsText.attempts(event().attempts)}</span>
          </Show>
          <Show when={event().delivery === 'pending' && event().nextAttemptAt}>
            {(at) => <span>{eventsText.next(exactTime(at()))}</span>}
          </Show>
        </p>
        <Show when={event().lastFailure}>{(why) => <small class="field-failure">{why()}</small>}</Show>
      </div>
      <span class={`status ${tones[event().delivery]}`}>
        <span class="dot" aria-hidden="true" />
        {eventsText.deliveries[event().delivery]}
      </span>
    </li>
  );
}
