/** Renames a project, or deletes it after the user types its name. The message afterwards offers to undo the deletion. */
import { useNavigate } from '@solidjs/router';
import { createSignal } from 'solid-js';
import { api } from '../api/client.ts';
import type { Project } from '../api/queries.ts';
import { queries } from '../api/query-client.ts';
import { usePageCommands } from '../shell/commands.ts';
import { t } from '../text/text.ts';
import { Button } from '../ui/button.tsx';
import { EditIcon, TrashIcon } from '../ui/icons.tsx';
import { Show } from '../ui/show.ts';
import { attempt, say } from '../ui/toasts.tsx';
import { TypeName } from '../ui/type-name.tsx';
import { RecordDialog } from './record-dialog.tsx';

export function ProjectActions(props: { project: Project }) {
  const navigate = useNavigate();
  const [asked, setAsked] = createSignal<'edit' | 'remove'>();
  const close = () => setAsked(undefined);
  const name = () => props.project.name;
  const params = () => ({ projectId: props.project.id });
  usePageCommands(() => [
    { label: t.variables.edit(name()), run: () => setAsked('edit') },
    { label: t.variables.remove(name()), run: () => setAsked('remove') },
  ]);
  const remove = () => {
    const removed = { name: name(), params: params() };
    const undo = () =>
      attempt(async () => {
        await api.call('POST /api/projects/:projectId/restore', { params: removed.params });
        say(t.trash.restored(removed.name));
        await queries.invalidateQueries();
      });
    return attempt(async () => {
      await api.call('DELETE /api/projects/:projectId', { params: removed.params });
      navigate('/');
      say(t.service.removed(removed.name), { label: t.trash.undo, run: () => void undo() });
      await queries.invalidateQueries();
    });
  };
  return (
    <>
      <Button
        kind="quiet"
        class="small"
        icon={EditIcon}
        aria-label={t.variables.edit(name())}
        onClick={() => setAsked('edit')}
      />
      <Button
        kind="quiet"
        class="small"
        icon={TrashIcon}
        aria-label={t.variables.remove(name())}
        onClick={() => setAsked('remove')}
      />
      <Show when={asked() === 'edit'}>
        <RecordDialog
          title={t.variables.edit(name())}
          fields={[
            { name: 'name', kind: 'text', isRequired: true, label: t.projects.name },
            { name: 'description', kind: 'text', label: t.projects.description },
          ]}
          first={{ name: name(), description: props.project.description ?? '' }}
          send={async ({ name: typed, description }) => {
            const body = { name: typed.trim(), description: description.trim() };
            await api.call('PATCH /api/projects/:projectId', { params: params(), body });
            await queries.invalidateQueries({ queryKey: ['project'] });
            await queries.invalidateQueries({ queryKey: ['projects'] });
            return t.credentials.saved(body.name);
          }}
          onClose={close}
        />
      </Show>
      <Show when={asked() === 'remove'}>
        <TypeName
          title={t.service.removeTitle(name())}
          help={t.projects.removeHelp}
          name={name()}
          submit={t.service.actions.remove}
          onClose={close}
          onConfirm={() => void remove()}
        />
      </Show>
    </>
  );
}
