/** One variable. A secret value is shown only on request. */
import { createSignal } from 'solid-js';
import type { Variable } from '../../../api/queries.ts';
import { variablesText } from '../../../text/service-text.ts';
import { Button } from '../../../ui/button.tsx';
import { CopyButton } from '../../../ui/copy.tsx';
import { EditAndRemove } from '../../../ui/edit-and-remove.tsx';
import { EyeIcon } from '../../../ui/icons.tsx';
import { Show } from '../../../ui/show.ts';

interface VariableRowProps {
  variable: Variable;
  /** The step that the live version needs to get the value; undefined: it has the value. */
  waitsFor: 'restart' | 'deployment' | undefined;
  mayWrite: boolean;
  onEdit(): void;
  onRemove(): void;
}

const masked = '••••••••';

export function VariableRow(props: VariableRowProps) {
  const [isRevealed, setIsRevealed] = createSignal(false);
  const isHidden = () => props.variable.hasValue && props.variable.value === '';
  const refers = () => props.variable.resolvedValue !== props.variable.value;
  const isShown = () => !isHidden() && (!props.variable.secret || isRevealed());
  // The resolved value of a reference is often secret, even if the variable is not.
  const isMasked = () => !isHidden() && (props.variable.secret || refers());
  const name = () => props.variable.key;
  return (
    <tr>
      <td>
        <code class="variable-key">{props.variable.key}</code>
        <Show when={props.variable.secret}>
          <span class="tag">{variablesText.secret}</span>
        </Show>
        <Show when={props.variable.scope !== 'both'}>
          <span class="tag">{variablesText.scopes[props.variable.scope]}</span>
        </Show>
        <Show when={props.waitsFor}>
          {(applier) => <span class="tag waits">{variablesText.waits[applier()]}</span>}
        </Show>
      </td>
      <td class="variable-value">
        <Show
          when={isShown()}
          fallback={<span class="quiet-text">{isHidden() ? variablesText.hidden : masked}</span>}
        >
          <code>{props.variable.value}</code>
          <Show when={refers()}>
            <small class="quiet-text">
              {variablesText.resolved} <code>{isRevealed() ? props.variable.resolvedValue : masked}</code>
            </small>
          </Show>
        </Show>
      </td>
      <td class="row-actions">
        <Show when={isMasked()}>
          <Button
            kind="quiet"
            class="small"
            icon={EyeIcon}
            aria-label={isRevealed() ? variablesText.conceal(name()) : variablesText.reveal(name())}
            aria-pressed={isRevealed()}
            onClick={() => setIsRevealed((shown) => !shown)}
          />
        </Show>
        <Show when={!isHidden()}>
          <CopyButton text={props.variable.value} what={name()} />
        </Show>
        <Show when={props.mayWrite}>
          <EditAndRemove
            name={name()}
            onEdit={props.onEdit}
            removeHelp={variablesText.removeHelp}
            onRemove={props.onRemove}
          />
        </Show>
      </td>
    </tr>
  );
}
