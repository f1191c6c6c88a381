/** What a receiver answered to a test. */
import { Show } from 'solid-js';
import { t } from '../text/text.ts';

interface Result {
  ok: boolean;
  detail: string;
  durationMs: number;
}

/** @param props.result undefined: nothing was tested */
export function TestResult(props: { result: Result | undefined }) {
  return (
    <Show when={props.result}>
      {(answer) => (
        <p class="test-result" role="status">
          <span class="status" classList={{ 'tone-ok': answer().ok, 'tone-bad': !answer().ok }}>
            <span class="dot" aria-hidden="true" />
            {answer().ok ? t.notices.testOk : t.notices.testFailed}
          </span>{' '}
          <span class="long-text">{answer().detail}</span>{' '}
          <small class="quiet-text">{t.notices.took(answer().durationMs)}</small>
        </p>
      )}
    </Show>
  );
}
