/** A project: its services and databases with their states, and its pages. */
import { useNavigate, useParams } from '@solidjs/router';
import { createMemo, createSignal, For, Match, Suspense, Switch } from 'solid-js';
import { useChanges } from '../../api/changes.ts';
import { known } from '../../api/known.ts';
import { mayIn } from '../../api/may.ts';
import { type Project as ProjectData, type Service, useKey, useProject } from '../../api/queries.ts';
import { usePageCommands } from '../../shell/commands.ts';
import { useProjectHere } from '../../shell/place.ts';
import { usePageKey } from '../../shell/shortcuts.ts';
import { useTitle } from '../../shell/title.ts';
import { newServiceText } from '../../text/new-service-text.ts';
import { serviceText } from '../../text/service-text.ts';
import { t } from '../../text/text.ts';
import { Age } from '../../ui/age.tsx';
import { Answer } from '../../ui/answer.tsx';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Filter } from '../../ui/filter.tsx';
import { type TabGroup, TabPage } from '../../ui/grouped-tabs.tsx';
import { PlusIcon } from '../../ui/icons.tsx';
import { lazyRoom } from '../../ui/lazy-room.ts';
import { OutsideLink } from '../../ui/outside-link.tsx';
import { Refreshed } from '../../ui/refreshed.tsx';
import { Rows } from '../../ui/rows.tsx';
import { isDatabase, kindText, sourceText } from '../../ui/service-kind.ts';
import { Show } from '../../ui/show.ts';
import { Status } from '../../ui/status.tsx';
import { FirstService } from './new-service/first-service.tsx';
import { pictureText } from './picture/picture-text.ts';
import { ProjectPicture } from './picture/project-picture.tsx';
import { ProjectActions } from './project-actions.tsx';
import { projectText } from './project-text.ts';

const ProjectLogs = lazyRoom(async () => ({
  default: (await import('./logs/project-logs.tsx')).ProjectLogs,
}));
const ProjectMetrics = lazyRoom(async () => ({
  default: (await import('./metrics/project-metrics.tsx')).ProjectMetrics,
}));
const LogDrains = lazyRoom(async () => ({
  default: (await import('./drains/log-drains.tsx')).LogDrains,
}));
const TrustPolicies = lazyRoom(async () => ({
  default: (await import('./ci/trust-policies.tsx')).TrustPolicies,
}));
const Notices = lazyRoom(async () => ({ default: (await import('./notifications/notices.tsx')).Notices }));

type Tab = keyof typeof projectText.tabs;
const tabs = Object.keys(projectText.tabs) as Tab[];
/** Pages that the settings of the project lead to; the others are in the side bar. */
const settingTabs = ['settings', 'notifications', 'drains', 'ci'] as const satisfies readonly Tab[];

export function Project() {
  const params = useParams<{ slug: string; tab?: string }>();
  const navigate = useNavigate();
  const project = useProject(() => params.slug);
  const key = useKey();
  const mayWrite = () => mayIn(key.data, project.data?.id, 'write');
  const tab = (): Tab => tabs.find((one) => one === params.tab) ?? 'services';
  const path = (to: Tab) => `/projects/${params.slug}${to === 'services' ? '' : `/${to}`}`;
  usePageCommands(() => [
    ...tabs.map((to) => ({ label: projectText.tabs[to], run: () => navigate(path(to)) })),
    ...(mayWrite()
      ? [{ label: newServiceText.title, run: () => navigate(`/projects/${params.slug}/new`) }]
      : []),
  ]);
  useTitle(
    () => project.data?.name,
    () => (tab() === 'services' ? undefined : projectText.tabs[tab()]),
  );
  useProjectHere(() => known(project)?.id);
  useChanges(() => project.data?.id);
  const group = (): TabGroup | undefined =>
    settingTabs.some((one) => one === tab())
      ? {
          label: projectText.tabs.settings,
          tabs: settingTabs.map((name) => ({ name, label: projectText.settingTabs[name], href: path(name) })),
        }
      : undefined;
  return (
    <>
      <nav class="crumbs" aria-label={t.nav.crumbs}>
        <a href="/">{t.nav.projects}</a>
      </nav>
      <Answer query={project}>
        {(data) => (
          <>
            <header class="page-head">
              <div>
                <h1>
                  {data().name} <Status state={data().status} large />
                </h1>
                <p class="quiet-text facts-line">
                  <span>{t.projects.services(data().serviceCount)}</span>
                  <Show when={data().description}>{(text) => <span>{text()}</span>}</Show>
                  <Refreshed query={project} isFollowed />
                </p>
              </div>
              <Show when={mayWrite()}>
                <a class="button primary" href={`/projects/${params.slug}/new`}>
                  <PlusIcon />
                  <span>{newServiceText.title}</span>
                </a>
              </Show>
            </header>
            <TabPage group={group()} current={tab()}>
              <Suspense>
                <Switch>
                  <Match when={tab() === 'services'}>
                    <Services project={data()} mayWrite={mayWrite()} />
                  </Match>
                  <Match when={tab() === 'logs'}>
                    <ProjectLogs project={data()} />
                  </Match>
                  <Match when={tab() === 'metrics'}>
                    <ProjectMetrics project={data()} />
                  </Match>
                  <Match when={tab() === 'settings'}>
                    <ProjectActions project={data()} mayWrite={mayWrite()} />
                  </Match>
                  <Match when={tab() === 'drains'}>
                    <LogDrains project={data()} mayWrite={mayWrite()} />
                  </Match>
                  <Match when={tab() === 'notifications'}>
                    <Notices project={data()} mayWrite={mayWrite()} />
                  </Match>
                  <Match when={tab() === 'ci'}>
                    <TrustPolicies project={data()} mayWrite={mayWrite()} />
                  </Match>
                </Switch>
              </Suspense>
            </TabPage>
          </>
        )}
      </Answer>
    </>
  );
}

