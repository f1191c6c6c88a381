/** A test of a receiver, and its answer. */
import { createSignal } from 'solid-js';
import { noticesText } from '../text/notices-text.ts';
import { Show } from './show.ts';
import { attempt } from './toasts.tsx';

interface Result {
  ok: boolean;
  detail: string;
  durationMs: number;
}

/** @param send sends the test and returns the receiver's answer; errors are shown */
export function createTest(send: () => Promise<Result>) {
  const [result, setResult] = createSignal<Result>();
  const [isTesting, setIsTesting] = createSignal(false);
  const test = async () => {
    setIsTesting(true);
    await attempt(async () => setResult(await send()));
    setIsTesting(false);
  };
  return { result, isTesting, test, forget: () => setResult(undefined) };
}

/** @param props.result undefined: not tested yet */
export function TestResult(props: { result: Result | undefined }) {
  return (
    <Show when={props.result}>
      {(answer) => (
        <p class="test-result" role="status">
          <span class="status" classList={{ 'tone-ok': answer().ok, 'tone-bad': !answer().ok }}>
            <span class="dot" aria-hidden="true" />
            {answer().ok ? noticesText.testOk : noticesText.testFailed}
          </span>{' '}
          <span class="long-text">{answer().detail}</span>{' '}
          <small class="quiet-text">{noticesText.took(answer().durationMs)}</small>
        </p>
      )}
    </Show>
  );
}
