/** The services of a project as a picture: addresses, apps and databases, with lines where a variable refers. On a phone it is a list. */
import { createMemo, createSignal, type JSX } from 'solid-js';
import { type AttentionItem, useAttention } from '../../../api/attention.ts';
import { known } from '../../../api/known.ts';
import { type Project, type References, type Service, useReferences } from '../../../api/queries.ts';
import { type Traffic, useTraffic } from '../../../api/traffic.ts';
import { serviceText } from '../../../text/service-text.ts';
import { Age } from '../../../ui/age.tsx';
import { BoxDrawing, createBoxDrawing } from '../../../ui/drawing/box-drawing.tsx';
import { besideSources } from '../../../ui/drawing/box-lines.ts';
import { OutsideLink } from '../../../ui/outside-link.tsx';
import { Rows } from '../../../ui/rows.tsx';
import { isDatabase, kindText } from '../../../ui/service-kind.ts';
import { Show } from '../../../ui/show.ts';
import { Sparkline } from '../../../ui/sparkline.tsx';
import { Status } from '../../../ui/status.tsx';
import { pictureText } from './picture-text.ts';
import { ServicePanel } from './service-panel.tsx';
import '../../../styles/picture.css';

type Reference = References['references'][number];

export function ProjectPicture(props: { project: Project; services: readonly Service[] }) {
  const references = useReferences(() => props.project.id);
  const attention = useAttention();
  const traffic = useTraffic(() => props.project.id);
  const [pointed, setPointed] = createSignal('');
  const [chosen, setChosen] = createSignal<string>();

  const edges = createMemo(() => {
    const ids = new Set(props.services.map(({ id }) => id));
    return (known(references)?.references ?? []).filter(
      ({ serviceId, targetServiceId }) => ids.has(serviceId) && ids.has(targetServiceId),
    );
  });
  const apps = createMemo(() => props.services.filter((service) => !isDatabase(service)));
  const named = createMemo(() => apps().filter(({ primaryUrl }) => primaryUrl !== ''));
  const databases = createMemo(() => {
    const all = props.services.filter(isDatabase);
    const order = besideSources(
      all.map(({ id }) => id),
      apps().map(({ id }) => id),
      edges().map(({ serviceId, targetServiceId }) => ({ from: serviceId, to: targetServiceId })),
    );
    return all.toSorted((a, b) => order.indexOf(a.id) - order.indexOf(b.id));
  });
  /** All lines: from each address to its app, and along the references. */
  const drawn = createMemo(() => [
    ...named().map(({ id }) => ({ from: nameOf(id), to: id, owner: id })),
    ...edges().map(({ serviceId, targetServiceId }) => ({
      from: serviceId,
      to: targetServiceId,
      owner: targetServiceId,
    })),
  ]);
  const trouble = (id: string) =>
    (known(attention)?.attention ?? []).find(
      ({ serviceId, acknowledgedAt }) => serviceId === id && acknowledgedAt === null,
    );
  const drawing = createBoxDrawing(drawn);

  const box = (service: () => Service) => (
    <ServiceBox
      service={service()}
      traffic={traffic(service().id)}
      trouble={trouble(service().id)}
      isChosen={chosen() === service().id}
      references={sentencesOf(service(), props.services, edges())}
      ref={drawing.box(service().id)}
      onPoint={(isPointed) => setPointed(isPointed ? service().id : '')}
      onChoose={(event) => {
        // By keyboard, and where there is no room for a panel, the link leads to the page.
        if (event.detail === 0 || drawing.isNarrow() || event.ctrlKey || event.metaKey || event.shiftKey)
          return;
        event.preventDefault();
        setChosen(chosen() === service().id ? undefined : service().id);
      }}
    />
  );
  const panel = () => props.services.find(({ id }) => id === chosen());
  return (
    <section
      class="picture"
      aria-label={pictureText.title}
      classList={{ 'has-panel': panel() !== undefined }}
    >
      <BoxDrawing
        drawing={drawing}
        isPointed={(line) => {
          const { from, owner } = drawn()[line] ?? {};
          return pointed() !== '' && (from === pointed() || owner === pointed());
        }}
      >
        <Show when={named().length > 0 && !drawing.isNarrow()}>
          <Column title={pictureText.names} isNarrow>
            <Rows each={named()}>
              {(service) => (
                <li class="picture-name" ref={drawing.box(nameOf(service().id))}>
                  <OutsideLink href={service().primaryUrl} />
                </li>
              )}
            </Rows>
          </Column>
        </Show>
        <Show when={apps().length > 0}>
          <Column title={pictureText.apps}>
            <Rows each={apps()}>{box}</Rows>
          </Column>
        </Show>
        <Show when={databases().length > 0}>
          <Column title={pictureText.data}>
            <Rows each={databases()}>{box}</Rows>
          </Column>
        </Show>
      </BoxDrawing>
      <Show when={panel()}>
        {(service) => (
          <ServicePanel
            service={service()}
            references={sentencesOf(service(), props.services, edges())}
            traffic={traffic(service().id)}
            onClose={() => setChosen(undefined)}
          />
        )}
      </Show>
      <Show when={known(references)?.isComplete === false}>
        <p class="quiet-text">{pictureText.incomplete}</p>
      </Show>
    </section>
  );
}

