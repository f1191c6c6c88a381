/** Creates a service: its source is read first, and then one page shows what it becomes and what it needs. */
import { useNavigate, useParams, useSearchParams } from '@solidjs/router';
import { createEffect, createMemo, createSignal, on, onCleanup } from 'solid-js';
import { LongshoreError } from '../../../../client/client.ts';
import { filesOfPlan } from '../../../../client/plan-files.ts';
import { api, sentenceOf } from '../../../api/client.ts';
import { known } from '../../../api/known.ts';
import { mayIn } from '../../../api/may.ts';
import { useKey, useProject } from '../../../api/queries.ts';
import { waitAgainMs } from '../../../api/wait-again.ts';
import { useUp } from '../../../shell/commands.ts';
import { useProjectHere } from '../../../shell/place.ts';
import { useTitle } from '../../../shell/title.ts';
import '../../../styles/new-service.css';
import { newServiceText as texts } from '../../../text/new-service-text.ts';
import { t } from '../../../text/text.ts';
import { Answer } from '../../../ui/answer.tsx';
import { Empty } from '../../../ui/empty.tsx';
import { Show } from '../../../ui/show.ts';
import { attempt } from '../../../ui/toasts.tsx';
import { ChooseSource } from './choose-source.tsx';
import { createDatabase } from './create-service.ts';
import type { DroppedFolder } from './folder/dropped-folder.ts';
import { NoPlan } from './no-plan.tsx';
import type { PlanBody, Problem, ReadSource } from './plan-types.ts';
import { SourcePlan } from './source-plan.tsx';

type Address = { source?: string; branch?: string; root?: string };

/** A host reads each source for at most 50 s, so a place is free within this many pauses of 3 s. */
const triesMax = 20;

