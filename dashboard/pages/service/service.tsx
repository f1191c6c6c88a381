/** A service: its state, what is live, what needs attention, its deployments and variables. */
import { useNavigate, useParams } from '@solidjs/router';
import { Match, Suspense, Switch } from 'solid-js';
import { useChanges } from '../../api/changes.ts';
import { known } from '../../api/known.ts';
import { mayIn } from '../../api/may.ts';
import { type Overview, useKey, useOverview, useProjects } from '../../api/queries.ts';
import { usePageCommands, useUp } from '../../shell/commands.ts';
import { useProjectHere } from '../../shell/place.ts';
import { useTitle } from '../../shell/title.ts';
import { serviceText } from '../../text/service-text.ts';
import { t } from '../../text/text.ts';
import { Answer } from '../../ui/answer.tsx';
import { GroupedTabs, type TabLink } from '../../ui/grouped-tabs.tsx';
import { lazyRoom } from '../../ui/lazy-room.ts';
import { OutsideLink } from '../../ui/outside-link.tsx';
import { Refreshed } from '../../ui/refreshed.tsx';
import { isDatabase, kindText, sourceText } from '../../ui/service-kind.ts';
import { Show } from '../../ui/show.ts';
import { Status } from '../../ui/status.tsx';
import { Actions } from './actions.tsx';
import { activeDeployment, doingText } from './deployment-facts.ts';
import { Deployments } from './deployments.tsx';
import { Now } from './now.tsx';
import { OverviewTab } from './overview.tsx';
import { Variables } from './variables/variables.tsx';

const DataTab = lazyRoom(async () => ({ default: (await import('./database/data-tab.tsx')).DataTab }));
const QueryTab = lazyRoom(async () => ({
  default: (await import('./database/query/query-tab.tsx')).QueryTab,
}));
const BackupsTab = lazyRoom(async () => ({
  default: (await import('./database/backups-tab.tsx')).BackupsTab,
}));
const VolumeBackupsTab = lazyRoom(async () => ({
  default: (await import('./backups/volume-backups-tab.tsx')).VolumeBackupsTab,
}));
const SchemaTab = lazyRoom(async () => ({
  default: (await import('./database/schema/schema-tab.tsx')).SchemaTab,
}));
const CommandsTab = lazyRoom(async () => ({
  default: (await import('./commands/commands-tab.tsx')).CommandsTab,
}));
const ServiceLogs = lazyRoom(async () => ({ default: (await import('./service-logs.tsx')).ServiceLogs }));
const Requests = lazyRoom(async () => ({ default: (await import('./requests/requests.tsx')).Requests }));
const Metrics = lazyRoom(async () => ({ default: (await import('./metrics/metrics.tsx')).Metrics }));
const ServiceSettings = lazyRoom(async () => ({
  default: (await import('./settings/service-settings.tsx')).ServiceSettings,
}));

/** Variables that the live version has otherwise, or was built with otherwise. */
const waitingVariables = (overview: Overview) =>
  overview.pendingVariables.length + overview.pendingBuildVariables.length;

type Tab = keyof typeof serviceText.tabs;
type Group = keyof typeof serviceText.tabGroups;
type Groups = readonly { name: Group; tabs: readonly Tab[]; isWide?: boolean }[];
const one = (name: Tab & Group) => ({ name, tabs: [name] });
const logs = { name: 'logs', tabs: ['logs', 'requests'], isWide: true } as const;
const groups = {
  app: [
    ...[one('overview'), one('deployments'), logs, one('metrics'), one('commands')],
    { name: 'configure', tabs: ['variables', 'settings', 'backups'] },
  ],
  // A static site runs no commands.
  static: [
    ...[one('overview'), one('deployments'), logs, one('metrics')],
    { name: 'configure', tabs: ['variables', 'settings'] },
  ],
  database: [
    one('overview'),
    { name: 'data', tabs: ['data', 'query', 'schema', 'backups'], isWide: true },
    ...[one('deployments'), one('logs'), one('metrics')],
    { name: 'configure', tabs: ['variables', 'settings'] },
  ],
} as const satisfies Record<string, Groups>;

