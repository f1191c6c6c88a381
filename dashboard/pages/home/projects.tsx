/** All projects with their services and states: the first page. */
import { useNavigate } from '@solidjs/router';
import { createMemo, createSignal } from 'solid-js';
import { useChanges } from '../../api/changes.ts';
import { type Project, type Service, useKey, useProjects } from '../../api/queries.ts';
import { usePageCommands } from '../../shell/commands.ts';
import { useTitle } from '../../shell/title.ts';
import { serviceText } from '../../text/service-text.ts';
import { t } from '../../text/text.ts';
import { Age } from '../../ui/age.tsx';
import { Answer } from '../../ui/answer.tsx';
import { Button } from '../../ui/button.tsx';
import { Filter } from '../../ui/filter.tsx';
import { PlusIcon } from '../../ui/icons.tsx';
import { Refreshed } from '../../ui/refreshed.tsx';
import { Rows } from '../../ui/rows.tsx';
import { kindText } from '../../ui/service-kind.ts';
import { Show } from '../../ui/show.ts';
import { Status, StatusDot } from '../../ui/status.tsx';
import { Now } from '../service/now.tsx';
import { NewProject } from './new-project.tsx';

/** Services shown in one card; the others are one click away. */
const servicesShownMax = 6;

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
  const found = createMemo(() => matching(projects.data ?? [], words()));
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
              <ul class="cards">
                <Rows each={found()}>{(project) => <ProjectCard project={project()} />}</Rows>
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

function ProjectCard(props: { project: Project }) {
  const shown = () => byNeed(props.project.services).slice(0, servicesShownMax);
  const hidden = () => props.project.serviceCount - shown().length;
  return (
    <li class="card">
      <header>
        <h2>
          <a class="card-link" href={`/projects/${props.project.slug}`}>
            {props.project.name}
          </a>
        </h2>
        <Status state={props.project.status} />
      </header>
      <Show when={props.project.description}>
        <p class="quiet-text clamp">{props.project.description}</p>
      </Show>
      <ul class="service-lines">
        <Rows each={shown()} fallback={<li class="quiet-text">{t.projects.noServices}</li>}>
          {(service) => <ServiceLine service={service()} />}
        </Rows>
      </ul>
      <Show when={hidden() > 0}>
        <a class="quiet-text more" href={`/projects/${props.project.slug}`}>
          {t.projects.moreServices(hidden())}
        </a>
      </Show>
    </li>
  );
}

function ServiceLine(props: { service: Service }) {
  return (
    <li>
      <a href={`/services/${props.service.id}`}>
        <StatusDot state={props.service.status} />
        <span class="name">{props.service.name}</span>
        <span class="quiet-text">{kindText(props.service)}</span>
      </a>
      <span class="quiet-text">
        <Show when={props.service.lastDeployedAt} fallback={serviceText.neverDeployed}>
          {(at) => <Age at={at()} />}
        </Show>
      </span>
    </li>
  );
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
