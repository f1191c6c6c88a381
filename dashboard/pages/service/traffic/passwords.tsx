import { For } from 'solid-js';
import { Button } from '../../../ui/button.tsx';
import { CheckField, TextField } from '../../../ui/field.tsx';
import { TrashIcon } from '../../../ui/icons.tsx';
import { Show } from '../../../ui/show.ts';
import { newUser } from './traffic-draft.ts';
import { type PartProps, without } from './traffic-part.ts';
import { trafficText } from './traffic-text.ts';

/** Passwords for visitors. Stored ones are never shown. */
export function Passwords(props: PartProps) {
  const add = () => props.setDraft('users', (all) => [...all, newUser()]);
  const toggle = (on: boolean) => {
    props.setDraft('hasAuth', on);
    if (on && props.draft.users.length === 0) add();
  };
  return (
    <section class="rule-part">
      <CheckField
        label={trafficText.passwords}
        help={trafficText.passwordsHelp}
        failure={props.failureAt('basicAuth.users')}
        checked={props.draft.hasAuth}
        onInput={toggle}
      />
      <Show when={props.draft.hasAuth}>
        <ul>
          <For each={props.draft.users}>
            {(user, place) => {
              const failure = (field: string) => props.failureAt(`basicAuth.users[${place()}].${field}`);
              return (
                <li class="rule" aria-label={trafficText.visitor(place() + 1)}>
                  <div class="field-grid">
                    <TextField
                      label={trafficText.user}
                      mono
                      required
                      failure={failure('user')}
                      value={user.user}
                      onInput={(text) => props.setDraft('users', place(), 'user', text)}
                    />
                    <TextField
                      label={trafficText.password}
                      type="password"
                      required={!user.isStored}
                      placeholder={user.isStored ? trafficText.passwordStays : ''}
                      help={trafficText.passwordHelp}
                      failure={failure('password')}
                      value={user.password}
                      onInput={(text) => props.setDraft('users', place(), 'password', text)}
                    />
                  </div>
                  <Button
                    kind="quiet"
                    class="small"
                    icon={TrashIcon}
                    aria-label={trafficText.removeVisitor(place() + 1)}
                    onClick={() => props.setDraft('users', (all) => without(all, place()))}
                  />
                </li>
              );
            }}
          </For>
        </ul>
        <p>
          <Button class="small" onClick={add}>
            {trafficText.addVisitor}
          </Button>
        </p>
        <div class="field-grid">
          <TextField
            label={trafficText.openPaths}
            help={trafficText.openPathsHelp}
            mono
            rows={2}
            failure={props.failureAt('basicAuth.openPaths')}
            value={props.draft.openPaths}
            onInput={(text) => props.setDraft('openPaths', text)}
          />
          <TextField
            label={trafficText.domains}
            mono
            rows={2}
            placeholder={trafficText.allNames}
            failure={props.failureAt('basicAuth.domains')}
            value={props.draft.authDomains}
            onInput={(text) => props.setDraft('authDomains', text)}
          />
        </div>
      </Show>
    </section>
  );
}
