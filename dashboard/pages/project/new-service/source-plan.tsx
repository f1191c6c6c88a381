/** What the source becomes, what it needs, and the button that deploys it. */
import { useNavigate } from '@solidjs/router';
import { createSignal, For } from 'solid-js';
import { createStore } from 'solid-js/store';
import { hostChoices, type Project, useUsableHosts } from '../../../api/queries.ts';
import { newServiceText as texts } from '../../../text/new-service-text.ts';
import { Button } from '../../../ui/button.tsx';
import { ChoiceField, TextField } from '../../../ui/field.tsx';
import { WarnIcon } from '../../../ui/icons.tsx';
import { Show } from '../../../ui/show.ts';
import { attempt } from '../../../ui/toasts.tsx';
import { createWanted, type WantedService } from './create-service.ts';
import type { NewServiceBody, ReadSource } from './plan-types.ts';
import { PlannedBuild } from './planned-build.tsx';
import { PlannedVariables } from './planned-variables.tsx';
import { type DatabaseChoice, noDatabase, WantedDatabases } from './wanted-databases.tsx';

interface Props {
  project: Project;
  read: ReadSource;
  busy: boolean;
  onAgain(change: { branch?: string; root?: string | undefined }): void;
  onLeave(): void;
}

export function SourcePlan(props: Props) {
  const { plan } = props.read;
  const navigate = useNavigate();
  const found = useUsableHosts();
  const hosts = () => hostChoices(found.isSuccess ? found.data : []);
  const [name, setName] = createSignal(
    props.read.folder && plan.rootDir === null ? props.read.folder.name : plan.name,
  );
  const [kind, setKind] = createSignal<string>(plan.kind);
  const [port, setPort] = createSignal(String(plan.port ?? ''));
  const [host, setHost] = createSignal('');
  const [values, setValues] = createStore<Record<string, string>>(
    Object.fromEntries(plan.variables.map(({ key, example }) => [key, example ?? ''])),
  );
  const [databases, setDatabases] = createStore<Record<string, DatabaseChoice>>(
    Object.fromEntries(plan.databases.map((one) => [one.engine, one.existing[0]?.serviceId ?? noDatabase])),
  );
  const [volumes, setVolumes] = createStore<Record<string, boolean>>(
    Object.fromEntries(plan.volumes.map((path) => [path, true])),
  );
  const [step, setStep] = createSignal('');
  /** Nothing at the top can be built, and folders can. */
  const isOnlyFolders = () => plan.obstacle !== null && plan.folders.length > 0;
  const references = () =>
    new Map(
      plan.databases.flatMap((one) => {
        const chosen = databases[one.engine];
        const value =
          chosen === 'new'
            ? one.create.value
            : one.existing.find(({ serviceId }) => serviceId === chosen)?.value;
        return value === undefined ? [] : [[one.key, value] as const];
      }),
    );
  const wanted = (deploys: boolean): WantedService => {
    const fresh = plan.databases.filter(({ engine }) => databases[engine] === 'new');
    const isNew = (key: string) => fresh.some((one) => one.key === key);
    const all = new Map([...Object.entries(values).filter(([, value]) => value !== ''), ...references()]);
    return {
      body: bodyOf(props.read, {
        name: name().trim() || plan.name,
        kind: kind(),
        port: port(),
        host: host(),
      }),
      env: [...all].filter(([key]) => !isNew(key)).map(([key, value]) => ({ key, value })),
      newDatabases: fresh.map(({ key, create }) => ({ key, ...create })),
      volumePaths: Object.keys(volumes).filter((path) => volumes[path] && kind() !== 'static'),
      folder: props.read.folder,
      deploys,
    };
  };
  const create = async (deploys: boolean) => {
    if (step() !== '') return;
    setStep(texts.steps.service);
    await attempt(async () => {
      const { service, deployment } = await createWanted(props.project.id, wanted(deploys), setStep);
      navigate(deployment ? `/deployments/${deployment.id}` : `/services/${service.id}`);
    });
    setStep('');
  };
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        void create(true);
      }}
    >
      <PlannedBuild read={props.read} busy={props.busy} onAgain={props.onAgain} onLeave={props.onLeave} />
      <Show when={!isOnlyFolders()}>
        <Show when={plan.obstacle ?? plan.warnings.length > 0}>
          <section class="panel warnings">
            <h2>
              <WarnIcon /> {texts.warnings}
            </h2>
            <ul class="plain-list">
              <For each={[...(plan.obstacle === null ? [] : [plan.obstacle]), ...plan.warnings]}>
                {(text) => <li>{text}</li>}
              </For>
            </ul>
          </section>
        </Show>
        <WantedDatabases
          databases={plan.databases}
          chosen={databases}
          onChosen={(engine, choice) => setDatabases(engine, choice)}
        />
        <PlannedVariables
          plan={plan}
          values={values}
          references={references()}
          onValue={(key, value) => setValues(key, value)}
        />
        <Show when={plan.volumes.length > 0 && kind() !== 'static'}>
          <section class="panel stack">
            <h2>{texts.volumes}</h2>
            <For each={plan.volumes}>
              {(path) => (
                <label class="check">
                  <input
                    type="checkbox"
                    checked={volumes[path]}
                    onChange={(event) => setVolumes(path, event.currentTarget.checked)}
                  />
                  <span>{texts.volume(path)}</span>
                </label>
              )}
            </For>
            <p class="quiet-text">{texts.volumesHelp}</p>
          </section>
        </Show>
        <section class="panel settings-row">
          <TextField label={texts.name} value={name()} required onInput={setName} />
          <Show when={plan.kind !== 'static'}>
            <ChoiceField
              label={texts.kind}
              help={plan.kindReason ?? (kind() === 'worker' ? texts.kindHelp.worker : texts.kindHelp.web)}
              choices={(['web', 'worker'] as const).map((value) => ({ value, text: texts.kinds[value] }))}
              failure={undefined}
              value={kind()}
              onInput={setKind}
            />
          </Show>
          <Show when={kind() === 'web'}>
            <TextField
              label={texts.port}
              help={plan.port === null ? undefined : plan.portReason}
              type="number"
              value={port()}
              onInput={setPort}
            />
          </Show>
          <Show when={hosts().length > 1}>
            <ChoiceField
              label={texts.host}
              help={texts.hostHelp}
              choices={[{ value: '', text: texts.anyHost }, ...hosts()]}
              failure={undefined}
              value={host()}
              onInput={setHost}
            />
          </Show>
        </section>
        <footer class="actions end">
          <p class="quiet-text" role="status">
            {step()}
          </p>
          <Button disabled={step() !== ''} onClick={() => void create(false)}>
            {texts.later}
          </Button>
          <Button kind="primary" type="submit" busy={step() !== ''}>
            {texts.deploy}
          </Button>
        </footer>
      </Show>
    </form>
  );
}

function bodyOf(
  { plan, gitToken, folder }: ReadSource,
  { name, kind, port, host }: { name: string; kind: string; port: string; host: string },
): NewServiceBody {
  const place = {
    name,
    ...(host === '' ? {} : { runnerId: host }),
    ...(kind === 'worker' ? { runtimeMode: 'worker' as const } : {}),
    ...(kind === 'web' && port !== '' ? { internalPort: Number(port) } : {}),
  };
  if (plan.imageRef !== null) return { ...place, repoUrl: 'container-image', imageRef: plan.imageRef };
  const root = plan.rootDir === null ? {} : { rootDir: plan.rootDir };
  if (folder || plan.repoUrl === null) return { ...place, ...root, repoUrl: 'upload' };
  return {
    ...place,
    ...root,
    repoUrl: plan.repoUrl,
    branch: plan.branch ?? 'main',
    ...(gitToken === '' ? {} : { gitToken }),
  };
}
