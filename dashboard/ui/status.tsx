/** A state as a dot and a word, so never by colour alone. */
import { statesText } from '../text/service-text.ts';

export type State = keyof typeof statesText;

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

/** @param props.text says it more exactly than the state */
export function Status(props: { state: State; large?: boolean; text?: string | undefined }) {
  return (
    <span class="status" classList={{ [`tone-${tones[props.state]}`]: true, large: props.large === true }}>
      <span class="dot" aria-hidden="true" />
      {props.text ?? statesText[props.state]}
    </span>
  );
}

/** Only the dot; the word is for screen readers. */
export function StatusDot(props: { state: State }) {
  return (
    <span class={`status tone-${tones[props.state]}`}>
      <span class="dot" aria-hidden="true" />
      <span class="visually-hidden">{statesText[props.state]}</span>
    </span>
  );
}
