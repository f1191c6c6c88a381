/** The settings of a service that people look up most. */
import { createSignal, For, type JSX } from 'solid-js';
import type { Overview } from '../../api/queries.ts';
import { usePageCommands } from '../../shell/commands.ts';
import { t } from '../../text/text.ts';
import { Button } from '../../ui/button.tsx';
import { Copyable } from '../../ui/copy.tsx';
import { Show } from '../../ui/show.ts';
import { isDatabase, kindText, sourceText } from '../service-kind.ts';
import { EndProtection } from './end-protection.tsx';
import { ImageUpdate } from './image-update.tsx';
import { RemoveService } from './remove-service.tsx';

export function Facts(props: { overview: Overview; mayWrite: boolean }) {
  const [isRemoving, setIsRemoving] = createSignal(false);
  usePageCommands(() =>
    mayRemove() ? [{ label: t.service.actions.remove, run: () => setIsRemoving(true) }] : [],
  );
  const service = () => props.overview.service;
  const mayRemove = () => props.mayWrite && !service().protected;
  const isBuilt = () => !isDatabase(service()) && !service().imageRef;
  return (
    <section class="panel">
      <header>
        <h2>{t.service.facts}</h2>
        <a href={`/services/${service().id}/settings`}>{t.service.tabs.settings}</a>
      </header>
      <dl class="facts">
        <Fact name={isDatabase(service()) ? t.service.engine : t.service.source}>
          {isDatabase(service())
            ? `${kindText(service())} (${sourceText(service())})`
            : sourceText(service())}
        </Fact>
        <Show when={service().repoUrl === 'container-image'}>
          <Fact name={t.service.imageUpdate}>
            <ImageUpdate serviceId={service().id} />
          </Fact>
        </Show>
        <Show when={isBuilt()}>
          <Fact name={t.service.branch}>{service().branch}</Fact>
          <Fact name={t.service.build}>{service().detectedBuildMethod ?? service().buildMethod}</Fact>
        </Show>
        <Show when={!isDatabase(service()) && service().framework}>
          {(name) => <Fact name={t.service.framework}>{name()}</Fact>}
        </Show>
        <Fact name={t.service.port}>{service().internalPort}</Fact>
        <Show when={service().localUrl}>
          {(url) => (
            <Fact name={t.service.localUrl}>
              <Copyable text={url()} what={t.service.localUrl} />
            </Fact>
          )}
        </Show>
        <Fact name={t.service.memory}>
          {service().memoryLimitMb === null
            ? t.service.noLimit
            : t.service.memoryMb(service().memoryLimitMb ?? 0)}
        </Fact>
        <Fact name={t.service.cpu}>{service().cpuLimit ?? t.service.noLimit}</Fact>
        <Show when={service().healthCheckPath}>
          {(path) => <Fact name={t.service.health}>{path()}</Fact>}
        </Show>
        <Show when={props.overview.volumes.length > 0}>
          <Fact name={t.service.volumes}>
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
        <p class="quiet-text">{t.service.protected}</p>
        <EndProtection service={service()} />
      </Show>
      <Show when={mayRemove()}>
        <Button kind="danger" class="small" onClick={() => setIsRemoving(true)}>
          {t.service.actions.remove}
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
