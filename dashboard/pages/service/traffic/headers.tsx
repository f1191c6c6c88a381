import { For } from 'solid-js';
import { Button } from '../../../ui/button.tsx';
import { ChoiceField, TextField } from '../../../ui/field.tsx';
import { TrashIcon } from '../../../ui/icons.tsx';
import { Show } from '../../../ui/show.ts';
import { type HeaderDraft, newHeader } from './traffic-draft.ts';
import { type PartProps, without } from './traffic-part.ts';
import { trafficText } from './traffic-text.ts';

const changes = (['set', 'add', 'remove'] as const).map((value) => ({
  value,
  text: trafficText.changes[value],
}));

/** Changes of the headers in one direction. */
export function Headers(props: PartProps & { name: 'requestHeaders' | 'responseHeaders' }) {
  const { name } = props;
  const texts = trafficText[name];
  return (
    <section class="rule-part">
      <header>
        <h3>{texts.title}</h3>
        <Button class="small" onClick={() => props.setDraft(name, (all) => [...all, newHeader()])}>
          {texts.add}
        </Button>
      </header>
      <ul>
        <For each={props.draft[name]} fallback={<li class="quiet-text">{texts.none}</li>}>
          {(rule, place) => {
            const failure = (field: string) => props.failureAt(`${name}[${place()}]${field}`);
            return (
              <li class="rule" aria-label={texts.label(place() + 1)}>
                <div class="field-grid">
                  <ChoiceField
                    label={trafficText.change}
                    choices={changes}
                    failure={failure('')}
                    value={rule.change}
                    onInput={(text) => props.setDraft(name, place(), 'change', text as HeaderDraft['change'])}
                  />
                  <TextField
                    label={trafficText.header}
                    mono
                    required
                    failure={failure('.header')}
                    value={rule.header}
                    onInput={(text) => props.setDraft(name, place(), 'header', text)}
                  />
                  <Show when={rule.change !== 'remove'}>
                    <TextField
                      label={trafficText.content}
                      mono
                      failure={failure('.content')}
                      value={rule.content}
                      onInput={(text) => props.setDraft(name, place(), 'content', text)}
                    />
                  </Show>
                </div>
                <Button
                  kind="quiet"
                  class="small"
                  icon={TrashIcon}
                  aria-label={texts.remove(place() + 1)}
                  onClick={() => props.setDraft(name, (all) => without(all, place()))}
                />
              </li>
            );
          }}
        </For>
      </ul>
    </section>
  );
}
