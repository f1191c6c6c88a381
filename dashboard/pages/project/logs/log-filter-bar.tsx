/** The filters for lines of a project: words, level, services, time. */
import { createEffect, createSignal, For, on, onCleanup } from 'solid-js';
import type { Project } from '../../../api/queries.ts';
import { projectLogsText } from '../../../text/log-search-text.ts';
import { serviceText } from '../../../text/service-text.ts';
import { ChoiceField } from '../../../ui/field.tsx';
import { Filter } from '../../../ui/filter.tsx';
import { CloseIcon } from '../../../ui/icons.tsx';
import { isDatabase } from '../../../ui/service-kind.ts';

export const levels = ['debug', 'info', 'warn', 'error', 'fatal'] as const;
export const spans = ['live', 'hour', 'day', 'week', 'month'] as const;

export interface Wanted {
  text: string;
  level: (typeof levels)[number] | undefined;
  /** Ids of services; empty: all services. */
  services: readonly string[];
  span: (typeof spans)[number];
}

interface LogFilterBarProps {
  project: Project;
  wanted: Wanted;
  onChange(change: Partial<Wanted>): void;
}

/** The API refuses a search over more services. */
export const servicesMax = 20;
/** The pause after the last key: each search is work for a host, so there is one per word. */
const typingMs = 400;

export function LogFilterBar(props: LogFilterBarProps) {
  const [typed, setTyped] = createSignal(props.wanted.text);
  createEffect(
    on(
      typed,
      (text) => {
        const timer = setTimeout(() => props.onChange({ text: text.trim() }), typingMs);
        onCleanup(() => clearTimeout(timer));
      },
      { defer: true },
    ),
  );
  const others = () => props.project.services.filter(({ id }) => !props.wanted.services.includes(id));
  const chosen = () => props.project.services.filter(({ id }) => props.wanted.services.includes(id));
  const toggle = (id: string, on: boolean) =>
    props.onChange({
      services: on ? [...props.wanted.services, id] : props.wanted.services.filter((one) => one !== id),
    });
  return (
    <div class="log-filters">
      <Filter label={projectLogsText.search} value={typed()} onInput={setTyped} />
      <ChoiceField
        label={projectLogsText.level}
        choices={[
          { value: '', text: projectLogsText.allLevels },
          ...levels.map((value) => ({ value, text: projectLogsText.levels[value] })),
        ]}
        value={props.wanted.level ?? ''}
        onInput={(text) => props.onChange({ level: levels.find((one) => one === text) })}
      />
      <ChoiceField
        label={projectLogsText.span}
        choices={spans.map((value) => ({ value, text: projectLogsText.spans[value] }))}
        value={props.wanted.span}
        onInput={(text) => props.onChange({ span: spans.find((one) => one === text) ?? 'live' })}
      />
      <ChoiceField
        label={projectLogsText.services}
        choices={[
          {
            value: '',
            text: chosen().length === 0 ? projectLogsText.allServices : projectLogsText.addService,
          },
          ...others().map((service) => ({
            value: service.id,
            text: isDatabase(service) ? `${service.name} (${serviceText.kinds.database})` : service.name,
          })),
        ]}
        value=""
        help={chosen().length >= servicesMax ? projectLogsText.noMore(servicesMax) : undefined}
        disabled={chosen().length >= servicesMax}
        onInput={(id) => id !== '' && toggle(id, true)}
      />
      <ul class="chosen" aria-label={projectLogsText.chosen}>
        <For each={chosen()}>
          {({ id, name }) => (
            <li class="tag">
              {name}
              <button
                type="button"
                class="link"
                aria-label={projectLogsText.without(name)}
                onClick={() => toggle(id, false)}
              >
                <CloseIcon />
              </button>
            </li>
          )}
        </For>
      </ul>
    </div>
  );
}
