/** GitHub Apps: they are created at GitHub in two steps, and their owner chooses the repositories. */
import { createSignal } from 'solid-js';
import { api } from '../../../api/client.ts';
import { EditedList } from '../../../shell/edited-list.tsx';
import { credentialsText } from '../../../text/credentials-text.ts';
import { variablesText } from '../../../text/service-text.ts';
import { Button } from '../../../ui/button.tsx';
import { EditAndRemove } from '../../../ui/edit-and-remove.tsx';
import { RecordDialog } from '../../../ui/record-dialog.tsx';
import { Show } from '../../../ui/show.ts';
import { attempt, say } from '../../../ui/toasts.tsx';
import { AppRepositories } from './app-repositories.tsx';
import { type GithubApp, renewCredentials, useGithubApps } from './credential-queries.ts';

const texts = credentialsText.app;
const renew = () => Promise.all([renewCredentials('github-apps'), renewCredentials('git-hosts')]);
const nameOf = ({ name, host }: GithubApp) => name ?? host;

export function GithubApps(props: { mayWrite: boolean }) {
  const query = useGithubApps();
  return (
    <EditedList
      query={query}
      title={texts.title}
      help={texts.help}
      mayEdit={props.mayWrite}
      add={texts.add}
      none={{ title: texts.none, help: texts.noneHelp }}
      row={(app, edit) => <AppRow app={app()} mayWrite={props.mayWrite} onEdit={edit} />}
      dialog={(app, close) => (app ? <EditApp app={app} onClose={close} /> : <NewApp onClose={close} />)}
    />
  );
}

function AppRow(props: { app: GithubApp; mayWrite: boolean; onEdit(): void }) {
  const [isOpen, setIsOpen] = createSignal(false);
  const app = () => props.app;
  const remove = () =>
    attempt(async () => {
      const params = { githubAppId: app().id };
      say((await api.call('DELETE /api/github-apps/:githubAppId', { params })).detail);
      await renew();
    });
  return (
    <li>
      <div>
        <p>
          <strong>{nameOf(app())}</strong>{' '}
          <Show when={!app().registered}>
            <span class="tag waits">{texts.unregistered}</span>
          </Show>
        </p>
        <Show when={app().registered} fallback={<p class="quiet-text">{texts.unregisteredHelp}</p>}>
          <p class="quiet-text facts-line">
            <code>{app().host}</code>
            <Show when={app().owner}>{(owner) => <span>{texts.ofOwner(owner())}</span>}</Show>
            <Show when={app().deployOnPush}>
              <span>{texts.deployOnPush}</span>
            </Show>
            <Show when={app().commitStatus}>
              <span>{texts.commitStatus}</span>
            </Show>
          </p>
          <Show when={app().installUrl}>
            {(url) => (
              <p>
                <a href={url()} target="_blank" rel="noreferrer external">
                  {texts.choose}
                </a>
              </p>
            )}
          </Show>
        </Show>
      </div>
      <div class="actions">
        <Show when={app().registered}>
          <Button
            class="small"
            aria-expanded={isOpen()}
            aria-label={texts.repositoriesOf(nameOf(app()))}
            onClick={() => setIsOpen((open) => !open)}
          >
            {texts.repositories}
          </Button>
        </Show>
        <Show when={props.mayWrite}>
          <EditAndRemove
            name={nameOf(app())}
            removeHelp={texts.removeHelp}
            onEdit={app().registered ? props.onEdit : undefined}
            onRemove={() => void remove()}
          />
        </Show>
      </div>
      <Show when={isOpen()}>
        <AppRepositories githubAppId={app().id} />
      </Show>
    </li>
  );
}

/** Begins the registration, and leads to the page whose button goes on to GitHub. */
function NewApp(props: { onClose(): void }) {
  return (
    <RecordDialog
      title={texts.addTitle}
      help={texts.addHelp}
      submitLabel={texts.toGithub}
      fields={[
        { name: 'organization', kind: 'text', label: texts.organization, help: texts.organizationHelp },
        { name: 'host', kind: 'text', label: texts.host, help: texts.hostHelp },
        { name: 'deployOnPush', kind: 'check', label: texts.deployOnPush },
        { name: 'commitStatus', kind: 'check', label: texts.commitStatus },
      ]}
      first={{ organization: '', host: 'github.com', deployOnPush: 'true', commitStatus: 'true' }}
      send={async ({ organization, host, deployOnPush, commitStatus }) => {
        const { setupUrl } = await api.call('POST /api/github-apps', {
          body: {
            organization: organization || null,
            ...(host ? { host } : {}),
            deployOnPush: deployOnPush === 'true',
            commitStatus: commitStatus === 'true',
          },
        });
        location.assign(setupUrl);
        return texts.leaving;
      }}
      onClose={props.onClose}
    />
  );
}

function EditApp(props: { app: GithubApp; onClose(): void }) {
  const { app } = props;
  return (
    <RecordDialog
      title={variablesText.edit(nameOf(app))}
      fields={[
        { name: 'deployOnPush', kind: 'check', label: texts.deployOnPush },
        { name: 'commitStatus', kind: 'check', label: texts.commitStatus },
      ]}
      first={{ deployOnPush: String(app.deployOnPush), commitStatus: String(app.commitStatus) }}
      send={async ({ deployOnPush, commitStatus }) => {
        const body = { deployOnPush: deployOnPush === 'true', commitStatus: commitStatus === 'true' };
        await api.call('PATCH /api/github-apps/:githubAppId', { params: { githubAppId: app.id }, body });
        await renew();
        return credentialsText.saved(nameOf(app));
      }}
      onClose={props.onClose}
    />
  );
}
