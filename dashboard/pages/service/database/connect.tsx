/** How to reach a database: its URLs inside and outside, the variable that refers to it, and the CA of its certificate. */

import { createSignal, For } from 'solid-js';
import { api } from '../../../api/client.ts';
import type { Overview } from '../../../api/queries.ts';
import { useQuery } from '../../../api/use-query.ts';
import { Button } from '../../../ui/button.tsx';
import { Copyable, CopyButton } from '../../../ui/copy.tsx';
import { EyeIcon } from '../../../ui/icons.tsx';
import { saveFile } from '../../../ui/save-file.ts';
import { Show } from '../../../ui/show.ts';
import { attempt } from '../../../ui/toasts.tsx';
import { connectText } from './database-text.ts';

type Variable = Overview['derivedVariables'][number];

const isOutside = ({ key }: Variable) => key.endsWith('_PUBLIC');

export function Connect(props: { overview: Overview }) {
  const service = () => props.overview.service;
  // If one URL has two names, as for PostgreSQL, it is shown once.
  const urls = () => {
    const all = props.overview.derivedVariables.filter(({ key }) => /URL(_PUBLIC)?$/.test(key));
    return all.filter(({ value }, at) => value === '' || all.findIndex((one) => one.value === value) === at);
  };
  const reference = () => {
    const key = urls().find((one) => !isOutside(one))?.key;
    return key && `\${${service().slug}.${key}}`;
  };
  const hasTls = () => ['postgres', 'timescale'].includes(service().framework ?? '');
  const groups = () => [
    { title: connectText.inside, urls: urls().filter((one) => !isOutside(one)) },
    { title: connectText.outside, urls: urls().filter(isOutside) },
  ];
  return (
    <section class="panel connect">
      <h2>{connectText.title}</h2>
      <dl>
        <Show when={reference()}>
          {(text) => (
            <>
              <dt>{connectText.reference}</dt>
              <dd>
                <Copyable text={text()} what={connectText.reference} />
              </dd>
            </>
          )}
        </Show>
        <For each={groups()}>
          {(group) => (
            <Show when={group.urls.length > 0}>
              <dt>{group.title}</dt>
              <For each={group.urls}>
                {(variable) => (
                  <dd>
                    <Secret variable={variable} />
                  </dd>
                )}
              </For>
            </Show>
          )}
        </For>
      </dl>
      <Show when={hasTls()}>
        <Certificate serviceId={service().id} name={service().slug} />
      </Show>
    </section>
  );
}

/** The password of a URL is shown on demand, and copied without being shown. */
function Secret(props: { variable: Variable }) {
  const [isShown, setIsShown] = createSignal(false);
  const masked = () => props.variable.value.replace(/:[^:@/]*@/, ':••••@');
  return (
    <Show when={props.variable.value !== ''} fallback={<span class="quiet-text">{connectText.hidden}</span>}>
      <span class="copyable">
        <code>{isShown() ? props.variable.value : masked()}</code>
        <button
          type="button"
          class="button quiet small"
          aria-pressed={isShown()}
          aria-label={isShown() ? connectText.hide(props.variable.key) : connectText.show(props.variable.key)}
          onClick={() => setIsShown((now) => !now)}
        >
          <EyeIcon />
        </button>
        <CopyButton text={props.variable.value} what={props.variable.key} />
      </span>
    </Show>
  );
}

function Certificate(props: { serviceId: string; name: string }) {
  const tls = useQuery(() => ({
    queryKey: ['tls', props.serviceId],
    retry: false,
    queryFn: async ({ signal }) =>
      (
        await api.call('GET /api/services/:serviceId/database/tls', {
          params: { serviceId: props.serviceId },
          signal,
        })
      ).tls,
  }));
  const download = () =>
    attempt(async () => {
      const params = { serviceId: props.serviceId };
      const pem = await (await api.open('GET /api/services/:serviceId/database/tls/ca', { params })).text();
      saveFile(`${props.name}-ca.pem`, pem, 'application/x-pem-file');
    });
  return (
    <Show when={tls.data}>
      {(data) => (
        <div class="certificate">
          <h3>{connectText.ca}</h3>
          <p class="quiet-text">{data().active ? connectText.caHelp : connectText.tlsOff}</p>
          <Show when={data().caCertAvailable}>
            <Button class="small" onClick={() => void download()}>
              {connectText.download}
            </Button>
          </Show>
        </div>
      )}
    </Show>
  );
}
