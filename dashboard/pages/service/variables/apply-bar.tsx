/** The differences from the live version, and buttons to apply them. */
import { For } from 'solid-js';
import type { Overview } from '../../../api/queries.ts';
import { serviceText, variablesText } from '../../../text/service-text.ts';
import { Show } from '../../../ui/show.ts';
import { ApplyActions } from '../apply-actions.tsx';

export function ApplyBar(props: { overview: Overview; mayDeploy: boolean }) {
  const ofRun = () => props.overview.pendingVariables.length;
  const ofBuild = () => props.overview.pendingBuildVariables.length;
  return (
    <Show when={ofRun() + ofBuild() > 0}>
      <section class="panel attention apply">
        <div>
          <Show when={ofRun()}>
            {(n) => (
              <>
                <p>
                  <strong>{variablesText.applyTitle(n())}</strong>
                </p>
                <PendingChanges changes={props.overview.pendingChanges} />
              </>
            )}
          </Show>
          <Show when={ofBuild()}>
            {(n) => (
              <p>
                <strong>{serviceText.pendingBuild(n())}:</strong>{' '}
                <code>{props.overview.pendingBuildVariables.join(', ')}</code>
              </p>
            )}
          </Show>
        </div>
        <Show when={props.mayDeploy}>
          <ApplyActions overview={props.overview} restart={ofBuild() === 0} />
        </Show>
      </section>
    </Show>
  );
}

const kinds = ['added', 'changed', 'removed'] as const;

/** Names and their kinds of change. The table has the values; values of the live version are not shown. */
function PendingChanges(props: { changes: Overview['pendingChanges'] }) {
  const all = () => kinds.flatMap((kind) => props.changes[kind].map((key) => ({ kind, key })));
  return (
    <ul class="pending-changes" aria-label={variablesText.liveLabel}>
      <For each={all()}>
        {({ kind, key }) => (
          <li>
            <code>{key}</code> <span class={`tag change-${kind}`}>{variablesText.pendingKinds[kind]}</span>
          </li>
        )}
      </For>
    </ul>
  );
}
