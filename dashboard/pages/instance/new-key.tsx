/** Creates a key, and shows its token once. */
import { createSignal, For } from 'solid-js';
import { operatorApi } from '../../api/operator.ts';
import { useProjects } from '../../api/queries.ts';
import { apiKeysText } from '../../text/operator-text.ts';
import { t } from '../../text/text.ts';
import { Button } from '../../ui/button.tsx';
import { Copyable } from '../../ui/copy.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Show } from '../../ui/show.ts';
import { attempt } from '../../ui/toasts.tsx';
import { renew } from './instance-queries.ts';

type Level = keyof typeof apiKeysText.levels;
const levels = Object.keys(apiKeysText.levels) as Level[];

export function NewKey(props: { onClose(): void }) {
  const projects = useProjects();
  const [name, setName] = createSignal('');
  const [access, setAccess] = createSignal<Level>('deploy');
  const [chosen, setChosen] = createSignal<readonly string[]>([]);
  const [days, setDays] = createSignal('90');
  const [busy, setBusy] = createSignal(false);
  const [issued, setIssued] = createSignal<string>();
  const submit = async () => {
    setBusy(true);
    await attempt(async () => {
      const [first, ...others] = chosen();
      const projects: 'all' | [string, ...string[]] = first === undefined ? 'all' : [first, ...others];
      const body = {
        ...{ name: name().trim(), access: access(), projects },
        expiresInDays: days().trim() === '' ? null : Number(days()),
      };
      setIssued((await operatorApi.call('POST /api/system/keys', { body })).token);
    });
    setBusy(false);
  };
  const close = () => {
    props.onClose();
    void renew('keys');
  };
  return (
    <Show
      when={issued()}
      fallback={
        <Dialog title={apiKeysText.create} onClose={() => issued() === undefined && props.onClose()}>
          <form
            onSubmit={(event) => {
              event.preventDefault();
              if (!busy()) void submit();
            }}
          >
            <label>
              <span>{apiKeysText.name}</span>
              <input
                type="text"
                required
                autofocus
                autocomplete="off"
                aria-describedby="key-name-help"
                value={name()}
                onInput={(event) => setName(event.currentTarget.value)}
              />
            </label>
            <p id="key-name-help" class="quiet-text">
              {apiKeysText.nameHelp}
            </p>
            <label>
              <span>{apiKeysText.access}</span>
              <select value={access()} onChange={(event) => setAccess(event.currentTarget.value as Level)}>
                <For each={levels}>{(one) => <option value={one}>{apiKeysText.levels[one]}</option>}</For>
              </select>
            </label>
            <fieldset class="checks">
              <legend>
                {apiKeysText.projects}:{' '}
                {chosen().length === 0 ? apiKeysText.allProjects : apiKeysText.chosenProjects}
              </legend>
              <For each={projects.data ?? []}>
                {(project) => (
                  <label>
                    <input
                      type="checkbox"
                      checked={chosen().includes(project.id)}
                      onChange={({ currentTarget: { checked } }) =>
                        setChosen((all) =>
                          checked ? [...all, project.id] : all.filter((one) => one !== project.id),
                        )
                      }
                    />
                    <span>{project.name}</span>
                  </label>
                )}
              </For>
            </fieldset>
            <label>
              <span>{apiKeysText.days}</span>
              <input
                type="number"
                min="1"
                max="3650"
                value={days()}
                onInput={(event) => setDays(event.currentTarget.value)}
              />
            </label>
            <footer class="actions end">
              <Button onClick={props.onClose}>{t.cancel}</Button>
              <Button kind="primary" type="submit" busy={busy()}>
                {apiKeysText.createSubmit}
              </Button>
            </footer>
          </form>
        </Dialog>
      }
    >
      {(token) => <IssuedKey token={token()} onClose={close} />}
    </Show>
  );
}

/** The only time that a token is shown. */
export function IssuedKey(props: { token: string; onClose(): void }) {
  return (
    <Dialog title={apiKeysText.token} onClose={props.onClose} wide>
      <div class="stack">
        <p>{apiKeysText.shownOnce}</p>
        <Copyable text={props.token} what={apiKeysText.token} />
        <footer class="actions end">
          <Button kind="primary" autofocus onClick={props.onClose}>
            {apiKeysText.done}
          </Button>
        </footer>
      </div>
    </Dialog>
  );
}