export function NewService() {
  const params = useParams<{ slug: string }>();
  const navigate = useNavigate();
  const [search, setSearch] = useSearchParams<Address>();
  const project = useProject(() => params.slug);
  // A project changes while somebody types; only another address or folder is read again.
  const projectId = createMemo(() => known(project)?.id);
  const key = useKey();
  const mayNot = () => key.data !== undefined && !mayIn(key.data, project.data?.id, 'write');
  const [folder, setFolder] = createSignal<DroppedFolder>();
  const [token, setToken] = createSignal('');
  const [reading, setReading] = createSignal(false);
  const [isQueued, setQueued] = createSignal(false);
  const [read, setRead] = createSignal<ReadSource>();
  const [problem, setProblem] = createSignal<Problem>();
  let asked = 0;
  useTitle(() => texts.title);
  useUp(() => `/projects/${params.slug}`);
  useProjectHere(() => projectId());

  /** @returns undefined if another source was asked for meanwhile @throws LongshoreError as the route */
  const answerOf = async (projectId: string, body: PlanBody, mine: number) => {
    for (let tries = 1; ; tries++) {
      try {
        return await api.call('POST /api/projects/:projectId/source-plans', { params: { projectId }, body });
      } catch (error) {
        const isBusy =
          error instanceof LongshoreError && error.status === 503 && error.retryAfterSeconds !== undefined;
        if (!isBusy || tries === triesMax) throw error;
        if (mine === asked) setQueued(true);
        await new Promise((resolve) => setTimeout(resolve, waitAgainMs(0, error)));
        if (mine !== asked) return undefined;
      }
    }
  };
  const readSource = async (wanted: Address, dropped: DroppedFolder | undefined) => {
    const mine = ++asked;
    setProblem();
    setQueued(false);
    setReading(true);
    try {
      const body = { ...(await sourceOf(wanted, dropped)), ...(wanted.root ? { rootDir: wanted.root } : {}) };
      const login = token() === '' || dropped ? {} : { gitToken: token() };
      const reply = await answerOf(projectId() ?? '', { ...body, ...login }, mine);
      if (reply === undefined || mine !== asked) return;
      setProblem(reply.problem ?? undefined);
      setRead(reply.plan ? { plan: reply.plan, gitToken: token(), folder: dropped } : undefined);
    } catch (error) {
      if (mine !== asked) return;
      setRead();
      const isNone = error instanceof LongshoreError && /"source"/.test(error.message);
      setProblem({ reason: 'unreadable', message: isNone ? texts.noAddress : sentenceOf(error) });
    }
    setReading(false);
  };
  // The address of the page names the source, so that going back and coming back work.
  createEffect(
    on([() => search.source, () => search.branch, () => search.root, projectId, folder], () => {
      const { source, branch, root } = search;
      if (projectId() === undefined || mayNot()) return;
      if (source || folder())
        void readSource(
          { ...(source ? { source } : {}), ...(branch ? { branch } : {}), ...(root ? { root } : {}) },
          folder(),
        );
      else leave();
    }),
  );
  onCleanup(() => {
    asked += 1;
  });
  const leave = () => {
    asked += 1;
    setReading(false);
    setRead();
    setProblem();
  };
  const startOver = () => {
    setFolder();
    setToken('');
    setSearch({ source: undefined, branch: undefined, root: undefined });
    leave();
  };
  const again = (change: Address) => setSearch(change);
  const database = (engine: string) =>
    attempt(async () => {
      const { deployment } = await createDatabase(projectId() ?? '', {
        name: project.data?.services.some(({ slug }) => slug === 'db') ? engine : 'db',
        repoFullName: `database:${engine}`,
      });
      navigate(`/deployments/${deployment.id}`);
    });
  const what = () => search.source ?? folder()?.name ?? '';
  return (
    <div class="narrow stack new-service">
      <nav class="crumbs" aria-label={t.nav.crumbs}>
        <a href="/">{t.nav.projects}</a>
        <a href={`/projects/${params.slug}`}>{project.data?.name ?? params.slug}</a>
      </nav>
      <h1>{texts.title}</h1>
      <Answer query={project}>
        {(data) => (
          <Show when={!mayNot()} fallback={<Empty title={texts.mayNot} help={texts.mayNotHelp} />}>
            <Show
              keyed
              when={read()}
              fallback={
                <>
                  <Show when={reading()}>
                    <div class="panel reading" role="status">
                      <span class="spinner" aria-hidden="true" />
                      <p>
                        <strong>{texts.reading(what())}</strong>
                        <span class="quiet-text">{isQueued() ? texts.readingQueued : texts.readingHelp}</span>
                      </p>
                    </div>
                  </Show>
                  <Show keyed when={problem()}>
                    {(found) => (
                      <NoPlan
                        problem={found}
                        source={search.source ?? ''}
                        token={token()}
                        busy={reading()}
                        onToken={setToken}
                        onAgain={() => void readSource({ ...search }, folder())}
                        onLeave={startOver}
                      />
                    )}
                  </Show>
                  <Show when={!reading() && !problem()}>
                    <ChooseSource
                      onSource={(source) => setSearch({ source, branch: undefined, root: undefined })}
                      onFolder={setFolder}
                      onDatabase={database}
                    />
                  </Show>
                </>
              }
            >
              {(found) => (
                <SourcePlan
                  project={data()}
                  read={found}
                  busy={reading()}
                  onAgain={again}
                  onLeave={startOver}
                />
              )}
            </Show>
          </Show>
        )}
      </Answer>
    </div>
  );
}

async function sourceOf({ source, branch }: Address, folder: DroppedFolder | undefined): Promise<PlanBody> {
  if (!folder) return { ...(source ? { source } : {}), ...(branch ? { branch } : {}) };
  const byPath = new Map(folder.files.map(({ path, file }) => [path, file]));
  const chosen = filesOfPlan(folder.files.map(({ path, file }) => ({ path, size: file.size })));
  const texts = await Promise.all(
    chosen.texts.map(async (path) => ({ path, text: (await byPath.get(path)?.text()) ?? '' })),
  );
  return { files: { paths: chosen.paths, texts: texts.filter(({ text }) => !text.includes('\0')) } };
}
