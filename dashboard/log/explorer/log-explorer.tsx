/** Searches the output of a service, or of a project's services: live, over a range of time, or around a moment. */
import { createEffect, createMemo, createSignal, For, on, onCleanup } from 'solid-js';
import { InvalidLogQuery, parseLogQuery } from '../../../protocol/logs/query/parse-log-query.ts';
import type { LogsOf } from '../../api/follow-kept.ts';
import { logSearchText as text } from '../../text/log-search-text.ts';
import { clockTime, spanText } from '../../ui/age.tsx';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Filter } from '../../ui/filter.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { Show } from '../../ui/show.ts';
import { withoutColours } from '../ansi.ts';
import { isWrapped, setIsWrapped } from '../wrapping.ts';
import { createExplorerLines } from './explorer-lines.ts';
import { ExplorerList } from './explorer-list.tsx';
import { rangeOf, type Span, spans, usePlace } from './explorer-place.ts';
import { gapServiceId, rowsOf } from './explorer-rows.ts';
import { Histogram } from './histogram.tsx';
import { LineDetails } from './line-details.tsx';
import { savedSearches, toggleSaved } from './saved-searches.ts';
import { TimeChoice } from './time-choice.tsx';
import '../../styles/log.css';

/** The API refuses a search over more services. */
const servicesMax = 20;
/** The pause after the last key: each search is work for a host, so there is one per word. */
const typingMs = 400;

interface LogExplorerProps {
  of: LogsOf;
  services: readonly { id: string; slug: string; name: string }[];
  /** Name of the downloaded file. */
  name: string;
  /** Why there can be no live lines. */
  emptyText?: string;
}

