/** Entries of an audit log with filters, page by page. */

import { createMemo, createSignal, For } from 'solid-js';
import type { ReplyOf, Routes } from '../../client/client.ts';
import { useInfiniteQuery } from '../api/use-query.ts';
import { auditText } from '../text/operator-text.ts';
import { t } from '../text/text.ts';
import { Age } from './age.tsx';
import { Answer } from './answer.tsx';
import { Button } from './button.tsx';
import { Empty } from './empty.tsx';
import { initiatorText } from './initiator-text.ts';
import { Show } from './show.ts';

type Entry = ReplyOf<'GET /api/audit'>['entries'][number];
type AuditQuery = Routes['GET /api/audit']['query'];

const pageSize = 50;
const statuses = { all: undefined, refused: 403, limited: 429 } as const;
type Shown = keyof typeof statuses;

interface EntriesProps {
  /** The beginning of the query's key. */
  queryKey: readonly string[];
  isEnabled: boolean;
  read(query: AuditQuery, signal: AbortSignal): Promise<ReplyOf<'GET /api/audit'>>;
  /** Members and keys to choose from, beside those of the entries. */
  known: readonly { id: string; name: string }[];
  /** Whether entries of the operator are in it. */
  ofInstance?: boolean;
}

export function AuditEntries(props: EntriesProps) {
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
    queryKey: [...props.queryKey, 'audit', filters()],
    enabled: props.isEnabled,
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last: ReplyOf<'GET /api/audit'>) => last.nextCursor,
    queryFn: ({ signal, pageParam }: { signal: AbortSignal; pageParam: string | undefined }) =>
      props.read({ ...filters(), limit: pageSize, ...(pageParam ? { cursor: pageParam } : {}) }, signal),
  }));
  const entries = createMemo(() => audit.data?.pages.flatMap((page) => page.entries) ?? []);
  // Names stay while another filter is read: a choice whose option disappears would be lost.
  const names = createMemo<ReadonlyMap<string, string>>((before) => {
    const found = entries().flatMap(({ actedBy }) =>
      actedBy?.id && actedBy.name ? [[actedBy.id, actedBy.name] as const] : [],
    );
    return new Map([...before, ...props.known.map(({ id, name }) => [id, name] as const), ...found]);
  }, new Map());
  const nameOf = ({ actor: id, actedBy, tenantId }: Entry) => {
    if (actedBy?.type === 'member' || actedBy?.type === 'push') return initiatorText(actedBy);
    if (actedBy?.type === 'key' && actedBy.name) return actedBy.name;
    if (id === 'operator') return auditText.operator;
    if (id === 'system') return auditText.system;
    return names().get(id) ?? (tenantId === null ? auditText.operatorBrowser : id);
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
          <span>{auditText.actor}</span>
          <select data-filter value={actor()} onChange={(event) => setActor(event.currentTarget.value)}>
            <option value="">{auditText.everybody}</option>
            <Show when={props.ofInstance}>
              <option value="operator">{auditText.operator}</option>
            </Show>
            <option value="system">{auditText.system}</option>
            <Show when={actor() && !['operator', 'system'].includes(actor()) && !names().has(actor())}>
              <option value={actor()}>{actor()}</option>
            </Show>
            <For each={[...names().keys()]}>{(id) => <option value={id}>{names().get(id)}</option>}</For>
          </select>
        </label>
        <label>
          <span>{auditText.statusLabel}</span>
          <select value={shown()} onChange={(event) => setShown(event.currentTarget.value as Shown)}>
            <For each={Object.keys(statuses) as Shown[]}>
              {(one) => <option value={one}>{auditText.statuses[one]}</option>}
            </For>
          </select>
        </label>
        <Moment label={auditText.since} value={since()} onChange={setSince} />
        <Moment label={auditText.until} value={until()} onChange={setUntil} />
        <Button onClick={reset}>{auditText.reset}</Button>
      </div>
      <Answer query={audit}>
        {() => (
          <>
            <ul class="lines">
              <For
                each={entries()}
                fallback={<Empty title={auditText.none} help={auditText.noneHelp} inList />}
              >
                {(entry) => (
                  <Line
                    entry={entry}
                    actor={nameOf(entry)}
                    onActor={() => setActor(entry.actedBy?.id ?? entry.actor)}
                  />
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
            aria-label={auditText.onlyThis(props.actor)}
            onClick={props.onActor}
          >
            {props.actor}
          </button>
          <Show when={isThrough(entry())}>
            <span>{auditText.through(entry().actor)}</span>
          </Show>
          <Show when={entry().resourceId}>{(id) => <code>{id()}</code>}</Show>
          <span title={entry().addressHash}>{auditText.sameAddress(entry().addressHash.slice(0, 8))}</span>
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

/** Whether a session, and not the member or key itself, was used. */
const isThrough = ({ actor, actedBy }: Entry) => Boolean(actedBy?.id) && actedBy?.id !== actor;
