/** Repositories to choose from: those that GitHub Apps may read, and those of other services. */

import { createMemo, For } from 'solid-js';
import { api } from '../../../api/client.ts';
import { useProjects } from '../../../api/queries.ts';
import { useQuery } from '../../../api/use-query.ts';
import { newServiceText as texts } from '../../../text/new-service-text.ts';
import { Show } from '../../../ui/show.ts';

interface Known {
  /** As it is shown. */
  name: string;
  source: string;
  isPrivate: boolean;
  of: 'app' | 'service';
}

/** More rows would hide the rest of the page. */
const rowsMax = 8;

export function KnownRepositories(props: { words: string; onChosen(source: string): void }) {
  const projects = useProjects();
  const ofApps = useQuery(() => ({
    queryKey: ['credentials', 'app-repositories'],
    retry: false,
    staleTime: 60_000,
    queryFn: async ({ signal }) => {
      const { githubApps } = await api.call('GET /api/github-apps', { signal });
      const lists = githubApps
        .filter(({ registered }) => registered)
        .map(({ id }) =>
          api
            .call('GET /api/github-apps/:githubAppId/repositories', { params: { githubAppId: id }, signal })
            .then(
              ({ repositories }) => repositories,
              () => [], // not installed yet, or GitHub does not answer: the field still takes addresses
            ),
        );
      return { apps: githubApps.length, repositories: (await Promise.all(lists)).flat() };
    },
  }));
  const all = createMemo((): Known[] => {
    const apps = ofApps.isSuccess ? ofApps.data.repositories : [];
    const found: Known[] = apps
      .filter(({ archived }) => !archived)
      .map((one) => ({ name: one.fullName, source: one.url, isPrivate: one.private, of: 'app' }));
    const services = projects.isSuccess ? projects.data.flatMap((project) => project.services) : [];
    for (const { repoUrl, imageRef } of services) {
      const source = repoUrl === 'container-image' ? (imageRef ?? '') : repoUrl;
      if (source === '' || repoUrl === 'database' || repoUrl === 'upload') continue;
      if (!found.some((one) => same(one.source) === same(source)))
        found.push({ name: short(source), source, isPrivate: false, of: 'service' });
    }
    return found;
  });
  const shown = createMemo(() => {
    const words = props.words.trim().toLowerCase();
    return all()
      .filter(({ name }) => name.toLowerCase().includes(words))
      .slice(0, rowsMax);
  });
  const group = (of: Known['of']) => shown().filter((one) => one.of === of);
  return (
    <>
      <Group title={texts.ofApp} all={group('app')} onChosen={props.onChosen} />
      <Group title={texts.recent} all={group('service')} onChosen={props.onChosen} />
      <Show when={ofApps.isSuccess && ofApps.data.apps === 0}>
        <p class="quiet-text connect">
          <a href="/credentials">{texts.connect}</a> <span>{texts.connectHelp}</span>
        </p>
      </Show>
    </>
  );
}

function Group(props: { title: string; all: readonly Known[]; onChosen(source: string): void }) {
  return (
    <Show when={props.all.length > 0}>
      <section class="known">
        <h2>{props.title}</h2>
        <ul class="plain-list">
          <For each={props.all}>
            {(one) => (
              <li>
                <button type="button" class="row-button" onClick={() => props.onChosen(one.source)}>
                  <span>{one.name}</span>
                  <Show when={one.isPrivate}>
                    <span class="tag">{texts.private}</span>
                  </Show>
                </button>
              </li>
            )}
          </For>
        </ul>
      </section>
    </Show>
  );
}

const same = (source: string) => source.toLowerCase().replace(/\.git$/, '');
const short = (source: string) => source.replace(/^https?:\/\/(?:github\.com\/)?/, '').replace(/\.git$/, '');
