/** The first step: a repository, an image or a database, and a name. */
import { createSignal, For, Match, Switch } from 'solid-js';
import type { CallOptions } from '../../../../client/client.ts';
import { hostChoices, useUsableHosts } from '../../../api/queries.ts';
import { newServiceText } from '../../../text/new-service-text.ts';
import { Button } from '../../../ui/button.tsx';
import { ChoiceField } from '../../../ui/field.tsx';
import { Show } from '../../../ui/show.ts';

export type Source = CallOptions<'POST /api/projects/:projectId/services'>['body'];
type Kind = keyof typeof newServiceText.kinds;
type Engine = keyof typeof newServiceText.engines;

const kinds = ['repository', 'image', 'database'] as const satisfies readonly Kind[];
const engines = [
  'postgres',
  'redis',
  'mysql',
  'mongodb',
  'clickhouse',
  'timescale',
] as const satisfies readonly Engine[];

export function ChooseSource(props: { busy: boolean; onChosen(source: Source): void }) {
  const [kind, setKind] = createSignal<Kind>('repository');
  const [url, setUrl] = createSignal('');
  const [branch, setBranch] = createSignal('main');
  const [token, setToken] = createSignal('');
  const [image, setImage] = createSignal('');
  const [port, setPort] = createSignal('');
  const [engine, setEngine] = createSignal<Engine>('postgres');
  const [name, setName] = createSignal('');
  const [host, setHost] = createSignal('');
  const found = useUsableHosts();
  const hosts = () => hostChoices(found.isSuccess ? found.data : []);
  const proposed = () => (kind() === 'database' ? 'db' : nameIn(kind() === 'image' ? image() : url()));
  const source = (): Source => {
    const place = host() === '' ? {} : { runnerId: host() };
    const base = { name: name().trim() || proposed(), ...place };
    if (kind() === 'database') return { ...base, repoUrl: 'database', repoFullName: `database:${engine()}` };
    const exposed = port() === '' ? {} : { internalPort: Number(port()) };
    if (kind() === 'image')
      return { ...base, ...exposed, repoUrl: 'container-image', imageRef: image().trim() };
    const credential = token() === '' ? {} : { gitToken: token() };
    return { ...base, ...exposed, ...credential, repoUrl: url().trim(), branch: branch().trim() || 'main' };
  };
  return (
    <form
      class="panel"
      onSubmit={(event) => {
        event.preventDefault();
        if (!props.busy) props.onChosen(source());
      }}
    >
      <fieldset class="segmented">
        <legend class="visually-hidden">{newServiceText.kind}</legend>
        <For each={kinds}>
          {(one) => (
            <button type="button" aria-pressed={kind() === one} onClick={() => setKind(one)}>
              {newServiceText.kinds[one]}
            </button>
          )}
        </For>
      </fieldset>
      <Switch>
        <Match when={kind() === 'repository'}>
          <Field label={newServiceText.url} value={url()} onInput={setUrl} required placeholder="https://…" />
          <Field label={newServiceText.branch} value={branch()} onInput={setBranch} required />
          <Field
            label={newServiceText.token}
            help={newServiceText.tokenHelp}
            type="password"
            value={token()}
            onInput={setToken}
          />
        </Match>
        <Match when={kind() === 'image'}>
          <Field
            label={newServiceText.image}
            help={newServiceText.imageHelp}
            value={image()}
            onInput={setImage}
            required
            placeholder="ghcr.io/…"
          />
        </Match>
        <Match when={kind() === 'database'}>
          <fieldset class="choices">
            <legend>{newServiceText.engine}</legend>
            <For each={engines}>
              {(one) => (
                <label>
                  <input
                    type="radio"
                    name="engine"
                    value={one}
                    checked={engine() === one}
                    onChange={() => setEngine(one)}
                  />
                  <span>{newServiceText.engines[one]}</span>
                </label>
              )}
            </For>
          </fieldset>
        </Match>
      </Switch>
      <Show when={kind() !== 'database'}>
        <Field
          label={newServiceText.port}
          help={newServiceText.portHelp}
          value={port()}
          onInput={setPort}
          pattern="\d{1,5}"
        />
      </Show>
      <Field label={newServiceText.name} value={name()} onInput={setName} placeholder={proposed()} />
      <Show when={hosts().length > 1}>
        <ChoiceField
          label={newServiceText.host}
          help={newServiceText.hostHelp}
          choices={[{ value: '', text: newServiceText.anyHost }, ...hosts()]}
          failure={undefined}
          value={host()}
          onInput={setHost}
        />
      </Show>
      <footer class="actions end">
        <Button kind="primary" type="submit" busy={props.busy}>
          {kind() === 'database' ? newServiceText.deployDatabase : newServiceText.next}
        </Button>
      </footer>
    </form>
  );
}

/** Returns `app` for `https://git.example/shop/app.git` and for `ghcr.io/shop/app:1.2`. */
const nameIn = (reference: string): string =>
  reference
    .trim()
    .replace(/\/+$/, '')
    .split('/')
    .at(-1)
    ?.replace(/(\.git|[:@].*)$/, '') || 'app';

interface FieldProps {
  label: string;
  help?: string;
  value: string;
  onInput(text: string): void;
  type?: 'text' | 'password';
  required?: boolean;
  placeholder?: string;
  pattern?: string;
}

function Field(props: FieldProps) {
  return (
    <label>
      <span>{props.label}</span>
      <input
        type={props.type ?? 'text'}
        required={props.required}
        placeholder={props.placeholder}
        pattern={props.pattern}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        value={props.value}
        onInput={(event) => props.onInput(event.currentTarget.value)}
      />
      <Show when={props.help}>
        <small class="quiet-text">{props.help}</small>
      </Show>
    </label>
  );
}
