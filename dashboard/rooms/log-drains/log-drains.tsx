/** The page of log drains, which send the output of a project's services to receivers. */
import { createSignal } from 'solid-js';
import type { Project } from '../../api/queries.ts';
import { t } from '../../text/text.ts';
import { Show } from '../../ui/show.ts';
import { ShownOnce } from '../../ui/shown-once.tsx';
import { EditedList } from '../edited-list.tsx';
import { DrainRow } from './drain-row.tsx';
import { EditDrain, type MadeSecret } from './edit-drain.tsx';
import { useLogDrains } from './queries.ts';

export function LogDrains(props: { project: Project; mayWrite: boolean }) {
  const query = useLogDrains(() => props.project.id);
  const [secret, setSecret] = createSignal<MadeSecret>();
  return (
    <>
      <EditedList
        query={query}
        title={t.drains.title}
        help={t.drains.help}
        mayEdit={props.mayWrite}
        add={t.drains.add}
        none={{ title: t.drains.none, help: t.drains.noneHelp }}
        row={(drain, edit) => <DrainRow drain={drain()} mayWrite={props.mayWrite} onEdit={edit} />}
        dialog={(drain, close) => (
          <EditDrain projectId={props.project.id} drain={drain} onSecret={setSecret} onClose={close} />
        )}
      />
      <Show when={secret()} keyed>
        {(made) => (
          <ShownOnce
            title={t.drains.secretTitle(made.name)}
            help={t.drains.secretHelp}
            what={t.drains.secret}
            secret={made.secret}
            onClose={() => setSecret(undefined)}
          />
        )}
      </Show>
    </>
  );
}
