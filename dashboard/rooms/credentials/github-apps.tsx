/** GitHub Apps: GitHub makes them in two steps, and their owner chooses the repositories. */
import { createSignal } from 'solid-js';
import { api } from '../../api/client.ts';
import { t } from '../../text/text.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { EditAndRemove } from '../../ui/edit-and-remove.tsx';
import { Show } from '../../ui/show.ts';
import { attempt, say } from '../../ui/toasts.tsx';
import { EditedList } from '../edited-list.tsx';
import { RecordDialog, type RecordField } from '../record-dialog.tsx';
import { AppRepositories } from './app-repositories.tsx';
import { type GithubApp, renewCredentials, useGithubApps } from './queries.ts';

const texts = t.credentials.app;
const renew = () => Promise.all([renewCredentials('github-apps'), renewCredentials('git-hosts')]);
const nameOf = ({ name, host }: GithubApp) => name ?? host;

export function GithubApps(props: { mayWrite: boolean }) {
  const query = useGithubApps();
  const [setupUrl, setSetupUrl] = createSignal<string>();
  return (
    <>
      <EditedList
        query={query}
        title={texts.title}
        help={texts.help}
        mayEdit={props.mayWrite}
        add={texts.add}
        none={{ title: texts.none, help: texts.noneHelp }}
        row={(app, edit) => <AppRow app={app()} mayWrite={props.mayWrite} onEdit={edit} />}
        dialog={(app, close) => <EditApp app={app} onMade={setSetupUrl} onClose={close} />}
      />
      <Show when={setupUrl()}>
        {(url) => (
          <Dialog title={texts.nextTitle} onClose={() => setSetupUrl(undefined)}>
            <p>{texts.nextHelp}</p>
            <footer class="actions end">
              <Button onClick={() => setSetupUrl(undefined)}>{t.cancel}</Button>
              <a class="button primary" href={url()} target="_blank" rel="noreferrer external">
                {texts.next}
              </a>
            </footer>
          </Dialog>
        )}
      </Show>
    </>
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

type Name = 'organization' | 'host' | 'deployOnPush' | 'commitStatus';

interface EditAppProps {
  app: GithubApp | undefined;
  /** @param setupUrl where its registration goes on */
  onMade(setupUrl: string): void;
  onClose(): void;
}

function EditApp(props: EditAppProps) {
  const { app } = props;
  const isNew = () => app === undefined;
  const fields: RecordField<Name>[] = [
    {
      ...{ name: 'organization', kind: 'text', mono: true, fits: isNew },
      ...{ label: texts.organization, help: texts.organizationHelp },
    },
    {
      ...{ name: 'host', kind: 'text', mono: true, isRequired: true, fits: isNew },
      ...{ label: texts.host, help: texts.hostHelp },
    },
    { name: 'deployOnPush', kind: 'check', label: texts.deployOnPush },
    { name: 'commitStatus', kind: 'check', label: texts.commitStatus },
  ];
  return (
    <RecordDialog
      title={app ? t.variables.edit(nameOf(app)) : texts.add}
      fields={fields}
      first={{
        ...{ organization: '', host: 'github.com' },
        deployOnPush: String(app?.deployOnPush ?? true),
        commitStatus: String(app?.commitStatus ?? true),
      }}
      send={async ({ organization, host, ...checks }) => {
        const body = {
          deployOnPush: checks.deployOnPush === 'true',
          commitStatus: checks.commitStatus === 'true',
        };
        if (app) {
          await api.call('PATCH /api/github-apps/:githubAppId', { params: { githubAppId: app.id }, body });
        } else {
          const where = { organization: organization.trim() || null, host: host.trim() };
          props.onMade((await api.call('POST /api/github-apps', { body: { ...where, ...body } })).setupUrl);
        }
        await renew();
        return t.credentials.saved(app ? nameOf(app) : host);
      }}
      onClose={props.onClose}
    />
  );
}
