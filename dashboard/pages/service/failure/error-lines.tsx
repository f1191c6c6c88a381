/** The lines of a log around an error, which is marked. */
import { For } from 'solid-js';
import { Show } from '../../../ui/show.ts';
import type { Explained } from './explained-failure.ts';
import { failureText } from './failure-text.ts';

interface ErrorLinesProps {
  lines: Explained['explanation']['lines'];
  /** Address of the log, for a link to the line; absent: the lines have no numbers. */
  log?: string | undefined;
}

export function ErrorLines(props: ErrorLinesProps) {
  return (
    <ol class="error-lines" aria-label={failureText.lines} tabindex="0">
      <For each={props.lines}>
        {({ number, text, isError }) => (
          <li classList={{ 'is-error': isError }}>
            <Show when={number} fallback={<span class="number" />}>
              {(id) => (
                <Show when={props.log} fallback={<span class="number">{id()}</span>}>
                  {(log) => (
                    <a class="number" href={`${log()}#L${id()}`} aria-label={failureText.toLine(id())}>
                      {id()}
                    </a>
                  )}
                </Show>
              )}
            </Show>
            <Show when={isError} fallback={<code>{text}</code>}>
              <mark>
                <code>{text}</code>
              </mark>
            </Show>
          </li>
        )}
      </For>
    </ol>
  );
}
