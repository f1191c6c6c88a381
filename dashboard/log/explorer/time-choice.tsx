/** A time of one's own: from, to, or around a moment. */
import { createSignal } from 'solid-js';
import { logSearchText as text } from '../../text/log-search-text.ts';
import { exactTime } from '../../ui/age.tsx';
import { Button } from '../../ui/button.tsx';
import type { Time } from './explorer-place.ts';

export function TimeChoice(props: { time: Time; onTime(time: Time): void }) {
  let details: HTMLDetailsElement | undefined;
  const [from, setFrom] = createSignal('');
  const [to, setTo] = createSignal('');
  const [around, setAround] = createSignal('');
  const label = () => {
    const { time } = props;
    if (time.kind === 'around') return text.aroundTime(exactTime(time.at));
    return time.kind === 'own' ? `${exactTime(time.since)} – ${exactTime(time.until)}` : text.own;
  };
  const show = (event: SubmitEvent) => {
    event.preventDefault();
    const [since, until, at] = [from(), to(), around()].map((value) => new Date(value).getTime());
    if (at !== undefined && !Number.isNaN(at)) props.onTime({ kind: 'around', at });
    else if (since !== undefined && until !== undefined && since < until)
      props.onTime({ kind: 'own', since, until });
    else return;
    if (details) details.open = false;
  };
  return (
    <details class="time-choice" ref={details}>
      <summary>{label()}</summary>
      <form onSubmit={show}>
        <label>
          {text.around}
          <input
            type="datetime-local"
            step="1"
            value={around()}
            onInput={(event) => setAround(event.currentTarget.value)}
          />
        </label>
        <label>
          {text.from}
          <input
            type="datetime-local"
            step="1"
            value={from()}
            onInput={(event) => setFrom(event.currentTarget.value)}
          />
        </label>
        <label>
          {text.to}
          <input
            type="datetime-local"
            step="1"
            value={to()}
            onInput={(event) => setTo(event.currentTarget.value)}
          />
        </label>
        <Button class="small" type="submit">
          {text.show}
        </Button>
      </form>
    </details>
  );
}
