/** Who is signed in, with which rights, and what belongs to the account. */
import { known } from '../api/known.ts';
import { useKey } from '../api/queries.ts';
import { signOutHere } from '../api/sign-out.ts';
import { t } from '../text/text.ts';
import { PersonIcon } from '../ui/icons.tsx';
import { Show } from '../ui/show.ts';
import { sideText } from './shell-text.ts';
import { SideMenu } from './side-menu.tsx';
import { ThemeChoice } from './theme-choice.tsx';

export function AccountMenu() {
  const key = useKey();
  const name = () => known(key)?.member?.email ?? known(key)?.name ?? t.nav.account;
  return (
    <SideMenu
      class="account"
      label={sideText.account(name())}
      summary={
        <>
          <PersonIcon />
          <span>{name()}</span>
        </>
      }
    >
      <div class="menu">
        <Show when={known(key)}>
          {(own) => (
            <p class="quiet-text">
              {own().member?.role ?? sideText.byKey}
              <br />
              {sideText.may[own().access] ?? own().access}
            </p>
          )}
        </Show>
        <ThemeChoice />
        <a href="/settings">{sideText.settings}</a>
        <a href="/credentials">{sideText.credentials}</a>
        <Show when={known(key)?.may.includes('manage-members')}>
          <a href="/members">{sideText.members}</a>
        </Show>
        <a href="/deleted">{t.nav.trash}</a>
        <a href="/operator/hosts">{t.nav.operator}</a>
        <button type="button" class="link" onClick={() => void signOutHere()}>
          {t.settings.signOut}
        </button>
      </div>
    </SideMenu>
  );
}
