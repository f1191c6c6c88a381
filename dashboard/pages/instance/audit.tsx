/** The audit log of all tenants, and failed sign-ins. */
import { createSignal, For } from 'solid-js';
import { isOperator, operatorApi } from '../../api/operator.ts';
import { auditText } from '../../text/operator-text.ts';
import { AuditEntries } from '../../ui/audit-entries.tsx';
import { Show } from '../../ui/show.ts';
import { FailedSignIns } from './failed-sign-ins.tsx';
import { failedSignInsText } from './instance-care-text.ts';
import { useKeys } from './instance-queries.ts';

export function Audit() {
  const keys = useKeys();
  const [part, setPart] = createSignal<'entries' | 'tab'>('entries');
  return (
    <div class="stack">
      <header class="page-head">
        <div>
          <h1>{auditText.title}</h1>
          <p class="quiet-text">{part() === 'entries' ? auditText.help : failedSignInsText.help}</p>
        </div>
        <fieldset class="segmented">
          <legend class="visually-hidden">{failedSignInsText.show}</legend>
          <For each={['entries', 'tab'] as const}>
            {(one) => (
              <button type="button" aria-pressed={part() === one} onClick={() => setPart(one)}>
                {failedSignInsText[one]}
              </button>
            )}
          </For>
        </fieldset>
      </header>
      <Show when={part() === 'entries'} fallback={<FailedSignIns />}>
        <AuditEntries
          queryKey={['operator']}
          isEnabled={isOperator()}
          read={(query, signal) => operatorApi.call('GET /api/system/audit', { query, signal })}
          known={keys.data ?? []}
          ofInstance
        />
      </Show>
    </div>
  );
}