export function LogExplorer(props: LogExplorerProps) {
  const isProject = () => 'projectId' in props.of;
  const place = usePlace(isProject());
  const [typed, setTyped] = createSignal(place.query());
  const [chosen, setChosen] = createSignal<string>();
  createEffect(on(place.query, (query) => query !== typed().trim() && setTyped(query), { defer: true }));
  createEffect(
    on(
      typed,
      (query) => {
        const timer = setTimeout(
          () => wrong() === '' && query.trim() !== place.query() && place.setQuery(query.trim()),
          typingMs,
        );
        onCleanup(() => clearTimeout(timer));
      },
      { defer: true },
    ),
  );
  const wrong = createMemo(() => {
    try {
      parseLogQuery(typed());
      return '';
    } catch (error) {
      if (!(error instanceof InvalidLogQuery)) throw error;
      return text.wrong(error.position, error.message);
    }
  });
  const isTooMany = () => isProject() && chosen() === undefined && props.services.length > servicesMax;
  const source = createExplorerLines(() => ({
    ...{ of: props.of, services: chosen(), place, isAllowed: !isTooMany() },
  }));
  const rows = createMemo(() => rowsOf(source.lines()));
  const names = createMemo(() => new Map(props.services.map(({ id, name }) => [id, name])));
  const range = createMemo(() => rangeOf(place.time(), Date.now()));
  const opened = createMemo(() => rows().find(({ id }) => String(id) === place.line()));
  const around = () => {
    const time = place.time();
    return time.kind === 'around' ? time.at : undefined;
  };
  const isErrors = () => /(?:^| )level:error,fatal(?: |$)/.test(place.query());
  const setQuery = (query: string) => {
    setTyped(query);
    place.setQuery(query);
  };
  const withTerm = (term: string) => setQuery([place.query(), term].filter(Boolean).join(' '));
  const toggleErrors = () =>
    isErrors()
      ? setQuery(place.query().replace('level:error,fatal', '').replaceAll('  ', ' ').trim())
      : withTerm('level:error,fatal');
  const linkTo = (row: { createdAt: string; id: number }) => {
    const address = new URLSearchParams({ around: row.createdAt, line: String(row.id) });
    if (place.query()) address.set('query', place.query());
    return `${location.pathname}?${address}`;
  };
  const status = () => {
    if (place.time().kind !== 'live') {
      const { lines, reached } = source.searched() ?? {};
      const found = text.lines(source.lines().length);
      if (lines === undefined) return source.isBusy() ? text.searching : found;
      return `${found}, ${text.compared(lines, reached ? clockTime(reached) : undefined)}`;
    }
    if (!source.isOpen()) return source.lines().length > 0 ? text.reconnecting : '';
    const { behindMs = 0 } = source.state() ?? {};
    return behindMs > 0 ? text.behind(spanText(Math.max(1_000, behindMs))) : text.live;
  };
  const away = () =>
    (source.state()?.hostsAway ?? source.searched()?.hosts ?? []).flatMap(({ hostName, reason }) =>
      reason === undefined ? [] : [text.away(hostName, reason)],
    );
  const save = () =>
    saveFile(
      `${props.name}.log`,
      source.lines().map(({ createdAt, line }) => `${createdAt} ${withoutColours(line)}\n`),
      'text/plain',
    );
  const empty = () => {
    if (source.isBusy()) return text.searching;
    if (place.query() !== '') return text.nothing;
    return place.time().kind === 'live' ? props.emptyText || text.waiting : text.nothingAt;
  };
  return (
    <div class="log explorer">
      <div class="explorer-bar">
        <Filter label={text.search} value={typed()} onInput={setTyped} />
        <Show when={isProject()}>
          <select
            aria-label={text.chooseService}
            onInput={(event) => event.currentTarget.value && withTerm(`service:${event.currentTarget.value}`)}
          >
            <option value="">{text.allServices}</option>
            <For each={props.services}>{({ slug, name }) => <option value={slug}>{name}</option>}</For>
          </select>
        </Show>
        <fieldset class="explorer-times" aria-label={text.time}>
          <For each={['live', ...spans] as const}>
            {(span) => (
              <button
                type="button"
                aria-pressed={isAt(place.time(), span)}
                onClick={() => place.setTime(span === 'live' ? { kind: 'live' } : { kind: 'span', span })}
              >
                {text.spans[span]}
              </button>
            )}
          </For>
          <TimeChoice time={place.time()} onTime={place.setTime} />
        </fieldset>
      </div>
      <p class="explorer-note" role="status">
        <Show when={wrong()} fallback={<span class="quiet-text">{text.example}</span>}>
          {(sentence) => <span class="field-error">{sentence()}</span>}
        </Show>
      </p>
      <Show when={source.trouble()}>{(sentence) => <p class="notice">{sentence()}</p>}</Show>
      <For each={away()}>{(sentence) => <p class="notice">{sentence}</p>}</For>
      <Show
        when={!isTooMany()}
        fallback={
          <Empty title={text.tooMany} help={text.tooManyHelp(servicesMax, props.services.length)}>
            <Button
              onClick={() =>
                setChosen(
                  props.services
                    .slice(0, servicesMax)
                    .map(({ id }) => id)
                    .join(','),
                )
              }
            >
              {text.takeFirst(servicesMax)}
            </Button>
          </Empty>
        }
      >
        <Show when={range()}>
          {(now) => (
            <Histogram
              of={props.of}
              services={chosen()}
              query={place.query()}
              range={now()}
              onZoom={(to) => place.setTime({ kind: 'own', ...to })}
            />
          )}
        </Show>
        <div class="explorer-body" classList={{ opened: opened() !== undefined }}>
          <ExplorerList
            rows={rows()}
            names={names()}
            hasNames={isProject()}
            openId={place.line()}
            onOpen={(row) => place.setLine(row.of.serviceId === gapServiceId ? undefined : String(row.id))}
            at={around()}
            empty={empty()}
            older={
              <Show when={source.older()}>
                {(load) => (
                  <Button class="small more-lines" busy={source.isBusy()} onClick={() => load()()}>
                    {text.older}
                  </Button>
                )}
              </Show>
            }
            newer={
              <Show when={source.newer()}>
                {(load) => (
                  <Button class="small more-lines" busy={source.isBusy()} onClick={() => load()()}>
                    {text.newer}
                  </Button>
                )}
              </Show>
            }
          />
          <Show when={opened()}>
            {(row) => (
              <LineDetails
                row={row()}
                serviceName={names().get(row().of.serviceId) ?? ''}
                link={linkTo(row())}
                onTerm={withTerm}
                onClose={() => place.setLine(undefined)}
              />
            )}
          </Show>
        </div>
      </Show>
      <footer class="log-foot">
        <span role="status" class="quiet-text" classList={{ live: status() === text.live }}>
          {status()}
        </span>
        <Show when={source.skipped()}>
          {(lines) => <span class="quiet-text">{text.skippedSoFar(lines())}</span>}
        </Show>
        <span class="quiet-text explorer-zone">{text.zone(zone)}</span>
        <span class="log-choices">
          <button type="button" class="button quiet small" aria-pressed={isErrors()} onClick={toggleErrors}>
            {text.errors}
          </button>
          <Show when={place.query() !== ''}>
            <Button kind="quiet" class="small" onClick={() => toggleSaved(place.query())}>
              {savedSearches().includes(place.query()) ? text.forget : text.save}
            </Button>
          </Show>
          <Show when={savedSearches().length > 0}>
            <select
              aria-label={text.saved}
              onInput={(event) => event.currentTarget.value && setQuery(event.currentTarget.value)}
            >
              <option value="">{text.saved}</option>
              <For each={savedSearches()}>{(query) => <option value={query}>{query}</option>}</For>
            </select>
          </Show>
          <button
            type="button"
            class="button quiet small"
            aria-pressed={isWrapped()}
            onClick={() => setIsWrapped((wrapped) => !wrapped)}
          >
            {text.wrap}
          </button>
          <Button kind="quiet" class="small" onClick={save}>
            {text.download}
          </Button>
        </span>
      </footer>
    </div>
  );
}

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

const isAt = (time: ReturnType<ReturnType<typeof usePlace>['time']>, span: Span | 'live') =>
  time.kind === 'span' ? time.span === span : time.kind === span;
