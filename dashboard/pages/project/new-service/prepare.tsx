/** The second step: the variables that the source needs, and the plan of the first deployment. */
import { useQuery } from '@tanstack/solid-query';
import { createSignal, For } from 'solid-js';
import { createStore } from 'solid-js/store';
import type { ReplyOf } from '../../../../client/client.ts';
import { api } from '../../../api/client.ts';
import type { Service } from '../../../api/queries.ts';
import { newServiceText } from '../../../text/new-service-text.ts';
import { serviceText } from '../../../text/service-text.ts';
import { Answer } from '../../../ui/answer.tsx';
import { Button } from '../../../ui/button.tsx';
import { sourceText } from '../../../ui/service-kind.ts';
import { Show } from '../../../ui/show.ts';
import { attempt } from '../../../ui/toasts.tsx';

type Suggested = ReplyOf<'GET /api/services/:serviceId/suggestion-keys'>;

export function Prepare(props: { service: Service; onDeploy(): Promise<void> }) {
  const params = () => ({ serviceId: props.service.id });
  const [values, setValues] = createStore<Record<string, string>>({});
  const [busy, setBusy] = createSignal(false);
  const suggested = useQuery(() => ({
    queryKey: ['suggested', props.service.id],
    queryFn: ({ signal }) =>
      api.call('GET /api/services/:serviceId/suggestion-keys', { params: params(), signal }),
    staleTime: Number.POSITIVE_INFINITY,
  }));
  const given = () => Object.entries(values).filter(([, value]) => value !== '');
  const deploy = async () => {
    setBusy(true);
    await attempt(async () => {
      const env = given().map(([key, value]) => ({ key, value }));
      if (env.length > 0)
        await api.call('POST /api/services/:serviceId/env/bulk', { params: params(), body: { env } });
      await props.onDeploy();
    });
    setBusy(false);
  };
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        if (!busy()) void deploy();
      }}
    >
      <Answer query={suggested}>
        {(data) => (
          <Wanted suggested={data()} values={values} onValue={(key, value) => setValues(key, value)} />
        )}
      </Answer>
      <section class="panel">
        <h2>{newServiceText.plan}</h2>
        <ol class="plan">
          <Show
            when={!props.service.imageRef}
            fallback={<li>{newServiceText.planPull(sourceText(props.service))}</li>}
          >
            <li>{newServiceText.planClone(sourceText(props.service), props.service.branch)}</li>
            <li>{newServiceText.planBuild}</li>
          </Show>
          <li>{newServiceText.planVariables(given().length)}</li>
          <li>{newServiceText.planStart(props.service.internalPort)}</li>
          <li>{newServiceText.planLive}</li>
        </ol>
      </section>
      <footer class="actions end">
        <a class="button plain" href={`/services/${props.service.id}`}>
          {newServiceText.later}
        </a>
        <Button kind="primary" type="submit" busy={busy()}>
          {serviceText.actions.deploy}
        </Button>
      </footer>
    </form>
  );
}

interface WantedProps {
  suggested: Suggested;
  values: Record<string, string>;
  onValue(key: string, value: string): void;
}

function Wanted(props: WantedProps) {
  const databases = () => props.suggested.databaseVariables;
  const keys = () => props.suggested.suggestions;
  const label = (key: string) => keys().find((one) => one.key === key)?.label;
  const all = () => [...new Set([...keys(), ...databases()].map(({ key }) => key))];
  const references = (key: string) => databases().filter((one) => one.key === key);
  return (
    <section class="panel">
      <h2>{newServiceText.variables}</h2>
      <Show when={all().length > 0} fallback={<p class="quiet-text">{newServiceText.noVariables}</p>}>
        <p class="quiet-text">{newServiceText.variablesHelp}</p>
        <For each={all()}>
          {(key) => (
            <div class="wanted">
              <label>
                <span>
                  <code>{key}</code> <small class="quiet-text">{label(key)}</small>
                </span>
                <input
                  type="text"
                  class="mono"
                  autocomplete="off"
                  spellcheck={false}
                  value={props.values[key] ?? ''}
                  onInput={(event) => props.onValue(key, event.currentTarget.value)}
                />
              </label>
              <div class="actions">
                <For each={references(key)}>
                  {(reference) => (
                    <Button class="small" onClick={() => props.onValue(key, reference.value)}>
                      {newServiceText.use(reference.label)}
                    </Button>
                  )}
                </For>
              </div>
            </div>
          )}
        </For>
      </Show>
    </section>
  );
}
