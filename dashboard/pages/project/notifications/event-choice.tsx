/** The choice of events for a channel: events that need attention, all, or single ones. */
import { For } from 'solid-js';
import { noticesText } from '../../../text/notices-text.ts';
import { ChoiceField } from '../../../ui/field.tsx';
import { Show } from '../../../ui/show.ts';
import type { EventName } from './notification-queries.ts';

const names = Object.keys(noticesText.events) as Exclude<EventName, '*'>[];

/** The server's default for a new channel: all except these. */
const usual = names.filter((name) => !/\.(deleted|restored|purged|slept|woke)$/.test(name));

type Mode = keyof typeof noticesText.eventModes;
const modes = (Object.keys(noticesText.eventModes) as Mode[]).map((value) => ({
  value,
  text: noticesText.eventModes[value],
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
        label={noticesText.eventsLabel}
        choices={modes}
        failure={props.failure}
        value={mode()}
        onInput={choose}
      />
      <Show when={mode() === 'some'}>
        <fieldset class="checks">
          <legend class="visually-hidden">{noticesText.eventsLabel}</legend>
          <For each={names}>
            {(name) => (
              <label>
                <input
                  type="checkbox"
                  checked={isChosen(name)}
                  onChange={(event) => toggle(name, event.currentTarget.checked)}
                />
                <span>{noticesText.events[name]}</span>
              </label>
            )}
          </For>
        </fieldset>
      </Show>
    </>
  );
}
