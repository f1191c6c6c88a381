/** Tokens of git hosts, for repositories of all projects or of one. */
import { api } from '../../../api/client.ts';
import { useProjects } from '../../../api/queries.ts';
import { EditedList } from '../../../shell/edited-list.tsx';
import { credentialsText } from '../../../text/credentials-text.ts';
import { variablesText } from '../../../text/service-text.ts';
import { EditAndRemove } from '../../../ui/edit-and-remove.tsx';
import { RecordDialog, type RecordField } from '../../../ui/record-dialog.tsx';
import { Show } from '../../../ui/show.ts';
import { attempt, say } from '../../../ui/toasts.tsx';
import { type GitCredential, renewCredentials, useGitCredentials } from './credential-queries.ts';

const texts = credentialsText.git;
const renew = () => renewCredentials('git-hosts');
type Api = NonNullable<GitCredential['commitStatus']>;
const apis = Object.keys(texts.statuses) as Api[];

export function GitHosts(props: { mayWrite: boolean }) {
  const query = useGitCredentials();
  const projects = useProjects();
  const projectText = (id: string | null) =>
    id === null
      ? texts.allProjects
      : texts.onlyProject(projects.data?.find((project) => project.id === id)?.name ?? id);
  return (
    <EditedList
      query={query}
      title={texts.title}
      help={texts.help}
      mayEdit={props.mayWrite}
      add={texts.add}
      none={{ title: texts.none, help: texts.noneHelp }}
      row={(git, edit) => (
        <li>
          <div>
            <p>
              <strong>{git().host}</strong>{' '}
              <Show when={git().githubAppId}>
                <span class="tag">{texts.ofApp}</span>
              </Show>
            </p>
            <p class="quiet-text facts-line">
              <code>{git().username}</code>
              <span>{projectText(git().projectId)}</span>
              <Show when={git().commitStatus}>
                <span>{texts.reports}</span>
              </Show>
            </p>
            <Show when={git().commitStatusFailure}>{(why) => <p class="warning">{why()}</p>}</Show>
          </div>
          <Show when={props.mayWrite && git().githubAppId === null}>
            <div class="actions">
              <EditAndRemove
                name={git().host}
                removeHelp={texts.removeHelp}
                onEdit={edit}
                onRemove={() => void remove(git())}
              />
            </div>
          </Show>
        </li>
      )}
      dialog={(git, close) => <EditGitHost git={git} onClose={close} />}
    />
  );
}

const remove = ({ id, host }: GitCredential) =>
  attempt(async () => {
    await api.call('DELETE /api/git-credentials/:gitCredentialId', { params: { gitCredentialId: id } });
    say(credentialsText.removed(host));
    await renew();
  });

type Name = 'host' | 'username' | 'token' | 'projectId' | 'commitStatus';

function EditGitHost(props: { git: GitCredential | undefined; onClose(): void }) {
  const { git } = props;
  const projects = useProjects();
  const only = (projects.data ?? []).map(({ id, name }) => ({ value: id, text: texts.onlyProject(name) }));
  const fields: RecordField<Name>[] = [
    ...(git
      ? []
      : [
          {
            name: 'host',
            kind: 'text',
            mono: true,
            isRequired: true,
            label: texts.host,
            help: texts.hostHelp,
          } as const,
        ]),
    {
      ...{ name: 'token', kind: 'password', label: texts.token, isRequired: git === undefined },
      help: git ? credentialsText.stays : texts.tokenHelp,
    },
    { name: 'username', kind: 'text', mono: true, label: credentialsText.username, help: texts.usernameHelp },
    {
      ...{ name: 'projectId', kind: 'choice', label: texts.project },
      choices: [{ value: '', text: texts.allProjects }, ...only],
      fits: () => git === undefined,
    },
    {
      ...{ name: 'commitStatus', kind: 'choice', label: texts.status },
      choices: [
        { value: '', text: texts.noStatus },
        ...apis.map((value) => ({ value, text: texts.statuses[value] })),
      ],
    },
  ];
  return (
    <RecordDialog
      title={git ? variablesText.edit(git.host) : texts.add}
      fields={fields}
      first={{
        ...{ host: git?.host ?? '', username: git?.username ?? '', token: '', projectId: '' },
        commitStatus: git?.commitStatus ?? '',
      }}
      send={async ({ host, username, token, projectId, commitStatus: chosen }) => {
        const shared = {
          ...(username.trim() === '' ? {} : { username: username.trim() }),
          commitStatus: apis.find((one) => one === chosen) ?? null,
        };
        if (git) {
          const body = { ...shared, ...(token === '' ? {} : { token }) };
          const params = { gitCredentialId: git.id };
          await api.call('PATCH /api/git-credentials/:gitCredentialId', { params, body });
        } else {
          const body = { ...shared, host: host.trim(), token, projectId: projectId || null };
          await api.call('POST /api/git-credentials', { body });
        }
        await renew();
        return credentialsText.saved(git?.host ?? host);
      }}
      onClose={props.onClose}
    />
  );
}
