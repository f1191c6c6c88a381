/** Imports into a database: drop a dump file on the page or choose it, see its progress, and the results of earlier imports. */

import { createSignal, For, type JSX, onCleanup, onMount } from 'solid-js';
import { api } from '../../../../api/client.ts';
import type { Overview } from '../../../../api/queries.ts';
import { useQuery } from '../../../../api/use-query.ts';
import { usePageCommands } from '../../../../shell/commands.ts';
import { Age } from '../../../../ui/age.tsx';
import { Answer } from '../../../../ui/answer.tsx';
import { Button } from '../../../../ui/button.tsx';
import { Show } from '../../../../ui/show.ts';
import { attempt } from '../../../../ui/toasts.tsx';
import { importsText } from '../imports-text.ts';
import type { Engine, Import } from '../table-types.ts';
import { ImportFile } from './import-file.tsx';
import { ImportFromServer } from './import-from-server.tsx';
import { SentFile } from './sent-file.tsx';
import { uploadOf } from './uploads.ts';

/** Older imports can be read with the API. */
const shownMax = 10;

export function Imports(props: { overview: Overview; mayWrite: boolean }) {
  let picker: HTMLInputElement | undefined;
  const service = () => props.overview.service;
  const [chosen, setChosen] = createSignal<File>();
  const [isOver, setIsOver] = createSignal(false);
  const [isAsking, setIsAsking] = createSignal(false);
  const imports = useQuery(() => ({
    queryKey: ['imports', service().id],
    queryFn: ({ signal }) =>
      api.call('GET /api/services/:serviceId/database/imports', {
        params: { serviceId: service().id },
        query: { limit: shownMax },
        signal,
      }),
  }));
  const engine = () => service().framework as Engine;
  const mayChoose = () => props.mayWrite && uploadOf(service().id) === undefined;
  onMount(() => onCleanup(watchDrops({ mayDrop: mayChoose, onOver: setIsOver, onDrop: setChosen })));
  usePageCommands(() =>
    props.mayWrite ? [{ label: importsText.fromServer, run: () => setIsAsking(true) }] : [],
  );
  const abort = ({ id }: Import) =>
    attempt(async () => {
      const params = { serviceId: service().id, importId: id };
      await api.call('POST /api/services/:serviceId/database/imports/:importId/abort', { params });
      await imports.refetch();
    });
  return (
    <section class="panel imports" classList={{ over: isOver() }} aria-label={importsText.title}>
      <header>
        <h2>{importsText.title}</h2>
        <Show when={props.mayWrite}>
          <div class="actions">
            <Show when={mayChoose()}>
              <Button class="small" onClick={() => picker?.click()}>
                {importsText.choose}
              </Button>
            </Show>
            <Button class="small" onClick={() => setIsAsking(true)}>
              {importsText.fromServer}
            </Button>
          </div>
        </Show>
      </header>
      <Show when={props.mayWrite}>
        <input
          ref={picker}
          type="file"
          hidden
          aria-label={importsText.file}
          onChange={(event) => {
            setChosen(event.currentTarget.files?.[0]);
            event.currentTarget.value = '';
          }}
        />
        <Show
          when={uploadOf(service().id)}
          fallback={
            <p class="drop-here">
              {importsText.drop} <span class="quiet-text">{importsText.wanted[engine()]}</span>
            </p>
          }
        >
          {(upload) => <SentFile upload={upload()} service={service()} />}
        </Show>
      </Show>
      <Answer query={imports} lines={1}>
        {(data) => (
          <ul class="lines">
            <For each={data().imports} fallback={<li class="quiet-text">{importsText.none}</li>}>
              {(one) => <ImportLine one={one} mayWrite={props.mayWrite} onAbort={() => void abort(one)} />}
            </For>
          </ul>
        )}
      </Answer>
      <Show when={isAsking()}>
        <ImportFromServer engine={engine()} service={service()} onClose={() => setIsAsking(false)} />
      </Show>
      <Show when={chosen()} keyed>
        {(file) => (
          <ImportFile
            file={file}
            engine={engine()}
            service={service()}
            onClose={() => setChosen(undefined)}
          />
        )}
      </Show>
    </section>
  );
}

interface Drops {
  mayDrop(): boolean;
  onOver(isOver: boolean): void;
  onDrop(file: File): void;
}

/** Accepts drops anywhere on the page: otherwise a drop beside a small field would open the file instead of the page. @returns stops accepting */
function watchDrops({ mayDrop, onOver, onDrop }: Drops): () => void {
  const stop = new AbortController();
  const { signal } = stop;
  const hasFile = (event: DragEvent) => event.dataTransfer?.types.includes('Files') === true;
  window.addEventListener(
    'dragover',
    (event) => {
      if (!hasFile(event)) return;
      event.preventDefault();
      if (event.dataTransfer) event.dataTransfer.dropEffect = mayDrop() ? 'copy' : 'none';
      onOver(mayDrop());
    },
    { signal },
  );
  window.addEventListener('dragleave', (event) => event.relatedTarget === null && onOver(false), { signal });
  window.addEventListener(
    'drop',
    (event) => {
      if (!hasFile(event)) return;
      event.preventDefault();
      onOver(false);
      const file = event.dataTransfer?.files[0];
      if (file && mayDrop()) onDrop(file);
    },
    { signal },
  );
  return () => stop.abort();
}

function ImportLine(props: { one: Import; mayWrite: boolean; onAbort(): void }): JSX.Element {
  const one = () => props.one;
  return (
    <li>
      <div>
        <strong>
          <Age at={one().createdAt} />
        </strong>{' '}
        <span class={`tag state-${one().status}`}>{importsText.states[one().status]}</span>
        <p class="quiet-text facts-line">
          <span>{one().source === 'file' ? importsText.fromFile : one().sourceLabel}</span>
          <Show when={one().safetyBackupId}>
            {(id) => (
              <span>
                <a href={`#${id()}`}>{importsText.safety}</a>
              </span>
            )}
          </Show>
        </p>
        <Show when={one().status === 'running' && one().progress}>
          {(progress) => (
            <p role="status">{importsText.loading(progress().done, progress().total, progress().unit)}</p>
          )}
        </Show>
        <Show when={one().error}>
          {(error) => (
            <p>
              <span class="field-failure">{error()}</span>{' '}
              <span class="quiet-text">{importsText.unchanged}</span>
            </p>
          )}
        </Show>
        <Show when={one().skipped.length > 0}>
          <details>
            <summary class="warning">{importsText.skipped(one().skipped.length)}</summary>
            <ul>
              <For each={one().skipped}>{(sentence) => <li>{sentence}</li>}</For>
            </ul>
          </details>
        </Show>
      </div>
      <Show when={props.mayWrite && one().status === 'running'}>
        <div class="actions">
          <Button class="small" onClick={props.onAbort}>
            {importsText.abort}
          </Button>
        </div>
      </Show>
    </li>
  );
}
