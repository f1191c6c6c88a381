/** The audit log of all tenants, and failed sign-ins. */
import { createSignal, For } from 'solid-js';
import { isOperator, operatorApi } from '../../api/operator.ts';
import { t } from '../../text/text.ts';
import { Show } from '../../ui/show.ts';
import { AuditEntries } from '../audit/audit-entries.tsx';
import { FailedSignIns } from './failed-sign-ins.tsx';
import { useKeys } from './queries.ts';

export function Audit() {
  const keys = useKeys();
  const [part, setPart] = createSignal<'entries' | 'tab'>('entries');
  return (
    <div class="stack">
      <header class="page-head">
        <div>
          <h1>{t.audit.title}</h1>
          <p class="quiet-text">{part() === 'entries' ? t.audit.help : t.failedSignIns.help}</p>
        </div>
        <fieldset class="segmented">
          <legend class="visually-hidden">{t.failedSignIns.show}</legend>
          <For each={['entries', 'tab'] as const}>
            {(one) => (
              <button type="button" aria-pressed={part() === one} onClick={() => setPart(one)}>
                {t.failedSignIns[one]}
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
