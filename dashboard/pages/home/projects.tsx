/** All projects with their services and states: the first page. */
import { useNavigate } from '@solidjs/router';
import { createMemo, createSignal } from 'solid-js';
import { type AttentionItem, useAttention } from '../../api/attention.ts';
import { useChanges } from '../../api/changes.ts';
import { known } from '../../api/known.ts';
import { type Project, type Service, useKey, useProjects } from '../../api/queries.ts';
import { type Traffic, useTraffic } from '../../api/traffic.ts';
import { usePageCommands } from '../../shell/commands.ts';
import { useTitle } from '../../shell/title.ts';
import { serviceText } from '../../text/service-text.ts';
import { t } from '../../text/text.ts';
import { Age } from '../../ui/age.tsx';
import { Answer } from '../../ui/answer.tsx';
import { Button } from '../../ui/button.tsx';
import { Filter } from '../../ui/filter.tsx';
import { PlusIcon } from '../../ui/icons.tsx';
import { OutsideLink } from '../../ui/outside-link.tsx';
import { Refreshed } from '../../ui/refreshed.tsx';
import { Rows } from '../../ui/rows.tsx';
import { kindText } from '../../ui/service-kind.ts';
import { Show } from '../../ui/show.ts';
import { Sparkline } from '../../ui/sparkline.tsx';
import { Status, StatusDot } from '../../ui/status.tsx';
import { Now } from '../service/now.tsx';
import { NewProject } from './new-project.tsx';

/** Services shown for one project; the others are one click away. */
const servicesShownMax = 8;

export function Projects() {
  useTitle(() => t.projects.title);
  useChanges(() => 'all');
  const navigate = useNavigate();
  const projects = useProjects();
  const key = useKey();
  const [words, setWords] = createSignal('');
  const [creating, setCreating] = createSignal(false);
  const mayCreate = () => key.data?.may.includes('create-projects') === true;
  usePageCommands(() => (mayCreate() ? [{ label: t.projects.create, run: () => setCreating(true) }] : []));
  const attention = useAttention();
  const traffic = useTraffic(() => undefined);
  const found = createMemo(() =>
    byTrouble(matching(projects.data ?? [], words()), known(attention)?.attention ?? []),
  );
  const services = () => (projects.data ?? []).reduce((sum, { serviceCount }) => sum + serviceCount, 0);
  return (
    <>
      <header class="page-head">
        <div>
          <h1>{t.projects.title}</h1>
          <Show when={projects.data}>
            {(all) => (
              <p class="quiet-text">
                {t.projects.summary(all().length, services())} · <Refreshed query={projects} isFollowed />
              </p>
            )}
          </Show>
        </div>
        <div class="actions">
          <Filter label={t.projects.filter} value={words()} onInput={setWords} />
          <Show when={mayCreate()}>
            <Button kind="primary" icon={PlusIcon} onClick={() => setCreating(true)}>
              {t.projects.create}
            </Button>
          </Show>
        </div>
      </header>
      <Now />
      <Answer query={projects}>
        {(all) => (
          <Show
            when={all().length > 0}
            fallback={<NoProjects mayCreate={mayCreate()} onCreate={() => setCreating(true)} />}
          >
            <Show when={found().length > 0} fallback={<p class="quiet-text">{t.nothingFound(words())}</p>}>
              <ul class="projects">
                <Rows each={found()}>
                  {(project) => <ProjectRow project={project()} trafficOf={traffic} />}
                </Rows>
              </ul>
            </Show>
          </Show>
        )}
      </Answer>
      <Show when={creating()}>
        <NewProject onClose={() => setCreating(false)} onCreated={(slug) => navigate(`/projects/${slug}`)} />
      </Show>
    </>
  );
}

/** Projects whose names match, with all services; other projects only with their matching services. */
function matching(projects: readonly Project[], words: string): Project[] {
  const wanted = words.trim().toLowerCase();
  if (wanted === '') return [...projects];
  const has = (text: string) => text.toLowerCase().includes(wanted);
  return projects.flatMap((project) => {
    if (has(project.name)) return [project];
    const services = project.services.filter(({ name, primaryUrl }) => has(name) || has(primaryUrl));
    return services.length > 0 ? [{ ...project, services }] : [];
  });
}

