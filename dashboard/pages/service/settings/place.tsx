/** The place of a service: its host, its port there, its project. */
import { useNavigate } from '@solidjs/router';
import { createSignal } from 'solid-js';
import { api } from '../../../api/client.ts';
import {
  hostChoices,
  type Overview,
  renewService,
  useProjects,
  useUsableHosts,
} from '../../../api/queries.ts';
import { placeText } from '../../../text/place-text.ts';
import { serviceText } from '../../../text/service-text.ts';
import { Button } from '../../../ui/button.tsx';
import { RecordDialog } from '../../../ui/record-dialog.tsx';
import { isDatabase } from '../../../ui/service-kind.ts';
import { Show } from '../../../ui/show.ts';

const texts = placeText;
type Asked = 'host' | 'port' | 'project';

export function Place(props: { overview: Overview; mayWrite: boolean }) {
  const [asked, setAsked] = createSignal<Asked>();
  const close = () => setAsked(undefined);
  const service = () => props.overview.service;
  const hosts = useUsableHosts();
  const projects = useProjects();
  const hostName = () =>
    (hosts.isSuccess ? hosts.data.find(({ id }) => id === service().runnerId)?.name : undefined) ??
    service().runnerId ??
    serviceText.nothingLive;
  const otherHosts = () =>
    hostChoices(hosts.isSuccess ? hosts.data : [], ({ id }) => id === service().runnerId);
  const projectName = () => projects.data?.find(({ id }) => id === service().projectId)?.name ?? '';
  return (
    <section class="panel">
      <h2>{texts.title}</h2>
      <dl class="facts">
        <div>
          <dt>{texts.host}</dt>
          <dd>{hostName()}</dd>
        </div>
        <div>
          <dt>{texts.port}</dt>
          <dd>{service().hostPort ?? '–'}</dd>
        </div>
        <div>
          <dt>{texts.project}</dt>
          <dd>{projectName()}</dd>
        </div>
      </dl>
      <Show when={isDatabase(service())}>
        <p class="quiet-text">{texts.databaseHelp}</p>
      </Show>
      <Show when={props.mayWrite}>
        <div class="actions">
          <Show when={!isDatabase(service()) && otherHosts().length > 0}>
            <Button class="small" onClick={() => setAsked('host')}>
              {texts.move}
            </Button>
          </Show>
          <Button class="small" onClick={() => setAsked('port')}>
            {texts.changePort}
          </Button>
          <Show when={(projects.data?.length ?? 0) > 1}>
            <Button class="small" onClick={() => setAsked('project')}>
              {texts.transfer}
            </Button>
          </Show>
        </div>
      </Show>
      <Show when={asked() === 'host'}>
        <MoveToHost overview={props.overview} hosts={otherHosts()} onClose={close} />
      </Show>
      <Show when={asked() === 'port'}>
        <RecordDialog
          title={texts.changePort}
          help={texts.portHelp}
          fields={[{ name: 'port', kind: 'number', label: texts.port, help: texts.anyPort }]}
          first={{ port: '' }}
          send={async ({ port }) => {
            const body = port.trim() === '' ? {} : { port: Number(port) };
            const route = 'POST /api/services/:serviceId/host-port';
            const answer = await api.call(route, { params: { serviceId: service().id }, body });
            await renewService(service().id);
            return texts.portChanged(answer.port, answer.pending);
          }}
          onClose={close}
        />
      </Show>
      <Show when={asked() === 'project'}>
        <Transfer overview={props.overview} onClose={close} />
      </Show>
    </section>
  );
}

interface DialogProps {
  overview: Overview;
  onClose(): void;
}

function MoveToHost(props: DialogProps & { hosts: ReturnType<typeof hostChoices> }) {
  const navigate = useNavigate();
  const { service, volumes } = props.overview;
  const params = { serviceId: service.id };
  const deploy = async () =>
    (await api.call('POST /api/services/:serviceId/deployments', { params })).deployment;
  return (
    <RecordDialog
      title={texts.move}
      help={volumes.length > 0 ? texts.moveVolumesHelp : texts.moveHelp}
      fields={[{ name: 'runnerId', kind: 'choice', label: texts.host, choices: props.hosts }]}
      first={{ runnerId: props.hosts[0]?.value ?? '' }}
      submitLabel={texts.moveSubmit}
      send={async ({ runnerId }) => {
        if (volumes.length === 0)
          await api.call('PATCH /api/services/:serviceId', { params, body: { runnerId } });
        const deployment =
          volumes.length === 0
            ? await deploy()
            : (await api.call('POST /api/services/:serviceId/move', { params, body: { runnerId } }))
                .deployment;
        await renewService(service.id);
        if (deployment) navigate(`/deployments/${deployment.id}`);
        return texts.moving;
      }}
      onClose={props.onClose}
    />
  );
}

function Transfer(props: DialogProps) {
  const projects = useProjects();
  const { service } = props.overview;
  const others = (projects.data ?? []).filter(({ id }) => id !== service.projectId);
  return (
    <RecordDialog
      title={texts.transfer}
      help={texts.transferHelp}
      fields={[
        {
          ...{ name: 'targetProjectId', kind: 'choice', label: texts.project },
          choices: others.map(({ id, name }) => ({ value: id, text: name })),
        },
      ]}
      first={{ targetProjectId: others[0]?.id ?? '' }}
      submitLabel={texts.transferSubmit}
      send={async ({ targetProjectId }) => {
        const route = 'POST /api/services/:serviceId/transfer';
        const { project } = await api.call(route, {
          params: { serviceId: service.id },
          body: { targetProjectId },
        });
        await renewService(service.id);
        return texts.transferred(project.name);
      }}
      onClose={props.onClose}
    />
  );
}
