/** Mounted files of a service: small texts that its containers see. */

import { createSignal } from 'solid-js';
import { api } from '../../../api/client.ts';
import { renewService } from '../../../api/queries.ts';
import { queries } from '../../../api/query-client.ts';
import { useQuery } from '../../../api/use-query.ts';
import { variablesText } from '../../../text/service-text.ts';
import { Answer } from '../../../ui/answer.tsx';
import { Button } from '../../../ui/button.tsx';
import { EditAndRemove } from '../../../ui/edit-and-remove.tsx';
import { Rows } from '../../../ui/rows.tsx';
import { Show } from '../../../ui/show.ts';
import { sizeText } from '../../../ui/size.ts';
import { attempt, say } from '../../../ui/toasts.tsx';
import { EditFile } from './edit-file.tsx';
import type { MountedFile } from './resources.ts';
import { filesText } from './resources-text.ts';

export function Files(props: { serviceId: string; mayWrite: boolean }) {
  const [edited, setEdited] = createSignal<MountedFile | 'new'>();
  const files = useQuery(() => ({
    queryKey: ['files', props.serviceId],
    queryFn: ({ signal }) =>
      api.call('GET /api/services/:serviceId/files', { params: { serviceId: props.serviceId }, signal }),
  }));
  const renew = async () => {
    await queries.invalidateQueries({ queryKey: ['files', props.serviceId] });
    await renewService(props.serviceId);
  };
  const remove = (path: string) =>
    attempt(async () => {
      const params = { serviceId: props.serviceId };
      const { detail } = await api.call('DELETE /api/services/:serviceId/files', { params, query: { path } });
      say(detail);
      await renew();
    });
  return (
    <section class="panel">
      <header>
        <h2>{filesText.title}</h2>
        <Show when={props.mayWrite}>
          <Button class="small" onClick={() => setEdited('new')}>
            {filesText.add}
          </Button>
        </Show>
      </header>
      <p class="quiet-text">{filesText.help}</p>
      <Answer query={files} lines={1}>
        {(data) => (
          <ul class="plain-list">
            <Rows each={data().files} by={({ path }) => path}>
              {(file) => (
                <li class="item-row">
                  <span class="long-text">
                    <code>{file().path}</code>{' '}
                    <Show when={file().secret}>
                      <span class="tag">{variablesText.secret}</span>{' '}
                    </Show>
                    <Show when={data().pendingFiles.includes(file().path)}>
                      <span class="tag waits">{variablesText.waits.restart}</span>{' '}
                    </Show>
                    <small class="quiet-text">
                      {sizeText(file().sizeBytes)} · {file().mode}
                    </small>
                  </span>
                  <Show when={props.mayWrite}>
                    <span class="actions">
                      <EditAndRemove
                        name={file().path}
                        onEdit={() => setEdited(file())}
                        removeHelp={variablesText.removeHelp}
                        onRemove={() => void remove(file().path)}
                      />
                    </span>
                  </Show>
                </li>
              )}
            </Rows>
          </ul>
        )}
      </Answer>
      <Show when={edited()} keyed>
        {(file) => (
          <EditFile
            serviceId={props.serviceId}
            file={file === 'new' ? undefined : file}
            onSaved={() => void renew()}
            onClose={() => setEdited(undefined)}
          />
        )}
      </Show>
    </section>
  );
}
