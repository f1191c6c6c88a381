/** The page of log drains, which send the output of a project's services to receivers. */
import { createSignal } from 'solid-js';
import type { Project } from '../../../api/queries.ts';
import { EditedList } from '../../../shell/edited-list.tsx';
import { drainsText } from '../../../text/drains-text.ts';
import { Show } from '../../../ui/show.ts';
import { ShownOnce } from '../../../ui/shown-once.tsx';
import { useLogDrains } from './drain-queries.ts';
import { DrainRow } from './drain-row.tsx';
import { EditDrain, type MadeSecret } from './edit-drain.tsx';

export function LogDrains(props: { project: Project; mayWrite: boolean }) {
  const query = useLogDrains(() => props.project.id);
  const [secret, setSecret] = createSignal<MadeSecret>();
  return (
    <>
      <EditedList
        query={query}
        title={drainsText.title}
        help={drainsText.help}
        mayEdit={props.mayWrite}
        add={drainsText.add}
        none={{ title: drainsText.none, help: drainsText.noneHelp }}
        row={(drain, edit) => <DrainRow drain={drain()} mayWrite={props.mayWrite} onEdit={edit} />}
        dialog={(drain, close) => (
          <EditDrain projectId={props.project.id} drain={drain} onSecret={setSecret} onClose={close} />
        )}
      />
      <Show when={secret()} keyed>
        {(made) => (
          <ShownOnce
            title={drainsText.secretTitle(made.name)}
            help={drainsText.secretHelp}
            what={drainsText.secret}
            secret={made.secret}
            onClose={() => setSecret(undefined)}
          />
        )}
      </Show>
    </>
  );
}
