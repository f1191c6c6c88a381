/** Creates a project. */
import { createSignal } from 'solid-js';
import { api } from '../../api/client.ts';
import { queries } from '../../api/query-client.ts';
import { t } from '../../text/text.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { attempt } from '../../ui/toasts.tsx';

export function NewProject(props: { onClose(): void; onCreated(slug: string): void }) {
  const [name, setName] = createSignal('');
  const [description, setDescription] = createSignal('');
  const [busy, setBusy] = createSignal(false);
  const create = async () => {
    setBusy(true);
    await attempt(async () => {
      const body = { name: name().trim(), description: description().trim() };
      const { project } = await api.call('POST /api/projects', { body });
      void queries.invalidateQueries({ queryKey: ['projects'] });
      props.onClose();
      props.onCreated(project.slug);
    });
    setBusy(false);
  };
  return (
    <Dialog title={t.projects.create} onClose={props.onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!busy()) void create();
        }}
      >
        <label>
          <span>{t.projects.name}</span>
          <input
            required
            autofocus
            maxlength="100"
            value={name()}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </label>
        <label>
          <span>{t.projects.description}</span>
          <input
            maxlength="500"
            value={description()}
            onInput={(event) => setDescription(event.currentTarget.value)}
          />
        </label>
        <footer class="actions end">
          <Button onClick={props.onClose}>{t.cancel}</Button>
          <Button kind="primary" type="submit" busy={busy()}>
            {t.projects.createSubmit}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
