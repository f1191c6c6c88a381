/** The bar beside every page: search, the main places, the project of the page, and the account. On a phone its places are a bar at the bottom. */
import { useLocation } from '@solidjs/router';
import { createMemo, For } from 'solid-js';
import { known } from '../api/known.ts';
import { isOperator } from '../api/operator.ts';
import { type Project, useProjects } from '../api/queries.ts';
import { attentionText } from '../text/attention-text.ts';
import { t } from '../text/text.ts';
import { BellIcon, BookIcon, HomeIcon, PersonIcon, SearchIcon, ServerIcon } from '../ui/icons.tsx';
import { Show } from '../ui/show.ts';
import { StatusDot } from '../ui/status.tsx';
import { AccountMenu } from './account-menu.tsx';
import { projectHere } from './place.ts';
import { projectPages, sideText } from './shell-text.ts';
import { SideMenu } from './side-menu.tsx';

export function SideBar(props: { troubles: number; onPalette(): void }) {
  const { pathname } = useParts();
  const isAt = (path: string) => (path === '/' ? pathname() === '/' : pathname().startsWith(path));
  const current = (path: string) => (isAt(path) ? 'page' : undefined);
  return (
    <header class="side">
      <a class="brand" href="/">
        <img src="/dashboard/icon.svg" alt="" width="24" height="24" />
        <span>{t.product}</span>
      </a>
      <nav class="places" aria-label={t.nav.main}>
        <button type="button" class="search-button" aria-keyshortcuts="Control+K" onClick={props.onPalette}>
          <SearchIcon />
          <span>{t.nav.search}</span>
          <kbd>Ctrl K</kbd>
        </button>
        <a href="/" aria-current={current('/')}>
          <HomeIcon />
          <span>{t.nav.projects}</span>
          <Show when={props.troubles}>
            {(number) => (
              <span class="badge trouble" role="img" aria-label={attentionText.number(number())}>
                {number()}
              </span>
            )}
          </Show>
        </a>
        <a href="/alerts" aria-current={current('/alerts')}>
          <BellIcon />
          <span>{t.nav.alerts}</span>
        </a>
        <Show when={isOperator()}>
          <a href="/operator/hosts" aria-current={current('/operator')}>
            <ServerIcon />
            <span>{t.nav.operator}</span>
          </a>
        </Show>
        <a class="of-phone" href="/settings" aria-current={current('/settings')}>
          <PersonIcon />
          <span>{t.nav.account}</span>
        </a>
      </nav>
      <ProjectNav />
      <div class="side-end">
        <a href="/docs" rel="external">
          <BookIcon />
          <span>{t.nav.docs}</span>
        </a>
        <AccountMenu />
      </div>
    </header>
  );
}

function useParts() {
  const location = useLocation();
  return { pathname: () => location.pathname };
}

/** The project of the page: its pages, and the way to another project. */
function ProjectNav() {
  const { pathname } = useParts();
  const projects = useProjects();
  const project = createMemo(() => known(projects)?.find(({ id }) => id === projectHere()));
  return (
    <Show when={project()}>
      {(here) => (
        <div class="side-project" classList={{ 'at-project': pathname().startsWith('/projects/') }}>
          <Switcher current={here()} projects={known(projects) ?? []} />
          <nav aria-label={here().name}>
            <For each={projectPages}>
              {({ name, label, others }) => {
                const base = () => `/projects/${here().slug}`;
                const href = () => (name === '' ? base() : `${base()}/${name}`);
                const isCurrent = () =>
                  [name, ...others].some((one) => pathname() === (one === '' ? base() : `${base()}/${one}`));
                return (
                  <a href={href()} aria-current={isCurrent() ? 'page' : undefined}>
                    {label}
                  </a>
                );
              }}
            </For>
          </nav>
        </div>
      )}
    </Show>
  );
}

/** The other projects in a list that opens below the name of this one. */
function Switcher(props: { current: Project; projects: readonly Project[] }) {
  return (
    <SideMenu
      class="switcher"
      label={sideText.otherProject(props.current.name)}
      summary={
        <>
          <StatusDot state={props.current.status} />
          <strong>{props.current.name}</strong>
        </>
      }
    >
      <ul>
        <For each={props.projects}>
          {(project) => (
            <li>
              <a
                href={`/projects/${project.slug}`}
                aria-current={project.id === props.current.id ? 'true' : undefined}
              >
                <StatusDot state={project.status} />
                <span>{project.name}</span>
              </a>
            </li>
          )}
        </For>
        <li>
          <a href="/">{sideText.allProjects}</a>
        </li>
      </ul>
    </SideMenu>
  );
}
