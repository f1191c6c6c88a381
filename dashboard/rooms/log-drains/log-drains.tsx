/** Where the hosts send what the services of a project print. */
import { createSignal } from 'solid-js';
import type { Project } from '../../api/queries.ts';
import { usePageCommands } from '../../shell/commands.ts';
import { t } from '../../text/text.ts';
import { Answer } from '../../ui/answer.tsx';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { PlusIcon } from '../../ui/icons.tsx';
import { Rows } from '../../ui/rows.tsx';
import { Show } from '../../ui/show.ts';
import { ShownOnce } from '../../ui/shown-once.tsx';
import { DrainRow } from './drain-row.tsx';
import { EditDrain, type MadeSecret } from './edit-drain.tsx';
import { type LogDrain, useLogDrains } from './queries.ts';

export function LogDrains(props: { project: Project; mayWrite: boolean }) {
  const drains = useLogDrains(() => props.project.id);
  const [edited, setEdited] = createSignal<LogDrain | 'new'>();
  const [secret, setSecret] = createSignal<MadeSecret>();
  usePageCommands(() => (props.mayWrite ? [{ label: t.drains.add, run: () => setEdited('new') }] : []));
  return (
    <section class="stack">
      <div class="toolbar">
        <div>
          <h2>{t.drains.title}</h2>
          <p class="quiet-text">{t.drains.help}</p>
        </div>
        <Show when={props.mayWrite}>
          <Button kind="primary" icon={PlusIcon} onClick={() => setEdited('new')}>
            {t.drains.add}
          </Button>
        </Show>
      </div>
      <Answer query={drains} lines={2}>
        {(all) => (
          <ul class="lines">
            <Rows each={all()} fallback={<Empty title={t.drains.none} help={t.drains.noneHelp} inList />}>
              {(drain) => (
                <DrainRow drain={drain()} mayWrite={props.mayWrite} onEdit={() => setEdited(drain())} />
              )}
            </Rows>
          </ul>
        )}
      </Answer>
      <Show when={edited()} keyed>
        {(drain) => (
          <EditDrain
            projectId={props.project.id}
            drain={drain === 'new' ? undefined : drain}
            onSecret={setSecret}
            onClose={() => setEdited(undefined)}
          />
        )}
      </Show>
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
    </section>
  );
}
