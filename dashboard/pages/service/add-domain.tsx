/** Adds a domain to a service. */
import { createSignal } from 'solid-js';
import { api } from '../../api/client.ts';
import { renewService } from '../../api/queries.ts';
import { serviceText } from '../../text/service-text.ts';
import { t } from '../../text/text.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { createSaving } from '../../ui/saving.ts';
import { say } from '../../ui/toasts.tsx';

export function AddDomain(props: { serviceId: string; onClose(): void }) {
  const [hostname, setHostname] = createSignal('');
  const saving = createSaving((name) => name === 'hostname');
  const add = async () => {
    const isAdded = await saving.save(async () => {
      const params = { serviceId: props.serviceId };
      const { domain } = await api.call('POST /api/services/:serviceId/domains', {
        params,
        body: { hostname: hostname().trim() },
      });
      say(serviceText.domain.added(domain?.hostname ?? hostname().trim()));
      await renewService(props.serviceId);
    });
    if (isAdded) props.onClose();
  };
  return (
    <Dialog title={serviceText.domain.add} onClose={props.onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void add();
        }}
      >
        <TextField
          label={serviceText.domain.hostname}
          help={serviceText.domain.hostnameHelp}
          value={hostname()}
          required
          autofocus
          failure={saving.failureAt('hostname')}
          onInput={setHostname}
        />
        <footer class="actions end">
          <Button onClick={props.onClose}>{t.cancel}</Button>
          <Button kind="primary" type="submit" busy={saving.isBusy()}>
            {serviceText.domain.add}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
