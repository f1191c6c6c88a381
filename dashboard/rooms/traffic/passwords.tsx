import { For } from 'solid-js';
import { t } from '../../text/text.ts';
import { Button } from '../../ui/button.tsx';
import { CheckField, TextField } from '../../ui/field.tsx';
import { TrashIcon } from '../../ui/icons.tsx';
import { Show } from '../../ui/show.ts';
import { newUser } from './draft.ts';
import { type PartProps, without } from './part.ts';

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
        label={t.traffic.passwords}
        help={t.traffic.passwordsHelp}
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
                <li class="rule" aria-label={t.traffic.visitor(place() + 1)}>
                  <div class="field-grid">
                    <TextField
                      label={t.traffic.user}
                      mono
                      required
                      failure={failure('user')}
                      value={user.user}
                      onInput={(text) => props.setDraft('users', place(), 'user', text)}
                    />
                    <TextField
                      label={t.traffic.password}
                      type="password"
                      required={!user.isStored}
                      placeholder={user.isStored ? t.traffic.passwordStays : ''}
                      help={t.traffic.passwordHelp}
                      failure={failure('password')}
                      value={user.password}
                      onInput={(text) => props.setDraft('users', place(), 'password', text)}
                    />
                  </div>
                  <Button
                    kind="quiet"
                    class="small"
                    icon={TrashIcon}
                    aria-label={t.traffic.removeVisitor(place() + 1)}
                    onClick={() => props.setDraft('users', (all) => without(all, place()))}
                  />
                </li>
              );
            }}
          </For>
        </ul>
        <p>
          <Button class="small" onClick={add}>
            {t.traffic.addVisitor}
          </Button>
        </p>
        <div class="field-grid">
          <TextField
            label={t.traffic.openPaths}
            help={t.traffic.openPathsHelp}
            mono
            rows={2}
            failure={props.failureAt('basicAuth.openPaths')}
            value={props.draft.openPaths}
            onInput={(text) => props.setDraft('openPaths', text)}
          />
          <TextField
            label={t.traffic.domains}
            mono
            rows={2}
            placeholder={t.traffic.allNames}
            failure={props.failureAt('basicAuth.domains')}
            value={props.draft.authDomains}
            onInput={(text) => props.setDraft('authDomains', text)}
          />
        </div>
      </Show>
    </section>
  );
}
