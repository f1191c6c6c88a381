/** Creates a service in two steps: its source, and its variables before the first deployment. */
import { useNavigate, useParams } from '@solidjs/router';
import { createSignal } from 'solid-js';
import { api } from '../../../api/client.ts';
import { mayIn } from '../../../api/may.ts';
import { type Service, useKey, useProject } from '../../../api/queries.ts';
import { queries } from '../../../api/query-client.ts';
import { follow } from '../../../api/started.ts';
import { useUp } from '../../../shell/commands.ts';
import { useProjectHere } from '../../../shell/place.ts';
import { useTitle } from '../../../shell/title.ts';
import { newServiceText } from '../../../text/new-service-text.ts';
import { t } from '../../../text/text.ts';
import { Answer } from '../../../ui/answer.tsx';
import { Empty } from '../../../ui/empty.tsx';
import { isDatabase } from '../../../ui/service-kind.ts';
import { Show } from '../../../ui/show.ts';
import { attempt } from '../../../ui/toasts.tsx';
import { ChooseSource, type Source } from './choose-source.tsx';
import { Prepare } from './prepare.tsx';

export function NewService() {
  const params = useParams<{ slug: string }>();
  const navigate = useNavigate();
  const project = useProject(() => params.slug);
  useProjectHere(() => project.data?.id);
  const key = useKey();
  const mayNot = () => key.data !== undefined && !mayIn(key.data, project.data?.id, 'write');
  const [created, setCreated] = createSignal<Service>();
  const [busy, setBusy] = createSignal(false);
  useTitle(() => newServiceText.title);
  useUp(() => `/projects/${params.slug}`);

  const deploy = async (service: Service) => {
    const at = { serviceId: service.id };
    const { deployment } = await api.call('POST /api/services/:serviceId/deployments', { params: at });
    follow(deployment, service.name);
    navigate(`/deployments/${deployment.id}`);
  };
  const create = async (source: Source) => {
    setBusy(true);
    await attempt(async () => {
      const at = { projectId: project.data?.id ?? '' };
      const { service } = await api.call('POST /api/projects/:projectId/services', {
        params: at,
        body: source,
      });
      await queries.invalidateQueries({ queryKey: ['projects'] });
      await queries.invalidateQueries({ queryKey: ['project'] });
      // A database needs no further settings before its start.
      if (isDatabase(service)) await deploy(service);
      else setCreated(service);
    });
    setBusy(false);
  };
  return (
    <div class="narrow stack">
      <nav class="crumbs" aria-label={t.nav.crumbs}>
        <a href="/">{t.nav.projects}</a>
        <a href={`/projects/${params.slug}`}>{project.data?.name ?? params.slug}</a>
      </nav>
      <h1>{created() ? newServiceText.prepareTitle(created()?.name ?? '') : newServiceText.title}</h1>
      <Answer query={project}>
        {() => (
          <Show
            when={!mayNot()}
            fallback={<Empty title={newServiceText.mayNot} help={newServiceText.mayNotHelp} />}
          >
            <Show
              when={created()}
              fallback={<ChooseSource busy={busy()} onChosen={(source) => void create(source)} />}
            >
              {(service) => <Prepare service={service()} onDeploy={() => deploy(service())} />}
            </Show>
          </Show>
        )}
      </Answer>
    </div>
  );
}
