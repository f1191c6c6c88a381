/** A service: its state, what is live, what needs attention, its deployments and variables. */
import { useNavigate, useParams } from '@solidjs/router';
import { For, Match, Show, Switch } from 'solid-js';
import { type Overview, useKey, useOverview, useProjects } from '../../api/queries.ts';
import { usePageCommands, useUp } from '../../shell/commands.ts';
import { t } from '../../text/text.ts';
import { Answer } from '../../ui/answer.tsx';
import { OutsideLink } from '../../ui/outside-link.tsx';
import { Refreshed } from '../../ui/refreshed.tsx';
import { Status } from '../../ui/status.tsx';
import { kindText, sourceText } from '../service-kind.ts';
import { useTitle } from '../title.ts';
import { Variables } from '../variables/variables.tsx';
import { Actions } from './actions.tsx';
import { Deployments } from './deployments.tsx';
import { useFollowedDeployment } from './followed-deployment.ts';
import { OverviewTab } from './overview.tsx';

const tabs = ['overview', 'deployments', 'variables'] as const;
type Tab = (typeof tabs)[number];

export function Service() {
  const params = useParams<{ serviceId: string; tab?: string }>();
  const navigate = useNavigate();
  const overview = useOverview(() => params.serviceId);
  const projects = useProjects();
  const key = useKey();
  const tab = (): Tab => tabs.find((one) => one === params.tab) ?? 'overview';
  const path = (to: Tab) => `/services/${params.serviceId}${to === 'overview' ? '' : `/${to}`}`;
  const project = () => projects.data?.find(({ id }) => id === overview.data?.service.projectId);
  useTitle(() => overview.data?.service.name);
  useUp(() => (project() ? `/projects/${project()?.slug}` : '/'));
  useFollowedDeployment(
    () => params.serviceId,
    () => overview.data?.deployments ?? [],
  );
  usePageCommands(() => tabs.map((to) => ({ label: t.service.tabs[to], run: () => navigate(path(to)) })));
  const may = (level: 'deploy' | 'write') => key.data?.may.includes(level) === true;
  return (
    <>
      <nav class="crumbs" aria-label={t.nav.crumbs}>
        <a href="/">{t.nav.projects}</a>
        <Show when={project()}>{(known) => <a href={`/projects/${known().slug}`}>{known().name}</a>}</Show>
      </nav>
      <Answer query={overview} lines={8}>
        {(data) => (
          <>
            <Head overview={data()} query={overview} mayDeploy={may('deploy')} />
            <nav class="tabs" aria-label={data().service.name}>
              <For each={tabs}>
                {(to) => (
                  <a href={path(to)} aria-current={tab() === to ? 'page' : undefined}>
                    {t.service.tabs[to]}
                    <Show when={to === 'variables' && data().pendingVariables.length > 0}>
                      <span class="badge">{data().pendingVariables.length}</span>
                    </Show>
                  </a>
                )}
              </For>
            </nav>
            <Switch>
              <Match when={tab() === 'overview'}>
                <OverviewTab overview={data()} mayDeploy={may('deploy')} mayExplain={may('write')} />
              </Match>
              <Match when={tab() === 'deployments'}>
                <Deployments overview={data()} />
              </Match>
              <Match when={tab() === 'variables'}>
                <Variables overview={data()} mayWrite={may('write')} mayDeploy={may('deploy')} />
              </Match>
            </Switch>
          </>
        )}
      </Answer>
    </>
  );
}

interface HeadProps {
  overview: Overview;
  query: ReturnType<typeof useOverview>;
  mayDeploy: boolean;
}

function Head(props: HeadProps) {
  const service = () => props.overview.service;
  return (
    <header class="page-head">
      <div>
        <h1>
          {service().name} <Status state={service().status} large />
        </h1>
        <p class="quiet-text facts-line">
          <span>{kindText(service())}</span>
          <Show when={sourceText(service())}>{(text) => <span>{text()}</span>}</Show>
          <Show when={service().primaryUrl}>{(url) => <OutsideLink href={url()} />}</Show>
          <Refreshed query={props.query} />
        </p>
      </div>
      <Show when={props.mayDeploy}>
        <Actions overview={props.overview} />
      </Show>
    </header>
  );
}
