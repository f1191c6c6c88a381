/** The page of trust policies: which jobs of CI services get keys for a project. */
import { createSignal } from 'solid-js';
import { type Project, useKey } from '../../../api/queries.ts';
import { EditedList } from '../../../shell/edited-list.tsx';
import { Show } from '../../../ui/show.ts';
import { CiFiles } from './ci-files.tsx';
import { EditPolicy } from './edit-policy.tsx';
import { useTrustPolicies } from './policy-queries.ts';
import { PolicyRow } from './policy-row.tsx';
import type { TrustPolicy } from './trust-policy.ts';
import { trustText } from './trust-text.ts';

export function TrustPolicies(props: { project: Project; mayWrite: boolean }) {
  const policies = useTrustPolicies(() => props.project.id);
  const key = useKey();
  // The routes take the browsers of owners, and no other session.
  const isOwner = () => key.data?.may.includes('manage-members') === true;
  const [shown, setShown] = createSignal<TrustPolicy>();
  return (
    <>
      <EditedList
        query={policies}
        title={trustText.title}
        help={isOwner() ? trustText.help : `${trustText.help} ${trustText.onlyOwners}`}
        mayEdit={isOwner()}
        add={trustText.add}
        none={{ title: trustText.none, help: trustText.noneHelp }}
        row={(policy, edit) => (
          <PolicyRow
            policy={policy()}
            onEdit={isOwner() ? edit : undefined}
            mayRemove={props.mayWrite}
            onFiles={() => setShown(policy())}
          />
        )}
        dialog={(policy, close) => (
          <EditPolicy projectId={props.project.id} policy={policy} onCreated={setShown} onClose={close} />
        )}
      />
      <Show when={shown()} keyed>
        {(policy) => <CiFiles policy={policy} project={props.project} onClose={() => setShown(undefined)} />}
      </Show>
    </>
  );
}
