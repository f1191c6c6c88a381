/** A state as a dot and a word, so never by colour alone. */
import { t } from '../text/text.ts';

export type State = keyof typeof t.states;

type Tone = 'ok' | 'busy' | 'bad' | 'warn' | 'off';

const tones: Record<State, Tone> = {
  idle: 'off',
  queued: 'busy',
  building: 'busy',
  active: 'ok',
  failed: 'bad',
  crashed: 'bad',
  stopped: 'off',
  degraded: 'warn',
  running: 'ok',
  superseded: 'off',
  aborted: 'off',
  pending: 'busy',
};

export const toneOf = (state: State): Tone => tones[state];

export function Status(props: { state: State; large?: boolean }) {
  return (
    <span class="status" classList={{ [`tone-${tones[props.state]}`]: true, large: props.large === true }}>
      <span class="dot" aria-hidden="true" />
      {t.states[props.state]}
    </span>
  );
}

/** Only the dot; the word is for screen readers. */
export function StatusDot(props: { state: State }) {
  return (
    <span class={`status tone-${tones[props.state]}`}>
      <span class="dot" aria-hidden="true" />
      <span class="visually-hidden">{t.states[props.state]}</span>
    </span>
  );
}
