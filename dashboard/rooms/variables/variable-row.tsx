/** One variable. The value of a secret one is shown only on demand. */
import { createSignal } from 'solid-js';
import type { Variable } from '../../api/queries.ts';
import { t } from '../../text/text.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy.tsx';
import { EditAndRemove } from '../../ui/edit-and-remove.tsx';
import { EyeIcon } from '../../ui/icons.tsx';
import { Show } from '../../ui/show.ts';

interface VariableRowProps {
  variable: Variable;
  /** Whether the live version has another value. */
  isPending: boolean;
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
  // What a reference leads to is often a secret, whatever the variable is.
  const isMasked = () => !isHidden() && (props.variable.secret || refers());
  const name = () => props.variable.key;
  return (
    <tr>
      <td>
        <code class="variable-key">{props.variable.key}</code>
        <Show when={props.variable.secret}>
          <span class="tag">{t.variables.secret}</span>
        </Show>
        <Show when={props.isPending}>
          <span class="tag waits">{t.variables.waits}</span>
        </Show>
      </td>
      <td class="variable-value">
        <Show
          when={isShown()}
          fallback={<span class="quiet-text">{isHidden() ? t.variables.hidden : masked}</span>}
        >
          <code>{props.variable.value}</code>
          <Show when={refers()}>
            <small class="quiet-text">
              {t.variables.resolved} <code>{isRevealed() ? props.variable.resolvedValue : masked}</code>
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
            aria-label={isRevealed() ? t.variables.conceal(name()) : t.variables.reveal(name())}
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
            removeHelp={t.variables.removeHelp}
            onRemove={props.onRemove}
          />
        </Show>
      </td>
    </tr>
  );
}
