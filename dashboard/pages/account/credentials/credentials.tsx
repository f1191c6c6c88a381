/** Credentials for git hosts and registries, and the keys that encrypt backups. */
import { useKey } from '../../../api/queries.ts';
import { useTitle } from '../../../shell/title.ts';
import { credentialsText } from '../../../text/credentials-text.ts';
import { t } from '../../../text/text.ts';
import { Answer } from '../../../ui/answer.tsx';
import { Show } from '../../../ui/show.ts';
import { BackupKeys } from './backup-keys.tsx';
import { GitHosts } from './git-hosts.tsx';
import { GithubApps } from './github-apps.tsx';
import { Registries } from './registries.tsx';

export function Credentials() {
  useTitle(() => credentialsText.title);
  const key = useKey();
  return (
    <div class="stack">
      <nav class="crumbs" aria-label={t.nav.crumbs}>
        <a href="/settings">{t.settings.title}</a>
      </nav>
      <header class="page-head">
        <div>
          <h1>{credentialsText.title}</h1>
          <p class="quiet-text">{credentialsText.help}</p>
        </div>
      </header>
      <Answer query={key}>
        {(own) => {
          const mayWrite = () => own().may.includes('write');
          return (
            <Show when={own().projects === 'all'} fallback={<p>{credentialsText.onlyAllProjects}</p>}>
              <GitHosts mayWrite={mayWrite()} />
              <GithubApps mayWrite={mayWrite()} />
              <Registries mayWrite={mayWrite()} />
              <BackupKeys />
            </Show>
          );
        }}
      </Answer>
    </div>
  );
}