/** Rows shown at first and added by each click: a project may have thousands of services. */
const rowsStep = 100;

const views = ['picture', 'table'] as const;
type View = (typeof views)[number];
const viewKey = 'longshore-project-view';
/** A picture of more services is too large for one look. */
const pictureMax = 60;

function Services(props: { project: ProjectData; mayWrite: boolean }) {
  const [chosenView, setChosenView] = createSignal(storedView());
  const view = (): View => chosenView() ?? (props.project.services.length > pictureMax ? 'table' : 'picture');
  const choose = (next: View) => {
    localStorage.setItem(viewKey, next);
    setChosenView(next);
  };
  usePageKey('v', () => choose(view() === 'table' ? 'picture' : 'table'));
  const [words, setWords] = createSignal('');
  const [rows, setRows] = createSignal(rowsStep);
  const matching = createMemo(() => {
    const wanted = words().trim().toLowerCase();
    return props.project.services.filter(({ name, primaryUrl }) =>
      [name, primaryUrl].some((text) => text.toLowerCase().includes(wanted)),
    );
  });
  const found = createMemo(() => matching().slice(0, rows()));
  const apps = () => found().filter((service) => !isDatabase(service));
  const databases = () => found().filter(isDatabase);
  return (
    <Show
      when={props.project.services.length > 0}
      fallback={
        <Show
          when={props.mayWrite}
          fallback={<Empty title={t.projects.noServices} help={t.projects.noServicesHelp} />}
        >
          <FirstService slug={props.project.slug} />
        </Show>
      }
    >
      <div class="toolbar project-views">
        <fieldset class="segmented">
          <legend class="visually-hidden">{pictureText.view}</legend>
          <For each={views}>
            {(one) => (
              <button type="button" aria-pressed={view() === one} onClick={() => choose(one)}>
                {pictureText.views[one]}
              </button>
            )}
          </For>
        </fieldset>
        <Show when={props.project.services.length > 8}>
          <Filter label={t.filter} value={words()} onInput={setWords} />
        </Show>
        <Show when={matching().length > found().length}>
          <Button class="small" onClick={() => setRows((n) => n + rowsStep)}>
            {projectText.moreOf(found().length, matching().length)}
          </Button>
        </Show>
      </div>
      <Show when={found().length > 0} fallback={<p class="quiet-text">{t.nothingFound(words())}</p>}>
        <Show
          when={view() === 'table'}
          fallback={<ProjectPicture project={props.project} services={found()} />}
        >
          <Group title={serviceText.groups.apps} services={apps()} />
          <Group title={serviceText.groups.databases} services={databases()} />
        </Show>
      </Show>
    </Show>
  );
}

function storedView(): View | undefined {
  const stored = localStorage.getItem(viewKey);
  return views.find((one) => one === stored);
}

function Group(props: { title: string; services: readonly Service[] }) {
  return (
    <Show when={props.services.length > 0}>
      <section>
        <h2 class="section-title">{props.title}</h2>
        <ServiceTable services={props.services} label={props.title} />
      </section>
    </Show>
  );
}

/** The address at which other services of the project reach a database. */
const InsideAddress = (props: { service: Service }) => (
  <Show when={isDatabase(props.service)} fallback={<span class="quiet-text nothing">–</span>}>
    <code class="quiet-text">{`${props.service.slug}:${props.service.internalPort}`}</code>
  </Show>
);

function ServiceTable(props: { services: readonly Service[]; label: string }) {
  return (
    <table class="rows services" aria-label={props.label}>
      <thead>
        <tr>
          <th>{serviceText.name}</th>
          <th>{serviceText.state}</th>
          <th>{serviceText.address}</th>
          <th class="end">{serviceText.deployed}</th>
        </tr>
      </thead>
      <tbody>
        <Rows each={props.services}>
          {(service) => (
            <tr>
              <td>
                <a class="row-link" href={`/services/${service().id}`}>
                  {service().name}
                </a>
                <small class="quiet-text">
                  {kindText(service())} · {sourceText(service())}
                </small>
              </td>
              <td>
                <Status state={service().status} />
              </td>
              <td class="address">
                <Show when={service().primaryUrl} fallback={<InsideAddress service={service()} />}>
                  <OutsideLink href={service().primaryUrl} />
                </Show>
              </td>
              <td class="end quiet-text">
                <Show when={service().lastDeployedAt} fallback={serviceText.neverDeployed}>
                  {(at) => <Age at={at()} />}
                </Show>
              </td>
            </tr>
          )}
        </Rows>
      </tbody>
    </table>
  );
}