/** The box of the address of a service. */
const nameOf = (serviceId: string) => `name ${serviceId}`;

function Column(props: { title: string; isNarrow?: boolean; children: JSX.Element }) {
  return (
    <section aria-label={props.title} classList={{ names: props.isNarrow === true }}>
      <h2 class="section-title">{props.title}</h2>
      <ul>{props.children}</ul>
    </section>
  );
}

interface ServiceBoxProps {
  service: Service;
  traffic: Traffic | undefined;
  trouble: AttentionItem | undefined;
  isChosen: boolean;
  /** To which services it refers, and which refer to it, in words. */
  references: readonly string[];
  ref(element: HTMLElement): void;
  onPoint(isPointed: boolean): void;
  onChoose(event: MouseEvent): void;
}

function ServiceBox(props: ServiceBoxProps) {
  return (
    <li>
      <a
        ref={props.ref}
        class="picture-box"
        classList={{ [`is-${props.trouble?.severity}`]: props.trouble !== undefined, chosen: props.isChosen }}
        href={`/services/${props.service.id}`}
        aria-description={[...props.references, ...(props.trouble ? [props.trouble.what] : [])].join('. ')}
        title={props.references.join('. ')}
        onPointerEnter={() => props.onPoint(true)}
        onPointerLeave={() => props.onPoint(false)}
        onFocusIn={() => props.onPoint(true)}
        onFocusOut={() => props.onPoint(false)}
        onClick={(event) => props.onChoose(event)}
      >
        <span class="picture-head">
          <strong>{props.service.name}</strong>
          <Status state={props.service.status} />
        </span>
        <span class="quiet-text facts-line">
          <span>{kindText(props.service)}</span>
          <Show when={isDatabase(props.service)}>
            <code>{`${props.service.slug}:${props.service.internalPort}`}</code>
          </Show>
          <Show when={props.service.lastDeployedAt} fallback={<span>{serviceText.neverDeployed}</span>}>
            {(at) => <Age at={at()} />}
          </Show>
        </span>
        <Show when={props.traffic}>{(traffic) => <Sparkline traffic={traffic()} />}</Show>
      </a>
    </li>
  );
}

/** The services to which a service refers, with the variables, and those that refer to it, in words. */
function sentencesOf(service: Service, services: readonly Service[], edges: readonly Reference[]): string[] {
  const name = (id: string) => services.find((one) => one.id === id)?.name ?? '';
  const to = edges
    .filter(({ serviceId }) => serviceId === service.id)
    .map(({ targetServiceId, keys }) => `${name(targetServiceId)} (${keys.join(', ')})`);
  const from = edges
    .filter(({ targetServiceId }) => targetServiceId === service.id)
    .map(({ serviceId }) => name(serviceId));
  return [
    ...(to.length > 0 ? [pictureText.refersTo(to.join(', '))] : []),
    ...(from.length > 0 ? [pictureText.referredBy(from.join(', '))] : []),
  ];
}
