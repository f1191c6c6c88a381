/** What differs from the live version, and how to apply it. */
import { Show } from 'solid-js';
import type { Overview } from '../../api/queries.ts';
import { t } from '../../text/text.ts';
import { ApplyActions } from '../apply-actions.tsx';

export function ApplyBar(props: { overview: Overview; mayDeploy: boolean }) {
  return (
    <Show when={props.overview.pendingVariables.length}>
      {(n) => (
        <section class="panel attention apply">
          <div>
            <p>
              <strong>{t.variables.applyTitle(n())}</strong>
            </p>
            <p>
              <code>{props.overview.pendingVariables.join(', ')}</code>
            </p>
          </div>
          <Show when={props.mayDeploy}>
            <ApplyActions service={props.overview.service} restart />
          </Show>
        </section>
      )}
    </Show>
  );
}
