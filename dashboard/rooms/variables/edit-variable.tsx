/** Creates a variable or changes one. */
import { createSignal } from 'solid-js';
import { api } from '../../api/client.ts';
import { known } from '../../api/known.ts';
import { renewService, useReferences, type Variable } from '../../api/queries.ts';
import { t } from '../../text/text.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Show } from '../../ui/show.ts';
import { attempt, say } from '../../ui/toasts.tsx';
import { ValueWithReferences } from './value-with-references.tsx';

interface EditProps {
  serviceId: string;
  projectId: string;
  variable?: Variable;
  onClose(): void;
}

export function EditVariable(props: EditProps) {
  const references = useReferences(() => props.projectId);
  const [key, setKey] = createSignal(props.variable?.key ?? '');
  const [value, setValue] = createSignal(props.variable?.value ?? '');
  // A new one: the server's rule decides by its name and value, unless the person does.
  const [isSecret, setIsSecret] = createSignal(props.variable?.secret);
  const [busy, setBusy] = createSignal(false);
  const save = async () => {
    setBusy(true);
    const isSaved = await attempt(async () => {
      const secret = isSecret();
      const body = { key: key(), value: value(), ...(secret === undefined ? {} : { secret }) };
      const params = { serviceId: props.serviceId };
      const { warnings = [] } = await api.call('POST /api/services/:serviceId/env', { params, body });
      say([t.variables.saved(1), ...warnings].join('. '));
      await renewService(props.serviceId);
    });
    setBusy(false);
    if (isSaved) props.onClose();
  };
  return (
    <Dialog
      title={props.variable ? t.variables.edit(props.variable.key) : t.variables.add}
      onClose={props.onClose}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!busy()) void save();
        }}
      >
        <Show when={!props.variable}>
          <label>
            <span>{t.variables.key}</span>
            <input
              class="mono"
              required
              autofocus
              pattern="[A-Z_][A-Z0-9_]*"
              title={t.variables.keyRule}
              spellcheck={false}
              autocapitalize="characters"
              autocomplete="off"
              value={key()}
              onInput={(event) => setKey(event.currentTarget.value.toUpperCase())}
            />
            <small class="quiet-text">{t.variables.keyRule}</small>
          </label>
        </Show>
        <div class="value-field">
          <span aria-hidden="true">{t.variables.value}</span>
          <ValueWithReferences
            value={value()}
            onInput={setValue}
            services={known(references)?.services ?? []}
            serviceId={props.serviceId}
            key={key()}
            autofocus={props.variable !== undefined}
          />
        </div>
        <label class="check">
          <input
            type="checkbox"
            checked={isSecret() ?? false}
            ref={(box) => {
              box.indeterminate = isSecret() === undefined;
            }}
            onInput={(event) => setIsSecret(event.currentTarget.checked)}
          />
          <span>
            {t.variables.secret} <small class="quiet-text">{t.variables.secretHelp}</small>
          </span>
        </label>
        <footer class="actions end">
          <Button onClick={props.onClose}>{t.cancel}</Button>
          <Button kind="primary" type="submit" busy={busy()}>
            {t.variables.save}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
