/** This session: its rights, the theme, and the other browsers of the same key. */
import { isOperator } from '../../api/operator.ts';
import { type OwnKey, useKey } from '../../api/queries.ts';
import { signOutHere } from '../../api/sign-out.ts';
import { ThemeChoice } from '../../shell/theme-choice.tsx';
import { useTitle } from '../../shell/title.ts';
import { credentialsText } from '../../text/credentials-text.ts';
import { membersText } from '../../text/members-text.ts';
import { auditText, operatorText } from '../../text/operator-text.ts';
import { t } from '../../text/text.ts';
import { exactTime } from '../../ui/age.tsx';
import { Answer } from '../../ui/answer.tsx';
import { Button } from '../../ui/button.tsx';
import { Show } from '../../ui/show.ts';
import { OwnIdentities } from './identities/own-identities.tsx';
import { Leave } from './members/leave.tsx';
import { OwnKeys } from './own-keys/own-keys.tsx';
import { OwnSessions } from './own-sessions.tsx';
import { OwnPasskeys } from './passkeys/own-passkeys.tsx';

export function Settings() {
  useTitle(() => t.settings.title);
  const key = useKey();
  return (
    <div class="narrow stack">
      <h1>{t.settings.title}</h1>
      <section class="panel">
        <h2>{t.settings.theme}</h2>
        <ThemeChoice />
      </section>
      <section class="panel">
        <h2>{t.settings.you}</h2>
        <Answer query={key} lines={3}>
          {(data) => <Rights ownKey={data()} />}
        </Answer>
        <div class="actions">
          <Button onClick={() => void signOutHere()}>{t.settings.signOut}</Button>
        </div>
      </section>
      <section class="panel">
        <h2>{credentialsText.title}</h2>
        <p>
          <a href="/credentials">{credentialsText.open}</a>{' '}
          <span class="quiet-text">{credentialsText.openHelp}</span>
        </p>
      </section>
      <Show when={key.data?.may.includes('manage-members')}>
        <section class="panel">
          <h2>{membersText.title}</h2>
          <p>
            <a href="/members">{membersText.open}</a>
          </p>
        </section>
      </Show>
      <Show when={key.data?.access === 'destroy' && key.data.projects === 'all'}>
        <section class="panel">
          <h2>{auditText.ownTitle}</h2>
          <p>
            <a href="/audit">{auditText.open}</a>
          </p>
        </section>
      </Show>
      <Show when={key.data?.member}>
        <OwnIdentities />
        <OwnPasskeys />
      </Show>
      <Show when={key.data?.member && key.data}>{(own) => <OwnKeys ownKey={own()} />}</Show>
      <OwnSessions ofMember={Boolean(key.data?.member)} />
      <Show when={key.data?.member}>{(member) => <Leave email={member().email} />}</Show>
      <section class="panel">
        <h2>{t.settings.more}</h2>
        <ul class="plain-list">
          <li>
            <a href="/alerts">{t.nav.alerts}</a> <span class="quiet-text">{t.settings.alertsHelp}</span>
          </li>
          <li>
            <a href="/deleted">{t.nav.trash}</a> <span class="quiet-text">{t.settings.deletedHelp}</span>
          </li>
          <li>
            <a href="/docs" rel="external">
              {t.nav.docs}
            </a>
          </li>
        </ul>
      </section>
      <section class="panel">
        <h2>{operatorText.title}</h2>
        <p>
          <a href="/operator/hosts">{isOperator() ? operatorText.open : operatorText.signIn}</a>
        </p>
      </section>
    </div>
  );
}

function Rights(props: { ownKey: OwnKey }) {
  const projects = () => props.ownKey.projects;
  return (
    <dl class="facts">
      <div>
        <dt>{t.settings.access}</dt>
        <dd>{t.settings.accessOf[props.ownKey.access] ?? props.ownKey.access}</dd>
      </div>
      <div>
        <dt>{t.settings.projects}</dt>
        <dd>{projects() === 'all' ? t.settings.allProjects : t.settings.someProjects(projects().length)}</dd>
      </div>
      <Show when={props.ownKey.expiresAt}>
        {(at) => (
          <div>
            <dt>{t.settings.ends}</dt>
            <dd>{exactTime(at())}</dd>
          </div>
        )}
      </Show>
    </dl>
  );
}
