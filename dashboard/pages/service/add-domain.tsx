/** Adds a domain to a service. */
import { createSignal } from 'solid-js';
import { api } from '../../api/client.ts';
import { renewService } from '../../api/queries.ts';
import { serviceText } from '../../text/service-text.ts';
import { t } from '../../text/text.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { attempt, say } from '../../ui/toasts.tsx';

export function AddDomain(props: { serviceId: string; onClose(): void }) {
  const [hostname, setHostname] = createSignal('');
  const [busy, setBusy] = createSignal(false);
  const add = async () => {
    setBusy(true);
    const isAdded = await attempt(async () => {
      const params = { serviceId: props.serviceId };
      const body = { hostname: hostname().trim().toLowerCase() };
      await api.call('POST /api/services/:serviceId/domains', { params, body });
      say(serviceText.domain.added(body.hostname));
      await renewService(props.serviceId);
    });
    setBusy(false);
    if (isAdded) props.onClose();
  };
  return (
    <Dialog title={serviceText.domain.add} onClose={props.onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!busy()) void add();
        }}
      >
        <label>
          <span>{serviceText.domain.hostname}</span>
          <input
            type="text"
            required
            autofocus
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            value={hostname()}
            onInput={(event) => setHostname(event.currentTarget.value)}
          />
          <small class="quiet-text">{serviceText.domain.hostnameHelp}</small>
        </label>
        <footer class="actions end">
          <Button onClick={props.onClose}>{t.cancel}</Button>
          <Button kind="primary" type="submit" busy={busy()}>
            {serviceText.domain.add}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
