import { For } from 'solid-js';
import { t } from '../../text/text.ts';
import { Button } from '../../ui/button.tsx';
import { CheckField, ChoiceField, TextField } from '../../ui/field.tsx';
import { TrashIcon } from '../../ui/icons.tsx';
import { newRedirect } from './draft.ts';
import { type PartProps, without } from './part.ts';

const matches = (['prefix', 'exact'] as const).map((value) => ({ value, text: t.traffic.matches[value] }));

/** Redirects, in the order in which they are tried. */
export function Redirects(props: PartProps) {
  return (
    <section class="rule-part">
      <header>
        <h3>{t.traffic.redirects}</h3>
        <Button class="small" onClick={() => props.setDraft('redirects', (all) => [...all, newRedirect()])}>
          {t.traffic.addRedirect}
        </Button>
      </header>
      <ul>
        <For each={props.draft.redirects} fallback={<li class="quiet-text">{t.traffic.noRedirects}</li>}>
          {(redirect, place) => {
            const failure = (field: string) => props.failureAt(`redirects[${place()}].${field}`);
            return (
              <li class="rule" aria-label={t.traffic.redirect(place() + 1)}>
                <div class="field-grid">
                  <TextField
                    label={t.traffic.fromPath}
                    mono
                    placeholder={t.traffic.allPaths}
                    failure={failure('fromPath')}
                    value={redirect.fromPath}
                    onInput={(text) => props.setDraft('redirects', place(), 'fromPath', text)}
                  />
                  <ChoiceField
                    label={t.traffic.match}
                    choices={matches}
                    value={redirect.match}
                    onInput={(text) =>
                      props.setDraft('redirects', place(), 'match', text === 'exact' ? 'exact' : 'prefix')
                    }
                  />
                  <TextField
                    label={t.traffic.to}
                    mono
                    required
                    failure={failure('to')}
                    value={redirect.to}
                    onInput={(text) => props.setDraft('redirects', place(), 'to', text)}
                  />
                  <TextField
                    label={t.traffic.domains}
                    mono
                    placeholder={t.traffic.allNames}
                    failure={failure('domains')}
                    value={redirect.domains}
                    onInput={(text) => props.setDraft('redirects', place(), 'domains', text)}
                  />
                  <CheckField
                    label={t.traffic.permanent}
                    checked={redirect.permanent}
                    onInput={(on) => props.setDraft('redirects', place(), 'permanent', on)}
                  />
                  <CheckField
                    label={t.traffic.keepPath}
                    checked={redirect.keepPath}
                    onInput={(on) => props.setDraft('redirects', place(), 'keepPath', on)}
                  />
                </div>
                <Button
                  kind="quiet"
                  class="small"
                  icon={TrashIcon}
                  aria-label={t.traffic.removeRedirect(place() + 1)}
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
