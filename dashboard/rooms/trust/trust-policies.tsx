/** The page of trust policies: which jobs of CI services get keys for a project. */
import { createSignal } from 'solid-js';
import { type Project, useKey } from '../../api/queries.ts';
import { t } from '../../text/text.ts';
import { Show } from '../../ui/show.ts';
import { EditedList } from '../edited-list.tsx';
import { CiFiles } from './ci-files.tsx';
import { EditPolicy } from './edit-policy.tsx';
import { PolicyRow } from './policy-row.tsx';
import { useTrustPolicies } from './queries.ts';
import type { TrustPolicy } from './trust-policy.ts';

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
        title={t.trust.title}
        help={isOwner() ? t.trust.help : `${t.trust.help} ${t.trust.onlyOwners}`}
        mayEdit={isOwner()}
        add={t.trust.add}
        none={{ title: t.trust.none, help: t.trust.noneHelp }}
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
