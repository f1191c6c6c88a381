/** The settings of a project: its name and description, and its deletion after the user types its name. The message afterwards offers to undo it. */
import { useNavigate } from '@solidjs/router';
import { createSignal } from 'solid-js';
import { api } from '../../api/client.ts';
import type { Project } from '../../api/queries.ts';
import { queries } from '../../api/query-client.ts';
import { usePageCommands } from '../../shell/commands.ts';
import { credentialsText } from '../../text/credentials-text.ts';
import { serviceText, variablesText } from '../../text/service-text.ts';
import { t } from '../../text/text.ts';
import { Button } from '../../ui/button.tsx';
import { EditIcon, TrashIcon } from '../../ui/icons.tsx';
import { RecordDialog } from '../../ui/record-dialog.tsx';
import { Show } from '../../ui/show.ts';
import { attempt, say } from '../../ui/toasts.tsx';
import { TypeName } from '../../ui/type-name.tsx';
import { projectText } from './project-text.ts';

export function ProjectActions(props: { project: Project; mayWrite: boolean }) {
  const navigate = useNavigate();
  const [asked, setAsked] = createSignal<'edit' | 'remove'>();
  const close = () => setAsked(undefined);
  const name = () => props.project.name;
  const params = () => ({ projectId: props.project.id });
  usePageCommands(() =>
    !props.mayWrite
      ? []
      : [
          { label: variablesText.edit(name()), run: () => setAsked('edit') },
          { label: variablesText.remove(name()), run: () => setAsked('remove') },
        ],
  );
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
      say(serviceText.removed(removed.name), { label: t.trash.undo, run: () => void undo() });
      await queries.invalidateQueries();
    });
  };
  return (
    <>
      <div class="stack narrow">
        <section class="panel">
          <h2>{projectText.general}</h2>
          <p>
            <strong>{name()}</strong>
          </p>
          <p class="quiet-text">{props.project.description || projectText.noDescription}</p>
          <Show when={props.mayWrite}>
            <Button icon={EditIcon} aria-label={variablesText.edit(name())} onClick={() => setAsked('edit')}>
              {projectText.edit}
            </Button>
          </Show>
        </section>
        <Show when={props.mayWrite}>
          <section class="panel">
            <h2>{projectText.danger}</h2>
            <p class="quiet-text">{t.projects.removeHelp}</p>
            <Button
              kind="danger"
              icon={TrashIcon}
              aria-label={variablesText.remove(name())}
              onClick={() => setAsked('remove')}
            >
              {serviceText.actions.remove}
            </Button>
          </section>
        </Show>
      </div>
      <Show when={asked() === 'edit'}>
        <RecordDialog
          title={variablesText.edit(name())}
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
            return credentialsText.saved(body.name);
          }}
          onClose={close}
        />
      </Show>
      <Show when={asked() === 'remove'}>
        <TypeName
          title={serviceText.removeTitle(name())}
          help={t.projects.removeHelp}
          name={name()}
          submit={serviceText.actions.remove}
          onClose={close}
          onConfirm={() => void remove()}
        />
      </Show>
    </>
  );
}
