/** A service beside the picture of its project: its state, what is wrong with it, and the ways to its pages. */
import { For } from 'solid-js';
import type { Service } from '../../../api/queries.ts';
import type { Traffic } from '../../../api/traffic.ts';
import { serviceText } from '../../../text/service-text.ts';
import { Age } from '../../../ui/age.tsx';
import { Button } from '../../../ui/button.tsx';
import { Copyable } from '../../../ui/copy.tsx';
import { CloseIcon } from '../../../ui/icons.tsx';
import { OutsideLink } from '../../../ui/outside-link.tsx';
import { isDatabase, kindText, sourceText } from '../../../ui/service-kind.ts';
import { Show } from '../../../ui/show.ts';
import { Sparkline } from '../../../ui/sparkline.tsx';
import { Status } from '../../../ui/status.tsx';
import { Now } from '../../service/now.tsx';
import { pictureText } from './picture-text.ts';

interface ServicePanelProps {
  service: Service;
  /** To which services it refers, and which refer to it. */
  references: readonly string[];
  traffic: Traffic | undefined;
  onClose(): void;
}

export function ServicePanel(props: ServicePanelProps) {
  const path = () => `/services/${props.service.id}`;
  return (
    <aside
      class="panel picture-panel"
      aria-label={props.service.name}
      onKeyDown={({ key }) => {
        if (key === 'Escape') props.onClose();
      }}
    >
      <header>
        <h2>
          <a class="row-link" href={path()}>
            {props.service.name}
          </a>
        </h2>
        <Button
          kind="quiet"
          class="small"
          icon={CloseIcon}
          aria-label={pictureText.closePanel(props.service.name)}
          onClick={props.onClose}
        />
      </header>
      <Status state={props.service.status} />
      <Now serviceId={props.service.id} />
      <Show when={props.traffic}>{(traffic) => <Sparkline traffic={traffic()} />}</Show>
      <dl class="facts">
        <div>
          <dt>{serviceText.source}</dt>
          <dd>
            {kindText(props.service)} · {sourceText(props.service)}
          </dd>
        </div>
        <Show when={props.service.primaryUrl}>
          {(url) => (
            <div>
              <dt>{serviceText.address}</dt>
              <dd>
                <OutsideLink href={url()} />
              </dd>
            </div>
          )}
        </Show>
        <Show when={isDatabase(props.service)}>
          <div>
            <dt>{pictureText.inside}</dt>
            <dd>
              <Copyable
                text={`${props.service.slug}:${props.service.internalPort}`}
                what={pictureText.inside}
              />
            </dd>
          </div>
        </Show>
        <div>
          <dt>{serviceText.deployed}</dt>
          <dd>
            <Show when={props.service.lastDeployedAt} fallback={serviceText.neverDeployed}>
              {(at) => <Age at={at()} />}
            </Show>
          </dd>
        </div>
      </dl>
      <For each={props.references}>{(sentence) => <p class="quiet-text">{sentence}</p>}</For>
      <nav class="actions" aria-label={props.service.name}>
        <a class="button primary" href={path()}>
          {pictureText.open}
        </a>
        <Show when={isDatabase(props.service)}>
          <a class="button" href={`${path()}/data`}>
            {pictureText.tables}
          </a>
        </Show>
        <a class="button" href={`${path()}/logs`}>
          {pictureText.logs}
        </a>
        <a class="button" href={`${path()}/metrics`}>
          {pictureText.metrics}
        </a>
        <a class="button" href={`${path()}/variables`}>
          {pictureText.variables}
        </a>
      </nav>
    </aside>
  );
}
