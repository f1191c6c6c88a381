/** One line of a log: its number, and its text with colours and search matches. */
import { For } from 'solid-js';
import { logText } from '../text/deployment-text.ts';
import { projectLogsText } from '../text/log-search-text.ts';
import { clockTime, exactTime } from '../ui/age.tsx';
import { Show } from '../ui/show.ts';
import { spansOf } from './ansi.ts';
import type { Line } from './line.ts';

interface LogRowProps {
  line: Line;
  /** Pixels from the top. */
  top: number;
  /** The searched words; empty: none in this line. */
  words: string;
  isCurrent: boolean;
  isTarget: boolean;
  /** Undefined: the line has no link, and shows its time. */
  onLink: (() => void) | undefined;
}

export function LogRow(props: LogRowProps) {
  return (
    <div
      class={`log-row stream-${props.line.stream}`}
      classList={{ current: props.isCurrent, target: props.isTarget }}
      style={{ transform: `translateY(${props.top}px)` }}
    >
      <Show
        when={props.onLink}
        fallback={
          <time class="log-number" datetime={props.line.createdAt} title={exactTime(props.line.createdAt)}>
            {clockTime(props.line.createdAt)}
          </time>
        }
      >
        {(link) => (
          <button
            type="button"
            class="log-number"
            // Tab stops at thousands of lines would trap keyboard users, so only the current match and the linked line have one.
            tabindex={props.isCurrent || props.isTarget ? 0 : -1}
            title={`${exactTime(props.line.createdAt)}. ${logText.linkTo(props.line.id)}`}
            aria-label={logText.linkTo(props.line.id)}
            onClick={() => link()()}
          >
            {props.line.id}
          </button>
        )}
      </Show>
      <span class="log-text">
        <Show when={props.line.replica}>{(n) => <small>{`${projectLogsText.replica(n())} `}</small>}</Show>
        <For each={spansOf(props.line.line)}>
          {({ text, classes }) => (
            <span class={classes}>
              <Show when={props.words !== ''} fallback={text}>
                <Marked text={text} words={props.words} />
              </Show>
            </span>
          )}
        </For>
      </span>
    </div>
  );
}

function Marked(props: { text: string; words: string }) {
  return (
    <For each={marked(props.text, props.words)}>
      {({ text, isMatch }) => (isMatch ? <mark>{text}</mark> : text)}
    </For>
  );
}

/** The parts of a text, cut at each occurrence of the words. */
function marked(text: string, words: string): { text: string; isMatch: boolean }[] {
  const parts: { text: string; isMatch: boolean }[] = [];
  const lower = text.toLowerCase();
  const wanted = words.toLowerCase();
  // The lower-case text may be longer ("İ"). Then positions differ, and no match is marked.
  if (lower.length !== text.length) return [{ text, isMatch: false }];
  for (let at = 0; at < text.length; ) {
    const found = lower.indexOf(wanted, at);
    const end = found < 0 ? text.length : found;
    if (end > at) parts.push({ text: text.slice(at, end), isMatch: false });
    if (found < 0) break;
    parts.push({ text: text.slice(found, found + wanted.length), isMatch: true });
    at = found + wanted.length;
  }
  return parts;
}
