/** What differs from the live version, and how to apply it. */
import { For } from 'solid-js';
import type { Overview } from '../../api/queries.ts';
import { t } from '../../text/text.ts';
import { Show } from '../../ui/show.ts';
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
            <PendingChanges changes={props.overview.pendingChanges} />
          </div>
          <Show when={props.mayDeploy}>
            <ApplyActions service={props.overview.service} restart />
          </Show>
        </section>
      )}
    </Show>
  );
}

const kinds = ['added', 'changed', 'removed'] as const;

/** Names and what happened to them. Values are in the table; those of the live version stay where they are. */
function PendingChanges(props: { changes: Overview['pendingChanges'] }) {
  const all = () => kinds.flatMap((kind) => props.changes[kind].map((key) => ({ kind, key })));
  return (
    <ul class="pending-changes" aria-label={t.variables.liveLabel}>
      <For each={all()}>
        {({ kind, key }) => (
          <li>
            <code>{key}</code> <span class={`tag change-${kind}`}>{t.variables.pendingKinds[kind]}</span>
          </li>
        )}
      </For>
    </ul>
  );
}