/** Failed services first, then services in progress, because a card shows only some. */
const needs: Partial<Record<Service['status'], number>> = { failed: 0, crashed: 0, queued: 1, building: 1 };
const otherNeed = 2;
const needOf = ({ status }: Service) => needs[status] ?? otherNeed;
const byNeed = (services: readonly Service[]) => services.toSorted((a, b) => needOf(a) - needOf(b));

/** Projects with problems that nobody has taken on first, the worst before the others; then by their last deployment. */
function byTrouble(projects: readonly Project[], items: readonly AttentionItem[]): Project[] {
  const severities = ['warning', 'failing', 'down'];
  const open = items.filter(({ acknowledgedAt }) => acknowledgedAt === null);
  const troubleOf = ({ id }: Project) =>
    Math.max(
      0,
      ...open
        .filter(({ projectId }) => projectId === id)
        .map(({ severity }) => severities.indexOf(severity) + 1),
    );
  const lastOf = ({ services }: Project) =>
    Math.max(
      0,
      ...services.map(({ lastDeployedAt }) => (lastDeployedAt === null ? 0 : Date.parse(lastDeployedAt))),
    );
  return projects.toSorted((a, b) => troubleOf(b) - troubleOf(a) || lastOf(b) - lastOf(a));
}

function ProjectRow(props: { project: Project; trafficOf(serviceId: string): Traffic | undefined }) {
  const shown = () => byNeed(props.project.services).slice(0, servicesShownMax);
  const hidden = () => props.project.serviceCount - shown().length;
  const address = () => props.project.services.find(({ primaryUrl }) => primaryUrl !== '')?.primaryUrl;
  const last = () =>
    props.project.services
      .flatMap(({ lastDeployedAt }) => lastDeployedAt ?? [])
      .toSorted()
      .at(-1);
  const traffic = () => sumOfTraffic(props.project.services.flatMap(({ id }) => props.trafficOf(id) ?? []));
  return (
    <li>
      <div class="project-head">
        <h2>
          <a class="card-link" href={`/projects/${props.project.slug}`}>
            {props.project.name}
          </a>
        </h2>
        <Status state={props.project.status} />
        <Show when={props.project.description}>{(text) => <p class="quiet-text clamp">{text()}</p>}</Show>
      </div>
      <div class="project-facts">
        <Show when={address()}>{(url) => <OutsideLink href={url()} />}</Show>
        <span class="quiet-text">
          <Show when={last()} fallback={serviceText.neverDeployed}>
            {(at) => (
              <>
                {serviceText.deployed} <Age at={at()} />
              </>
            )}
          </Show>
        </span>
      </div>
      <div class="project-traffic">
        <Show when={traffic()}>{(sum) => <Sparkline traffic={sum()} />}</Show>
      </div>
      <ul class="service-chips">
        <Rows each={shown()} fallback={<li class="quiet-text">{t.projects.noServices}</li>}>
          {(service) => (
            <li>
              <a href={`/services/${service().id}`}>
                <StatusDot state={service().status} />
                <span class="name">{service().name}</span>
                <span class="quiet-text">{kindText(service())}</span>
              </a>
            </li>
          )}
        </Rows>
        <Show when={hidden() > 0}>
          <li>
            <a class="quiet-text" href={`/projects/${props.project.slug}`}>
              {t.projects.moreServices(hidden())}
            </a>
          </li>
        </Show>
      </ul>
    </li>
  );
}

/** @returns undefined if none had traffic */
function sumOfTraffic(all: readonly Traffic[]): Traffic | undefined {
  const [first] = all;
  if (first === undefined) return undefined;
  const sum = (name: keyof Traffic) =>
    first[name].map((_, index) => all.reduce((total, one) => total + (one[name][index] ?? 0), 0));
  return { requests: sum('requests'), errors: sum('errors') };
}

function NoProjects(props: { mayCreate: boolean; onCreate(): void }) {
  return (
    <div class="empty">
      <h2>{t.projects.empty}</h2>
      <p>{props.mayCreate ? t.projects.emptyHelp : t.projects.readOnly}</p>
      <Show when={props.mayCreate}>
        <Button kind="primary" onClick={props.onCreate}>
          {t.projects.create}
        </Button>
      </Show>
    </div>
  );
}
