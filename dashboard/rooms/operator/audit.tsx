/** The audit log: who did what, with filters, page by page. */
import { useInfiniteQuery } from '@tanstack/solid-query';
import { createMemo, createSignal, For } from 'solid-js';
import type { ReplyOf } from '../../../client/client.ts';
import { isOperator, operatorApi } from '../../api/operator.ts';
import { t } from '../../text/text.ts';
import { Age } from '../../ui/age.tsx';
import { Answer } from '../../ui/answer.tsx';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Show } from '../../ui/show.ts';
import { FailedSignIns } from './failed-sign-ins.tsx';
import { useKeys } from './queries.ts';

type Entry = ReplyOf<'GET /api/system/audit'>['entries'][number];

const pageSize = 50;
const statuses = { all: undefined, refused: 403, limited: 429 } as const;
type Shown = keyof typeof statuses;

export function Audit() {
  const [part, setPart] = createSignal<'entries' | 'tab'>('entries');
  return (
    <div class="stack">
      <header class="page-head">
        <div>
          <h1>{t.audit.title}</h1>
          <p class="quiet-text">{part() === 'entries' ? t.audit.help : t.failedSignIns.help}</p>
        </div>
        <fieldset class="segmented">
          <legend class="visually-hidden">{t.failedSignIns.show}</legend>
          <For each={['entries', 'tab'] as const}>
            {(one) => (
              <button type="button" aria-pressed={part() === one} onClick={() => setPart(one)}>
                {t.failedSignIns[one]}
              </button>
            )}
          </For>
        </fieldset>
      </header>
      <Show when={part() === 'entries'} fallback={<FailedSignIns />}>
        <Entries />
      </Show>
    </div>
  );
}

function Entries() {
  const keys = useKeys();
  const [actor, setActor] = createSignal('');
  const [shown, setShown] = createSignal<Shown>('all');
  const [since, setSince] = createSignal('');
  const [until, setUntil] = createSignal('');
  const filters = () => {
    const status = statuses[shown()];
    return {
      ...(actor() ? { actor: actor() } : {}),
      ...(status === undefined ? {} : { status }),
      ...(since() ? { since: new Date(since()).toISOString() } : {}),
      ...(until() ? { until: new Date(until()).toISOString() } : {}),
    };
  };
  const audit = useInfiniteQuery(() => ({
    queryKey: ['operator', 'audit', filters()],
    enabled: isOperator(),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last: ReplyOf<'GET /api/system/audit'>) => last.nextCursor,
    queryFn: ({ signal, pageParam }: { signal: AbortSignal; pageParam: string | undefined }) =>
      operatorApi.call('GET /api/system/audit', {
        query: { ...filters(), limit: pageSize, ...(pageParam ? { cursor: pageParam } : {}) },
        signal,
      }),
  }));
  const entries = createMemo(() => audit.data?.pages.flatMap((page) => page.entries) ?? []);
  const names = createMemo(() => new Map(keys.data?.map(({ id, name }) => [id, name])));
  const nameOf = ({ actor: id, tenantId }: Entry) => {
    if (id === 'operator') return t.audit.operator;
    if (id === 'system') return t.audit.system;
    return names().get(id) ?? (tenantId === null ? t.audit.operatorBrowser : id);
  };
  const reset = () => {
    setActor('');
    setShown('all');
    setSince('');
    setUntil('');
  };
  return (
    <>
      <div class="audit-filters">
        <label>
          <span>{t.audit.actor}</span>
          <select data-filter value={actor()} onChange={(event) => setActor(event.currentTarget.value)}>
            <option value="">{t.audit.everybody}</option>
            <option value="operator">{t.audit.operator}</option>
            <option value="system">{t.audit.system}</option>
            <Show when={actor() && !['operator', 'system'].includes(actor()) && !names().has(actor())}>
              <option value={actor()}>{actor()}</option>
            </Show>
            <For each={keys.data ?? []}>{(key) => <option value={key.id}>{key.name}</option>}</For>
          </select>
        </label>
        <label>
          <span>{t.audit.statusLabel}</span>
          <select value={shown()} onChange={(event) => setShown(event.currentTarget.value as Shown)}>
            <For each={Object.keys(statuses) as Shown[]}>
              {(one) => <option value={one}>{t.audit.statuses[one]}</option>}
            </For>
          </select>
        </label>
        <Moment label={t.audit.since} value={since()} onChange={setSince} />
        <Moment label={t.audit.until} value={until()} onChange={setUntil} />
        <Button onClick={reset}>{t.audit.reset}</Button>
      </div>
      <Answer query={audit}>
        {() => (
          <>
            <ul class="lines">
              <For each={entries()} fallback={<Empty title={t.audit.none} help={t.audit.noneHelp} inList />}>
                {(entry) => (
                  <Line entry={entry} actor={nameOf(entry)} onActor={() => setActor(entry.actor)} />
                )}
              </For>
            </ul>
            <Show when={audit.hasNextPage}>
              <Button busy={audit.isFetchingNextPage} onClick={() => void audit.fetchNextPage()}>
                {t.more}
              </Button>
            </Show>
          </>
        )}
      </Answer>
    </>
  );
}

function Moment(props: { label: string; value: string; onChange(value: string): void }) {
  return (
    <label>
      <span>{props.label}</span>
      <input
        type="datetime-local"
        value={props.value}
        onChange={(event) => props.onChange(event.currentTarget.value)}
      />
    </label>
  );
}

function Line(props: { entry: Entry; actor: string; onActor(): void }) {
  const entry = () => props.entry;
  return (
    <li>
      <div>
        <p>
          <code>{entry().route}</code>
        </p>
        <p class="quiet-text facts-line">
          <button
            type="button"
            class="link"
            aria-label={t.audit.onlyThis(props.actor)}
            onClick={props.onActor}
          >
            {props.actor}
          </button>
          <Show when={entry().resourceId}>{(id) => <code>{id()}</code>}</Show>
          <span title={entry().addressHash}>{t.audit.sameAddress(entry().addressHash.slice(0, 8))}</span>
          <Age at={entry().createdAt} />
        </p>
      </div>
      <span class="status" classList={{ 'tone-bad': entry().status >= 400, 'tone-ok': entry().status < 400 }}>
        <span class="dot" aria-hidden="true" />
        {entry().status}
      </span>
    </li>
  );
}
