/** A drawing of a project's services that refer to each other by variables; its boxes are links. Their labels describe the same in words. */
import { createMemo, createSignal, For, onCleanup, onMount } from 'solid-js';
import { known } from '../../../api/known.ts';
import { type Project, type References, useReferences } from '../../../api/queries.ts';
import { statesText } from '../../../text/service-text.ts';
import { kindText } from '../../../ui/service-kind.ts';
import { Show } from '../../../ui/show.ts';
import { toneOf } from '../../../ui/status.tsx';
import { box, layoutOf } from './map-layout.ts';
import { mapText } from './map-text.ts';
import '../../../styles/map.css';

/** A drawing with more services is unreadable; each service shows its own variables. */
const servicesMax = 40;
/** Characters of a name that fit in a box. */
const nameMax = 13;

type Reference = References['references'][number];

export function ProjectMap(props: { project: Project }) {
  const references = useReferences(() => props.project.id);
  const edges = createMemo(() => {
    const ids = new Set(props.project.services.map(({ id }) => id));
    return (known(references)?.references ?? []).filter(
      ({ serviceId, targetServiceId }) => ids.has(serviceId) && ids.has(targetServiceId),
    );
  });
  const linked = createMemo(() => {
    const ids = new Set(edges().flatMap(({ serviceId, targetServiceId }) => [serviceId, targetServiceId]));
    return props.project.services.filter(({ id }) => ids.has(id));
  });
  return (
    <Show when={edges().length > 0}>
      <section class="project-map" aria-label={mapText.title}>
        <h2 class="section-title">{mapText.title}</h2>
        <Show when={linked().length <= servicesMax} fallback={<p class="quiet-text">{mapText.tooMany}</p>}>
          <Drawing services={linked()} edges={edges()} />
        </Show>
        <Show when={known(references)?.isComplete === false}>
          <p class="quiet-text">{mapText.incomplete}</p>
        </Show>
      </section>
    </Show>
  );
}

function Drawing(props: { services: Project['services']; edges: readonly Reference[] }) {
  let frame: HTMLDivElement | undefined;
  const [width, setWidth] = createSignal(800);
  const [pointed, setPointed] = createSignal('');
  onMount(() => {
    const resized = new ResizeObserver(() => frame && setWidth(frame.clientWidth));
    if (frame) resized.observe(frame);
    onCleanup(() => resized.disconnect());
  });
  const layout = createMemo(() =>
    layoutOf(
      props.services.map(({ id }) => id),
      props.edges.map(({ serviceId, targetServiceId }) => ({ from: serviceId, to: targetServiceId })),
      width(),
    ),
  );
  const place = (id: string) => layout().places.find((one) => one.id === id);
  const isPointed = ({ serviceId, targetServiceId }: Reference) =>
    pointed() === serviceId || pointed() === targetServiceId;
  return (
    <div class="map-frame" ref={frame}>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is no drawing */}
      <svg
        class="map"
        role="group"
        aria-label={mapText.title}
        width={layout().width}
        height={layout().height}
        viewBox={`0 0 ${layout().width} ${layout().height}`}
      >
        <defs>
          <marker
            id="map-arrow"
            viewBox="0 0 8 8"
            refX="7"
            refY="4"
            markerWidth="7"
            markerHeight="7"
            orient="auto"
          >
            <path d="M0 0L8 4L0 8z" />
          </marker>
        </defs>
        <For each={props.edges}>
          {(edge, index) => (
            <path
              class="map-edge"
              classList={{ pointed: isPointed(edge) }}
              d={layout().paths[index()]}
              marker-end="url(#map-arrow)"
            />
          )}
        </For>
        {/* Keyed by id: a box keeps the focus when its service is renewed. */}
        <For each={props.services.map(({ id }) => id)}>
          {(id) => (
            <Show when={props.services.find((service) => service.id === id)}>
              {(service) => (
                // Inside the SVG group, Solid would create an SVG link.
                <g transform={`translate(${place(id)?.x ?? 0} ${place(id)?.y ?? 0})`}>
                  <title>{sentenceOf(service(), props.services, props.edges)}</title>
                  <a
                    href={`/services/${id}`}
                    class="map-box"
                    classList={{ [`tone-${toneOf(service().status)}`]: true }}
                    aria-label={sentenceOf(service(), props.services, props.edges)}
                    onPointerEnter={() => setPointed(id)}
                    onPointerLeave={() => setPointed('')}
                    onFocusIn={() => setPointed(id)}
                    onFocusOut={() => setPointed('')}
                  >
                    <rect width={box.width} height={box.height} rx="8" />
                    <circle cx="17" cy="17" r="4.500" />
                    <text x="30" y="21.500" class="map-name">
                      {shortened(service().name)}
                    </text>{' '}
                    <text x="30" y="37" class="map-kind">
                      {`${statesText[service().status]} · ${kindText(service())}`}
                    </text>
                  </a>
                </g>
              )}
            </Show>
          )}
        </For>
      </svg>
    </div>
  );
}

const shortened = (name: string) => (name.length > nameMax ? `${name.slice(0, nameMax - 1)}…` : name);

/** Describes a service of the drawing in words: its state, the services to which it refers with the variables, and the services that refer to it. */
function sentenceOf(
  service: Project['services'][number],
  services: Project['services'],
  edges: readonly Reference[],
): string {
  const nameOf = (id: string) => services.find((one) => one.id === id)?.name ?? '';
  const to = edges
    .filter(({ serviceId }) => serviceId === service.id)
    .map(({ targetServiceId, keys }) => `${nameOf(targetServiceId)} (${keys.join(', ')})`);
  const from = edges
    .filter(({ targetServiceId }) => targetServiceId === service.id)
    .map(({ serviceId }) => nameOf(serviceId));
  return [
    `${service.name} ${statesText[service.status]} · ${kindText(service)}`,
    ...(to.length > 0 ? [mapText.refersTo(to.join(', '))] : []),
    ...(from.length > 0 ? [mapText.referredBy(from.join(', '))] : []),
  ].join('. ');
}
