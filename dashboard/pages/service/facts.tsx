/** The settings of a service that people look up most. */
import { createSignal, For, type JSX } from 'solid-js';
import type { Overview } from '../../api/queries.ts';
import { usePageCommands } from '../../shell/commands.ts';
import { serviceText } from '../../text/service-text.ts';
import { Button } from '../../ui/button.tsx';
import { Copyable } from '../../ui/copy.tsx';
import { isDatabase, kindText, sourceText } from '../../ui/service-kind.ts';
import { Show } from '../../ui/show.ts';
import { EndProtection } from './end-protection.tsx';
import { ImageUpdate } from './image-update.tsx';
import { RemoveService } from './remove-service.tsx';

export function Facts(props: { overview: Overview; mayWrite: boolean }) {
  const [isRemoving, setIsRemoving] = createSignal(false);
  usePageCommands(() =>
    mayRemove() ? [{ label: serviceText.actions.remove, run: () => setIsRemoving(true) }] : [],
  );
  const service = () => props.overview.service;
  const mayRemove = () => props.mayWrite && !service().protected;
  const isBuilt = () => !isDatabase(service()) && !service().imageRef;
  return (
    <section class="panel">
      <header>
        <h2>{serviceText.facts}</h2>
        <a href={`/services/${service().id}/settings`}>{serviceText.tabs.settings}</a>
      </header>
      <dl class="facts">
        <Fact name={isDatabase(service()) ? serviceText.engine : serviceText.source}>
          {isDatabase(service())
            ? `${kindText(service())} (${sourceText(service())})`
            : sourceText(service())}
        </Fact>
        <Show when={service().repoUrl === 'container-image'}>
          <Fact name={serviceText.imageUpdate}>
            <ImageUpdate serviceId={service().id} />
          </Fact>
        </Show>
        <Show when={isBuilt()}>
          <Fact name={serviceText.branch}>{service().branch}</Fact>
          <Fact name={serviceText.build}>{service().detectedBuildMethod ?? service().buildMethod}</Fact>
        </Show>
        <Show when={!isDatabase(service()) && service().framework}>
          {(name) => <Fact name={serviceText.framework}>{name()}</Fact>}
        </Show>
        <Fact name={serviceText.port}>{service().internalPort}</Fact>
        <Show when={service().localUrl}>
          {(url) => (
            <Fact name={serviceText.localUrl}>
              <Copyable text={url()} what={serviceText.localUrl} />
            </Fact>
          )}
        </Show>
        <Fact name={serviceText.memory}>
          {service().memoryLimitMb === null
            ? serviceText.noLimit
            : serviceText.memoryMb(service().memoryLimitMb ?? 0)}
        </Fact>
        <Fact name={serviceText.cpu}>{service().cpuLimit ?? serviceText.noLimit}</Fact>
        <Show when={service().healthCheckPath}>
          {(path) => <Fact name={serviceText.health}>{path()}</Fact>}
        </Show>
        <Show when={props.overview.volumes.length > 0}>
          <Fact name={serviceText.volumes}>
            <For each={props.overview.volumes}>
              {({ name, mountPath }) => (
                <div>
                  {name} <code>{mountPath}</code>
                </div>
              )}
            </For>
          </Fact>
        </Show>
      </dl>
      <Show when={service().protected}>
        <p class="quiet-text">{serviceText.protected}</p>
        <EndProtection service={service()} />
      </Show>
      <Show when={mayRemove()}>
        <Button kind="danger" class="small" onClick={() => setIsRemoving(true)}>
          {serviceText.actions.remove}
        </Button>
      </Show>
      <Show when={isRemoving()}>
        <RemoveService service={service()} onClose={() => setIsRemoving(false)} />
      </Show>
    </section>
  );
}

function Fact(props: { name: string; children: JSX.Element }) {
  return (
    <div>
      <dt>{props.name}</dt>
      <dd>{props.children}</dd>
    </div>
  );
}
