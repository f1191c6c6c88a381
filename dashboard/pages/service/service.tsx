/** A service: its state, what is live, what needs attention, its deployments and variables. */
import { useNavigate, useParams } from '@solidjs/router';
import { For, Match, Suspense, Switch } from 'solid-js';
import { useChanges } from '../../api/changes.ts';
import { mayIn } from '../../api/may.ts';
import { type Overview, useKey, useOverview, useProjects } from '../../api/queries.ts';
import { usePageCommands, useUp } from '../../shell/commands.ts';
import { useTitle } from '../../shell/title.ts';
import { serviceText } from '../../text/service-text.ts';
import { t } from '../../text/text.ts';
import { Answer } from '../../ui/answer.tsx';
import { lazyRoom } from '../../ui/lazy-room.ts';
import { OutsideLink } from '../../ui/outside-link.tsx';
import { Refreshed } from '../../ui/refreshed.tsx';
import { isDatabase, kindText, sourceText } from '../../ui/service-kind.ts';
import { Show } from '../../ui/show.ts';
import { showCurrent } from '../../ui/show-current.ts';
import { Status } from '../../ui/status.tsx';
import { Actions } from './actions.tsx';
import { Deployments } from './deployments.tsx';
import { Now } from './now.tsx';
import { OverviewTab } from './overview.tsx';
import { Variables } from './variables/variables.tsx';

const DataTab = lazyRoom(async () => ({ default: (await import('./database/data-tab.tsx')).DataTab }));
const QueryTab = lazyRoom(async () => ({ default: (await import('./database/query-tab.tsx')).QueryTab }));
const BackupsTab = lazyRoom(async () => ({
  default: (await import('./database/backups-tab.tsx')).BackupsTab,
}));
const VolumeBackupsTab = lazyRoom(async () => ({
  default: (await import('./backups/volume-backups-tab.tsx')).VolumeBackupsTab,
}));
const CommandsTab = lazyRoom(async () => ({
  default: (await import('./commands/commands-tab.tsx')).CommandsTab,
}));
const RuntimeLog = lazyRoom(async () => ({ default: (await import('./runtime-log.tsx')).RuntimeLog }));
const Metrics = lazyRoom(async () => ({ default: (await import('./metrics/metrics.tsx')).Metrics }));
const ServiceSettings = lazyRoom(async () => ({
  default: (await import('./settings/service-settings.tsx')).ServiceSettings,
}));

/** Variables that the live version has otherwise, or was built with otherwise. */
const waitingVariables = (overview: Overview) =>
  overview.pendingVariables.length + overview.pendingBuildVariables.length;

type Tab = keyof typeof serviceText.tabs;
const tabs = {
  app: ['overview', 'logs', 'metrics', 'deployments', 'commands', 'backups', 'variables', 'settings'],
  // A static site runs no commands.
  static: ['overview', 'logs', 'metrics', 'deployments', 'variables', 'settings'],
  database: [
    'overview',
    'data',
    'query',
    'backups',
    'logs',
    'metrics',
    'deployments',
    'variables',
    'settings',
  ],
} as const satisfies Record<string, readonly Tab[]>;

export function Service() {
  const params = useParams<{ serviceId: string; tab?: string; entry?: string }>();
  const navigate = useNavigate();
  const overview = useOverview(() => params.serviceId);
  const projects = useProjects();
  const key = useKey();
  const own = () => tabsOf(overview.data, params.tab);
  const tab = (): Tab => own().find((one) => one === params.tab) ?? 'overview';
  const path = (to: Tab) => `/services/${params.serviceId}${to === 'overview' ? '' : `/${to}`}`;
  const project = () => projects.data?.find(({ id }) => id === overview.data?.service.projectId);
  useTitle(
    () => overview.data?.service.name,
    () => (tab() === 'overview' ? undefined : serviceText.tabs[tab()]),
  );
  useUp(() => (params.entry ? path(tab()) : project() ? `/projects/${project()?.slug}` : '/'));
  useChanges(() => overview.data?.service.projectId);
  usePageCommands(() => own().map((to) => ({ label: serviceText.tabs[to], run: () => navigate(path(to)) })));
  const may = (level: 'deploy' | 'write') => mayIn(key.data, overview.data?.service.projectId, level);
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
            <Now
              serviceId={params.serviceId}
              isShownElsewhere={({ kind }) =>
                tab() === 'overview' && (kind === 'service' || kind === 'deployment' || kind === 'host')
              }
            />
            <nav ref={showCurrent} class="tabs" aria-label={data().service.name}>
              <For each={own()}>
                {(to) => (
                  <a href={path(to)} aria-current={tab() === to ? 'page' : undefined}>
                    {serviceText.tabs[to]}
                    <Show when={to === 'variables' && waitingVariables(data()) > 0}>
                      <span class="badge">{waitingVariables(data())}</span>
                    </Show>
                  </a>
                )}
              </For>
            </nav>
            <Suspense>
              <Switch>
                <Match when={tab() === 'overview'}>
                  <OverviewTab overview={data()} mayDeploy={may('deploy')} mayWrite={may('write')} />
                </Match>
                <Match when={tab() === 'deployments'}>
                  <Deployments overview={data()} />
                </Match>
                <Match when={tab() === 'variables'}>
                  <Variables overview={data()} mayWrite={may('write')} mayDeploy={may('deploy')} />
                </Match>
                <Match when={tab() === 'data'}>
                  <DataTab overview={data()} mayWrite={may('write')} />
                </Match>
                <Match when={tab() === 'query'}>
                  <QueryTab overview={data()} mayWrite={may('write')} />
                </Match>
                <Match when={tab() === 'backups'}>
                  <Show
                    when={isDatabase(data().service)}
                    fallback={<VolumeBackupsTab overview={data()} mayWrite={may('write')} />}
                  >
                    <BackupsTab overview={data()} mayWrite={may('write')} />
                  </Show>
                </Match>
                <Match when={tab() === 'commands'}>
                  <CommandsTab overview={data()} runId={params.entry} mayWrite={may('write')} />
                </Match>
                <Match when={tab() === 'logs'}>
                  <RuntimeLog overview={data()} />
                </Match>
                <Match when={tab() === 'settings'}>
                  <ServiceSettings overview={data()} mayWrite={may('write')} mayDeploy={may('deploy')} />
                </Match>
                <Match when={tab() === 'metrics'}>
                  <Metrics overview={data()} />
                </Match>
              </Switch>
            </Suspense>
          </>
        )}
      </Answer>
    </>
  );
}

/** @param shown the tab in the address: backups outlive their volumes */
function tabsOf(overview: Overview | undefined, shown: string | undefined): readonly Tab[] {
  if (!overview) return tabs.app;
  const { service, volumes } = overview;
  if (isDatabase(service)) return tabs.database;
  if (service.runtimeMode === 'static') return tabs.static;
  return tabs.app.filter((tab) => tab !== 'backups' || volumes.length > 0 || shown === tab);
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
          <Refreshed query={props.query} isFollowed />
        </p>
      </div>
      <Show when={props.mayDeploy}>
        <Actions overview={props.overview} />
      </Show>
    </header>
  );
}
