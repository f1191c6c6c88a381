/** The variables of a service: their values, changes that wait for a restart, and editing one by one or as a whole .env file. */
import { createMemo, createSignal } from 'solid-js';
import type { Overview, Variable } from '../../../api/queries.ts';
import { usePageCommands } from '../../../shell/commands.ts';
import { variablesText } from '../../../text/service-text.ts';
import { t } from '../../../text/text.ts';
import { Button } from '../../../ui/button.tsx';
import { Empty } from '../../../ui/empty.tsx';
import { Filter } from '../../../ui/filter.tsx';
import { PlusIcon } from '../../../ui/icons.tsx';
import { Rows } from '../../../ui/rows.tsx';
import { hasBuilds } from '../../../ui/service-kind.ts';
import { Show } from '../../../ui/show.ts';
import { ApplyBar } from './apply-bar.tsx';
import { EditVariable } from './edit-variable.tsx';
import { PasteVariables } from './paste-variables.tsx';
import { removeVariable } from './remove-variable.ts';
import { VariableRow } from './variable-row.tsx';

type Opened = { kind: 'add' } | { kind: 'paste' } | { kind: 'edit'; variable: Variable };

export function Variables(props: { overview: Overview; mayWrite: boolean; mayDeploy: boolean }) {
  const [words, setWords] = createSignal('');
  const [opened, setOpened] = createSignal<Opened>();
  const close = () => setOpened(undefined);
  const serviceId = () => props.overview.service.id;
  const projectId = () => props.overview.service.projectId;
  const sorted = createMemo(() =>
    props.overview.env.toSorted((one, other) => (one.key < other.key ? -1 : 1)),
  );
  const found = createMemo(() => {
    const wanted = words().trim().toLowerCase();
    return sorted().filter(({ key, secret, value }) =>
      [key, secret ? '' : value].some((text) => text.toLowerCase().includes(wanted)),
    );
  });
  const waitsFor = (key: string) => {
    if (props.overview.pendingBuildVariables.includes(key)) return 'deployment';
    return props.overview.pendingVariables.includes(key) ? 'restart' : undefined;
  };
  const isBuilt = () => hasBuilds(props.overview.service);
  usePageCommands(() =>
    props.mayWrite
      ? [
          { label: variablesText.add, run: () => setOpened({ kind: 'add' }) },
          { label: variablesText.paste, run: () => setOpened({ kind: 'paste' }) },
        ]
      : [],
  );
  const edited = () => {
    const shown = opened();
    return shown?.kind === 'edit' ? shown.variable : undefined;
  };
  return (
    <div class="stack">
      <ApplyBar overview={props.overview} mayDeploy={props.mayDeploy} />
      <div class="toolbar">
        <Filter label={variablesText.filter} value={words()} onInput={setWords} />
        <Show when={props.mayWrite}>
          <div class="actions">
            <Button onClick={() => setOpened({ kind: 'paste' })}>{variablesText.paste}</Button>
            <Button kind="primary" icon={PlusIcon} onClick={() => setOpened({ kind: 'add' })}>
              {variablesText.add}
            </Button>
          </div>
        </Show>
      </div>
      <Show
        when={sorted().length > 0}
        fallback={<Empty title={variablesText.empty} help={variablesText.emptyHelp} />}
      >
        <Show when={found().length > 0} fallback={<p class="quiet-text">{t.nothingFound(words())}</p>}>
          <table class="rows variables" aria-label={variablesText.title}>
            <thead>
              <tr>
                <th>{variablesText.key}</th>
                <th>{variablesText.value}</th>
                <th>
                  <span class="visually-hidden">{variablesText.actions}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              <Rows each={found()} by={({ key }) => key}>
                {(variable) => (
                  <VariableRow
                    variable={variable()}
                    waitsFor={waitsFor(variable().key)}
                    mayWrite={props.mayWrite}
                    onEdit={() => setOpened({ kind: 'edit', variable: variable() })}
                    onRemove={() => void removeVariable(serviceId(), variable())}
                  />
                )}
              </Rows>
            </tbody>
          </table>
        </Show>
      </Show>
      <Show when={opened()?.kind === 'add'}>
        <EditVariable serviceId={serviceId()} projectId={projectId()} isBuilt={isBuilt()} onClose={close} />
      </Show>
      <Show when={edited()}>
        {(variable) => (
          <EditVariable
            serviceId={serviceId()}
            projectId={projectId()}
            isBuilt={isBuilt()}
            variable={variable()}
            onClose={close}
          />
        )}
      </Show>
      <Show when={opened()?.kind === 'paste'}>
        <PasteVariables serviceId={serviceId()} variables={props.overview.env} onClose={close} />
      </Show>
    </div>
  );
}