export function Service() {
  const params = useParams<{ serviceId: string; tab?: string; entry?: string }>();
  const navigate = useNavigate();
  const overview = useOverview(() => params.serviceId);
  const projects = useProjects();
  const key = useKey();
  const shownGroups = () => groupsOf(overview.data, params.tab);
  const own = () => shownGroups().flatMap(({ tabs }) => tabs);
  const tab = (): Tab => own().find((one) => one === params.tab) ?? 'overview';
  const linkOf = (name: Tab): TabLink => ({
    name,
    label: serviceText.tabs[name],
    href: path(name),
    badge: name === 'variables' && overview.data ? waitingVariables(overview.data) : 0,
  });
  const path = (to: Tab) => `/services/${params.serviceId}${to === 'overview' ? '' : `/${to}`}`;
  const project = () => projects.data?.find(({ id }) => id === overview.data?.service.projectId);
  useTitle(
    () => overview.data?.service.name,
    () => (tab() === 'overview' ? undefined : serviceText.tabs[tab()]),
  );
  useUp(() => (params.entry ? path(tab()) : project() ? `/projects/${project()?.slug}` : '/'));
  useProjectHere(() => known(overview)?.service.projectId);
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
            <GroupedTabs
              label={data().service.name}
              current={tab()}
              groups={shownGroups().map(({ name, tabs, isWide = false }) => ({
                label: serviceText.tabGroups[name],
                tabs: tabs.map(linkOf),
                isWide,
              }))}
            >
              <Suspense>
                <Switch>
                  <Match when={tab() === 'overview'}>
                    <OverviewTab overview={data()} mayDeploy={may('deploy')} mayWrite={may('write')} />
                  </Match>
                  <Match when={tab() === 'deployments'}>
                    <Deployments overview={data()} mayDeploy={may('deploy')} />
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
                  <Match when={tab() === 'schema'}>
                    <SchemaTab overview={data()} mayWrite={may('write')} />
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
                    <ServiceLogs overview={data()} />
                  </Match>
                  <Match when={tab() === 'requests'}>
                    <Requests serviceId={params.serviceId} mayWrite={may('write')} />
                  </Match>
                  <Match when={tab() === 'settings'}>
                    <ServiceSettings overview={data()} mayWrite={may('write')} mayDeploy={may('deploy')} />
                  </Match>
                  <Match when={tab() === 'metrics'}>
                    <Metrics overview={data()} />
                  </Match>
                </Switch>
              </Suspense>
            </GroupedTabs>
          </>
        )}
      </Answer>
    </>
  );
}

/** @param shown the tab in the address: backups outlive their volumes */
function groupsOf(overview: Overview | undefined, shown: string | undefined): Groups {
  if (!overview) return groups.app;
  const { service, volumes } = overview;
  if (isDatabase(service)) {
    const isSql = /^(postgres|timescale|mysql)$/.test(service.framework ?? '');
    return (groups.database as Groups).map((group) => ({
      ...group,
      tabs: group.tabs.filter((tab) => tab !== 'schema' || isSql),
    }));
  }
  if (service.runtimeMode === 'static') return groups.static;
  const hasBackups = volumes.length > 0 || shown === 'backups';
  return (groups.app as Groups).map((group) => ({
    ...group,
    tabs: group.tabs.filter(
      (tab) => (tab !== 'backups' || hasBackups) && (tab !== 'requests' || service.runtimeMode === 'web'),
    ),
  }));
}

interface HeadProps {
  overview: Overview;
  query: ReturnType<typeof useOverview>;
  mayDeploy: boolean;
}

function Head(props: HeadProps) {
  const service = () => props.overview.service;
  const doing = () => {
    const active = activeDeployment(props.overview.deployments);
    return service().status === 'building' && active ? doingText(active, service()) : undefined;
  };
  return (
    <header class="page-head">
      <div>
        <h1>
          {service().name} <Status state={service().status} text={doing()} large />
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
