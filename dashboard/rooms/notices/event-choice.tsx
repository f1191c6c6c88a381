/** The choice of events for a channel: events that need attention, all, or single ones. */
import { For } from 'solid-js';
import { t } from '../../text/text.ts';
import { ChoiceField } from '../../ui/field.tsx';
import { Show } from '../../ui/show.ts';
import type { EventName } from './queries.ts';

const names = Object.keys(t.notices.events) as Exclude<EventName, '*'>[];

/** The server's default for a new channel: all except these. */
const usual = names.filter((name) => !/\.(deleted|restored|purged|slept|woke)$/.test(name));

type Mode = keyof typeof t.notices.eventModes;
const modes = (Object.keys(t.notices.eventModes) as Mode[]).map((value) => ({
  value,
  text: t.notices.eventModes[value],
}));

interface EventChoiceProps {
  /** Undefined: the default. */
  events: readonly EventName[] | undefined;
  failure: string | undefined;
  onChange(events: readonly EventName[] | undefined): void;
}

export function EventChoice(props: EventChoiceProps) {
  const isChosen = (name: EventName) => (props.events ?? usual).includes(name);
  const mode = (): Mode => {
    if (props.events === undefined) return 'usual';
    return props.events.includes('*') ? 'all' : 'some';
  };
  const choose = (text: string) => {
    if (text === 'usual') props.onChange([...usual]);
    else if (text === 'all') props.onChange(['*']);
    else props.onChange(props.events?.filter((name) => name !== '*') ?? [...usual]);
  };
  const toggle = (name: EventName, on: boolean) =>
    props.onChange(names.filter((one) => (one === name ? on : isChosen(one))));
  return (
    <>
      <ChoiceField
        label={t.notices.eventsLabel}
        choices={modes}
        failure={props.failure}
        value={mode()}
        onInput={choose}
      />
      <Show when={mode() === 'some'}>
        <fieldset class="checks">
          <legend class="visually-hidden">{t.notices.eventsLabel}</legend>
          <For each={names}>
            {(name) => (
              <label>
                <input
                  type="checkbox"
                  checked={isChosen(name)}
                  onChange={(event) => toggle(name, event.currentTarget.checked)}
                />
                <span>{t.notices.events[name]}</span>
              </label>
            )}
          </For>
        </fieldset>
      </Show>
    </>
  );
}
