/** The output of a project's services, sorted by time: live, or of a time span; the hosts search it. */
import { useSearchParams } from '@solidjs/router';
import { createEffect, createMemo, createSignal, on, onCleanup } from 'solid-js';
import { api, sentenceOf } from '../../../api/client.ts';
import { followProject, type KeptLine, type LogFilters } from '../../../api/follow-kept.ts';
import type { Project } from '../../../api/queries.ts';
import { projectLogsText } from '../../../text/log-search-text.ts';
import { Button } from '../../../ui/button.tsx';
import { Empty } from '../../../ui/empty.tsx';
import { Show } from '../../../ui/show.ts';
import { withLines } from './found-lines.ts';
import { Lines } from './lines.tsx';
import { LogFilterBar, levels, servicesMax, spans, type Wanted } from './log-filter-bar.tsx';
import '../../../styles/log.css';

/** Limits the memory of a page that is open for days. */
const liveLinesMax = 2_000;
const pageLines = 500;

type Parameters = { text?: string; level?: string; services?: string; span?: string };

export function ProjectLogs(props: { project: Project }) {
  const [address, setAddress] = useSearchParams<Parameters>();
  // One value per parameter, even if the address repeats it.
  const wanted = createMemo(
    (): Wanted => ({
      text: [address.text ?? ''].flat().join(' '),
      level: levels.find((one) => one === address.level),
      services: [address.services ?? ''].flat().join(',').split(',').filter(Boolean),
      span: spans.find((one) => one === address.span) ?? 'live',
    }),
  );
  const change = (next: Partial<Wanted>) => {
    const { text, level, services, span } = { ...wanted(), ...next };
    setAddress(
      {
        text: text || undefined,
        level,
        services: services.join(',') || undefined,
        span: span === 'live' ? undefined : span,
      },
      { replace: true },
    );
  };
  const filters = createMemo((): LogFilters => {
    const { text, level, services } = wanted();
    return {
      ...(text === '' ? {} : { text }),
      ...(level === undefined ? {} : { level }),
      ...(services.length === 0 ? {} : { services: services.join(',') }),
    };
  });
  const [lines, setLines] = createSignal<readonly KeptLine[]>([]);
  const [cursor, setCursor] = createSignal<string>();
  const [trouble, setTrouble] = createSignal('');
  const [isOpen, setIsOpen] = createSignal(false);
  const [isBusy, setIsBusy] = createSignal(false);
  const isLive = () => wanted().span === 'live';
  const searched = () => wanted().services.length || props.project.services.length;
  const isTooMany = createMemo(() => searched() > servicesMax);
  const takeFirst = () =>
    change({ services: props.project.services.slice(0, servicesMax).map(({ id }) => id) });

  /** Loads another page of older lines. */
  const search = async (place: { cursor?: string; until?: string }, signal?: AbortSignal) => {
    setIsBusy(true);
    try {
      const { logs, nextCursor } = await api.call('GET /api/projects/:projectId/runtime-logs', {
        params: { projectId: props.project.id },
        query: { ...filters(), ...sinceOf(wanted().span), ...place, limit: pageLines },
        ...(signal ? { signal } : {}),
      });
      setLines((known) => withLines(known, logs));
      setCursor(nextCursor);
    } catch (error) {
      if (!signal?.aborted) setTrouble(sentenceOf(error));
    } finally {
      setIsBusy(false);
    }
  };
  createEffect(
    on(
      [() => props.project.id, () => JSON.stringify([filters(), wanted().span, isTooMany()])],
      ([projectId]) => {
        const stop = new AbortController();
        onCleanup(() => stop.abort());
        setLines([]);
        setCursor(undefined);
        setTrouble('');
        if (isTooMany()) return;
        if (!isLive()) return void search({}, stop.signal);
        void followProject(
          projectId,
          filters(),
          {
            onLines: (more) => setLines((known) => withLines(known, more, liveLinesMax)),
            onTrouble: setTrouble,
            onOpen(isNowOpen) {
              setIsOpen(isNowOpen);
              if (isNowOpen) setTrouble('');
            },
          },
          stop.signal,
        );
      },
    ),
  );
  const older = () => {
    const place = cursor();
    if (place !== undefined) return search({ cursor: place });
    const [first] = lines();
    // Other lines may have the same millisecond; the line itself is already known.
    const until = first ? new Date(Date.parse(first.createdAt) + 1).toISOString() : undefined;
    return search(until === undefined ? {} : { until });
  };
  const hasOlder = () => cursor() !== undefined || (isLive() && lines().length > 0);
  return (
    <div class="stack">
      <LogFilterBar project={props.project} wanted={wanted()} onChange={change} />
      <Show when={trouble()}>{(sentence) => <p class="notice">{sentence()}</p>}</Show>
      <Show
        when={!isTooMany()}
        fallback={
          <Empty title={projectLogsText.tooMany} help={projectLogsText.tooManyHelp(servicesMax, searched())}>
            <Button onClick={takeFirst}>{projectLogsText.takeFirst(servicesMax)}</Button>
          </Empty>
        }
      >
        <Lines
          lines={lines()}
          services={props.project.services}
          isLive={isLive()}
          isOpen={isOpen()}
          isBusy={isBusy()}
          older={
            <Show when={hasOlder()}>
              <Button class="small" busy={isBusy()} onClick={() => void older()}>
                {projectLogsText.older}
              </Button>
            </Show>
          }
        />
      </Show>
    </div>
  );
}

const hourMs = 3_600_000;
const spanMs: Record<Exclude<Wanted['span'], 'live'>, number> = {
  hour: hourMs,
  day: 24 * hourMs,
  week: 7 * 24 * hourMs,
  month: 30 * 24 * hourMs,
};

const sinceOf = (span: Wanted['span']): { since?: string } =>
  span === 'live' ? {} : { since: new Date(Date.now() - spanMs[span]).toISOString() };
