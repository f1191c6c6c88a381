import { For } from 'solid-js';
import { Button } from '../../../ui/button.tsx';
import { CheckField, ChoiceField, TextField } from '../../../ui/field.tsx';
import { TrashIcon } from '../../../ui/icons.tsx';
import { newRedirect } from './traffic-draft.ts';
import { type PartProps, without } from './traffic-part.ts';
import { trafficText } from './traffic-text.ts';

const matches = (['prefix', 'exact'] as const).map((value) => ({ value, text: trafficText.matches[value] }));

/** Redirects, in the order in which they are tried. */
export function Redirects(props: PartProps) {
  return (
    <section class="rule-part">
      <header>
        <h3>{trafficText.redirects}</h3>
        <Button class="small" onClick={() => props.setDraft('redirects', (all) => [...all, newRedirect()])}>
          {trafficText.addRedirect}
        </Button>
      </header>
      <ul>
        <For each={props.draft.redirects} fallback={<li class="quiet-text">{trafficText.noRedirects}</li>}>
          {(redirect, place) => {
            const failure = (field: string) => props.failureAt(`redirects[${place()}].${field}`);
            return (
              <li class="rule" aria-label={trafficText.redirect(place() + 1)}>
                <div class="field-grid">
                  <TextField
                    label={trafficText.fromPath}
                    mono
                    placeholder={trafficText.allPaths}
                    failure={failure('fromPath')}
                    value={redirect.fromPath}
                    onInput={(text) => props.setDraft('redirects', place(), 'fromPath', text)}
                  />
                  <ChoiceField
                    label={trafficText.match}
                    choices={matches}
                    value={redirect.match}
                    onInput={(text) =>
                      props.setDraft('redirects', place(), 'match', text === 'exact' ? 'exact' : 'prefix')
                    }
                  />
                  <TextField
                    label={trafficText.to}
                    mono
                    required
                    failure={failure('to')}
                    value={redirect.to}
                    onInput={(text) => props.setDraft('redirects', place(), 'to', text)}
                  />
                  <TextField
                    label={trafficText.domains}
                    mono
                    placeholder={trafficText.allNames}
                    failure={failure('domains')}
                    value={redirect.domains}
                    onInput={(text) => props.setDraft('redirects', place(), 'domains', text)}
                  />
                  <CheckField
                    label={trafficText.permanent}
                    checked={redirect.permanent}
                    onInput={(on) => props.setDraft('redirects', place(), 'permanent', on)}
                  />
                  <CheckField
                    label={trafficText.keepPath}
                    checked={redirect.keepPath}
                    onInput={(on) => props.setDraft('redirects', place(), 'keepPath', on)}
                  />
                </div>
                <Button
                  kind="quiet"
                  class="small"
                  icon={TrashIcon}
                  aria-label={trafficText.removeRedirect(place() + 1)}
                  onClick={() => props.setDraft('redirects', (all) => without(all, place()))}
                />
              </li>
            );
          }}
        </For>
      </ul>
    </section>
  );
}
