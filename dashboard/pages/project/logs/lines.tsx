/** Lines of several services. The list follows new lines until the user scrolls up. */
import { createEffect, createMemo, createSignal, For, type JSX, on } from 'solid-js';
import type { KeptLine } from '../../../api/follow-kept.ts';
import type { Service } from '../../../api/queries.ts';
import { spansOf } from '../../../log/ansi.ts';
import { logText } from '../../../text/deployment-text.ts';
import { projectLogsText } from '../../../text/log-search-text.ts';
import { t } from '../../../text/text.ts';
import { clockTime, dateText, exactTime } from '../../../ui/age.tsx';
import { Show } from '../../../ui/show.ts';

/** Pixels from the end within which the list counts as scrolled to its end. */
const endSlack = 30;
const dayMs = 86_400_000;

interface LinesProps {
  lines: readonly KeptLine[];
  services: readonly Service[];
  isLive: boolean;
  /** Whether the stream is open. */
  isOpen: boolean;
  isBusy: boolean;
  /** The button that loads older lines. */
  older: JSX.Element;
}

export function Lines(props: LinesProps) {
  let scroller: HTMLElement | undefined;
  const [isAtEnd, setIsAtEnd] = createSignal(true);
  const names = createMemo(() => new Map(props.services.map(({ id, name }) => [id, name])));
  const scrolled = () => {
    if (!scroller) return;
    setIsAtEnd(scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < endSlack);
  };
  let firstId: number | undefined;
  createEffect(
    on(
      () => props.lines,
      (lines) => {
        if (!scroller) return;
        // Keep the scroll position when older lines are added above.
        const isOlder = firstId !== undefined && (lines[0]?.id ?? 0) < firstId;
        if (isOlder && heightBefore > 0) scroller.scrollTop += scroller.scrollHeight - heightBefore;
        else if (isAtEnd()) scroller.scrollTop = scroller.scrollHeight;
        firstId = lines[0]?.id;
        heightBefore = scroller.scrollHeight;
      },
    ),
  );
  let heightBefore = 0;
  return (
    <section class="log project-log">
      <div class="log-foot">
        <span class="quiet-text" role="status">
          {logText.lines(props.lines.length)}
          {props.isLive && !props.isOpen && props.lines.length > 0 ? `. ${logText.reconnecting}` : ''}
        </span>
        {props.older}
        <Show when={props.isLive && props.isOpen}>
          <span class="quiet-text live">{logText.following}</span>
        </Show>
      </div>
      <section class="log-scroller" ref={scroller} aria-label={logText.text} tabindex="0" onScroll={scrolled}>
        <ol>
          <For each={props.lines}>
            {(line) => (
              <li class={`found-line stream-${line.stream} level-${line.level ?? 'none'}`}>
                <time datetime={line.createdAt} title={exactTime(line.createdAt)}>
                  {isToday(line.createdAt) ? '' : `${dateText(line.createdAt)} `}
                  {clockTime(line.createdAt)}
                </time>
                <a href={`/services/${line.serviceId}/logs`}>
                  {names().get(line.serviceId) ?? line.serviceId}
                </a>
                <Show when={line.replica}>{(n) => <small>{projectLogsText.replica(n())}</small>}</Show>
                <Show when={line.level}>{(level) => <small>{projectLogsText.levels[level()]}</small>}</Show>
                <span class="log-text">
                  <For each={spansOf(line.line)}>
                    {({ text, classes }) => <span class={classes}>{text}</span>}
                  </For>
                </span>
              </li>
            )}
          </For>
        </ol>
        <Show when={props.lines.length === 0}>
          <p class="log-empty">
            {props.isBusy ? t.loading : props.isLive ? logText.waiting : projectLogsText.nothing}
          </p>
        </Show>
      </section>
    </section>
  );
}

const isToday = (at: string) => Date.now() - Date.parse(at) < dayMs / 2;
