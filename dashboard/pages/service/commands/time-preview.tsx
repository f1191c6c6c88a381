/** Shows the meaning of a cron expression while the user types: in words, and the next times in its time zone. The API computes it. */
import { createEffect, createSignal, For, on, onCleanup } from 'solid-js';
import { sentenceOf } from '../../../api/client.ts';
import { known } from '../../../api/known.ts';
import { Show } from '../../../ui/show.ts';
import { commandsText } from './commands-text.ts';
import { usePreview } from './run-queries.ts';

/** The pause after the last key, so that there is one request per expression and not one per letter. */
const typingMs = 250;

export function TimePreview(props: { cron: string; timeZone: string }) {
  const [timing, setTiming] = createSignal({ cron: props.cron, timeZone: props.timeZone });
  createEffect(
    on(
      () => ({ cron: props.cron, timeZone: props.timeZone }),
      (next) => {
        const timer = setTimeout(() => setTiming(next), typingMs);
        onCleanup(() => clearTimeout(timer));
      },
      { defer: true },
    ),
  );
  const preview = usePreview(timing);
  const shown = () => (timing().cron.trim() === '' || preview.error ? undefined : known(preview));
  return (
    <div class="time-preview" role="status">
      <Show when={timing().cron.trim() !== '' && preview.error}>
        {(error) => <p class="field-failure">{sentenceOf(error())}</p>}
      </Show>
      <Show when={shown()}>
        {(found) => (
          <>
            <p>
              <strong>{found().inWords ?? commandsText.noWords}</strong>
            </p>
            <p class="quiet-text">{commandsText.nextTimes(found().timeZone)}</p>
            <ul>
              <For each={found().nextRunsAt}>{(at) => <li>{timeIn(found().timeZone, at)}</li>}</For>
            </ul>
          </>
        )}
      </Show>
    </div>
  );
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** `Mon, 30 Nov 2026, 03:00`, in the time zone. */
export function timeIn(timeZone: string, at: string): string {
  const known = formats.get(timeZone);
  const format =
    known ??
    new Intl.DateTimeFormat('en-GB', {
      ...{ timeZone, weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' },
      ...{ hour: '2-digit', minute: '2-digit' },
    });
  formats.set(timeZone, format);
  return format.format(new Date(at));
}
