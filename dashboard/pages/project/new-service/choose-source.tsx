/** The first question: one field for a repository or an image, a folder, or a database. */
import { createSignal, For } from 'solid-js';
import { newServiceText as texts } from '../../../text/new-service-text.ts';
import { Button } from '../../../ui/button.tsx';
import { Show } from '../../../ui/show.ts';
import { sayFailure } from '../../../ui/toasts.tsx';
import { chosenFolder, type DroppedFolder, droppedFolder } from './folder/dropped-folder.ts';
import { KnownRepositories } from './known-repositories.tsx';

type Engine = keyof typeof texts.engines;
const engines = Object.keys(texts.engines) as Engine[];

interface Props {
  onSource(source: string): void;
  onFolder(folder: DroppedFolder): void;
  onDatabase(engine: Engine): Promise<unknown>;
}

export function ChooseSource(props: Props) {
  const [text, setText] = createSignal('');
  const [creating, setCreating] = createSignal<Engine>();
  const engine = () =>
    engines.find((one) =>
      [one, texts.engines[one]].some((name) => name.toLowerCase() === text().trim().toLowerCase()),
    );
  const create = async (one: Engine) => {
    if (creating()) return;
    setCreating(one);
    await props.onDatabase(one);
    setCreating();
  };
  return (
    <>
      <form
        class="panel stack"
        onSubmit={(event) => {
          event.preventDefault();
          const named = engine();
          if (named) void create(named);
          else if (text().trim() !== '') props.onSource(text().trim());
        }}
      >
        <label class="one-field">
          <span>{texts.source}</span>
          <span class="with-button">
            <input
              type="text"
              required
              autofocus
              autocomplete="off"
              autocapitalize="off"
              spellcheck={false}
              placeholder={texts.sourceExample}
              value={text()}
              onInput={(event) => setText(event.currentTarget.value)}
            />
            <Button kind="primary" type="submit" busy={creating() !== undefined}>
              <Show when={engine()} fallback={texts.read}>
                {(one) => texts.createEngine(texts.engines[one()])}
              </Show>
            </Button>
          </span>
          <small class="quiet-text">{texts.sourceHelp}</small>
        </label>
        <KnownRepositories words={text()} onChosen={props.onSource} />
      </form>
      <FolderPlace onFolder={props.onFolder} />
      <section class="panel stack" id="database">
        <h2>{texts.database}</h2>
        <div class="engines">
          <For each={engines}>
            {(one) => (
              <button
                type="button"
                class="tile"
                aria-busy={creating() === one}
                aria-label={texts.createEngine(texts.engines[one])}
                onClick={() => void create(one)}
              >
                <span class={`mark of-${one}`} aria-hidden="true" />
                <span>{texts.engines[one]}</span>
              </button>
            )}
          </For>
        </div>
      </section>
    </>
  );
}

function FolderPlace(props: { onFolder(folder: DroppedFolder): void }) {
  const [over, setOver] = createSignal(false);
  let input: HTMLInputElement | undefined;
  const take = (found: Promise<DroppedFolder>) => void found.then(props.onFolder, sayFailure);
  return (
    <fieldset
      id="folder"
      class="panel folder-place"
      classList={{ over: over() }}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        if (event.dataTransfer) take(droppedFolder(event.dataTransfer));
      }}
    >
      <legend class="visually-hidden">{texts.folder}</legend>
      <div>
        <h2>{texts.folder}</h2>
        <p class="quiet-text">{texts.folderHelp}</p>
      </div>
      <Button onClick={() => input?.click()}>{texts.chooseFolder}</Button>
      <input
        ref={(element) => {
          input = element;
          element.webkitdirectory = true;
        }}
        type="file"
        hidden
        aria-label={texts.chooseFolder}
        onChange={(event) => {
          const { files } = event.currentTarget;
          if (files && files.length > 0) take(chosenFolder(files));
          event.currentTarget.value = '';
        }}
      />
    </fieldset>
  );
}
