/** The accounts in which a GitHub App is installed, and the repositories that it may read there. */

import { createSignal, For } from 'solid-js';
import { api } from '../../../api/client.ts';
import { useQuery } from '../../../api/use-query.ts';
import { credentialsText } from '../../../text/credentials-text.ts';
import { t } from '../../../text/text.ts';
import { Answer } from '../../../ui/answer.tsx';
import { Button } from '../../../ui/button.tsx';
import { Show } from '../../../ui/show.ts';

const texts = credentialsText.app;

export function AppRepositories(props: { githubAppId: string }) {
  const installations = useQuery(() => ({
    queryKey: ['credentials', 'installations', props.githubAppId],
    retry: false,
    queryFn: async ({ signal }) =>
      (
        await api.call('GET /api/github-apps/:githubAppId/installations', {
          params: { githubAppId: props.githubAppId },
          signal,
        })
      ).installations,
  }));
  return (
    <div class="messages">
      <Answer query={installations} lines={1}>
        {(all) => (
          <For each={all()} fallback={<p class="quiet-text">{texts.noInstallations}</p>}>
            {(one) => (
              <section>
                <p>
                  <strong>{one.account}</strong>{' '}
                  <Show when={one.suspended}>
                    <span class="tag waits">{texts.suspended}</span>{' '}
                  </Show>
                  <a
                    href={one.settingsUrl}
                    target="_blank"
                    rel="noreferrer external"
                    aria-label={texts.settings(one.account)}
                  >
                    {texts.choose}
                  </a>
                </p>
                <Repositories githubAppId={props.githubAppId} installationId={one.id} />
              </section>
            )}
          </For>
        )}
      </Answer>
    </div>
  );
}

function Repositories(props: { githubAppId: string; installationId: number }) {
  const [page, setPage] = createSignal(1);
  const repositories = useQuery(() => ({
    queryKey: ['credentials', 'repositories', props.githubAppId, props.installationId, page()],
    retry: false,
    queryFn: ({ signal }) =>
      api.call('GET /api/github-apps/:githubAppId/repositories', {
        params: { githubAppId: props.githubAppId },
        query: { installationId: props.installationId, page: page() },
        signal,
      }),
  }));
  return (
    <Answer query={repositories} lines={2}>
      {(data) => (
        <>
          <ul class="plain-list">
            <For each={data().repositories}>
              {(one) => (
                <li>
                  <code>{one.fullName}</code>{' '}
                  <Show when={one.private}>
                    <span class="tag">{texts.private}</span>{' '}
                  </Show>
                  <Show when={one.archived}>
                    <span class="tag waits">{texts.archived}</span>
                  </Show>
                </li>
              )}
            </For>
          </ul>
          <Show when={data().nextPage}>
            {(next) => (
              <Button class="small" onClick={() => setPage(next())}>
                {t.more}
              </Button>
            )}
          </Show>
        </>
      )}
    </Answer>
  );
}
