/** The choice of the time that charts show. */
import { createSignal, For } from 'solid-js';
import { exactTime } from '../age.tsx';
import { Button } from '../button.tsx';
import { Show } from '../show.ts';
import { type Range, type RangeName, rangeMs } from './chart-range.ts';
import { chartText } from './chart-text.ts';

export function RangeBar(props: { range: Range; choose(range: Range): void }) {
  const own = () => ('last' in props.range ? undefined : props.range);
  const isLast = (name: RangeName) => 'last' in props.range && props.range.last === name;
  return (
    <div class="range-bar">
      <fieldset class="segmented">
        <legend class="visually-hidden">{chartText.range}</legend>
        <For each={Object.keys(rangeMs) as RangeName[]}>
          {(name) => (
            <button type="button" aria-pressed={isLast(name)} onClick={() => props.choose({ last: name })}>
              {chartText.ranges[name]}
            </button>
          )}
        </For>
      </fieldset>
      <details class="own-range">
        <summary class="button">{own() ? spanOf(own()) : chartText.own}</summary>
        <OwnTime range={props.range} choose={props.choose} />
      </details>
      <Show when={own()}>
        <Button onClick={() => props.choose({ last: 'hour' })}>{chartText.back}</Button>
      </Show>
    </div>
  );
}

const spanOf = (own: { from: number; to: number } | undefined) =>
  own ? chartText.span(exactTime(own.from), exactTime(own.to)) : '';

function OwnTime(props: { range: Range; choose(range: Range): void }) {
  const [isWrong, setIsWrong] = createSignal(false);
  const start = () => ('last' in props.range ? Date.now() - rangeMs[props.range.last] : props.range.from);
  const end = () => ('last' in props.range ? Date.now() : props.range.to);
  let from: HTMLInputElement | undefined;
  let to: HTMLInputElement | undefined;
  const submit = (event: SubmitEvent & { currentTarget: HTMLFormElement }) => {
    event.preventDefault();
    const chosen = { from: Date.parse(from?.value ?? ''), to: Date.parse(to?.value ?? '') };
    setIsWrong(!(chosen.to > chosen.from));
    if (isWrong()) return;
    props.choose(chosen);
    event.currentTarget.closest('details')?.removeAttribute('open');
  };
  return (
    <form onSubmit={submit}>
      <label>
        {chartText.from}
        <input ref={from} type="datetime-local" required value={localText(start())} />
      </label>
      <label>
        {chartText.to}
        <input ref={to} type="datetime-local" required value={localText(end())} />
      </label>
      <Show when={isWrong()}>
        <p class="failure" role="alert">
          {chartText.wrongTimes}
        </p>
      </Show>
      <Button type="submit">{chartText.show}</Button>
    </form>
  );
}

/** The form of a field for date and time, in the time zone of this device. */
function localText(at: number): string {
  const local = new Date(at - new Date(at).getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}
