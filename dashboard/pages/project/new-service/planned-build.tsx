/** The head of a plan: what the source is, how it is built, and which branch and folder of it. */
import { For } from 'solid-js';
import { newServiceText as texts } from '../../../text/new-service-text.ts';
import { Button } from '../../../ui/button.tsx';
import { ChoiceField } from '../../../ui/field.tsx';
import { Show } from '../../../ui/show.ts';
import type { Plan, ReadSource } from './plan-types.ts';

interface Props {
  read: ReadSource;
  busy: boolean;
  onAgain(change: { branch?: string; root?: string | undefined }): void;
  onLeave(): void;
}

/** More would hide what follows; the rest is in the select. */
const branchesMax = 100;

export function PlannedBuild(props: Props) {
  const { plan, folder } = props.read;
  const facts = () => factsOf(plan);
  const source = () =>
    plan.imageRef ?? folder?.name ?? (plan.repoUrl ?? '').replace(/^https:\/\/|\.git$/g, '');
  return (
    <section class="panel stack planned" aria-busy={props.busy}>
      <header>
        <span class="mark framework" aria-hidden="true">
          {initials(plan)}
        </span>
        <div>
          <h2>{builtText(plan)}</h2>
          <p class="quiet-text facts-line">
            <span>{source()}</span>
            <Show when={plan.commitSha}>
              {(sha) => <span>{texts.commit(plan.branch ?? '', sha().slice(0, 7))}</span>}
            </Show>
            <Show when={folder}>{(dropped) => <span>{texts.files(dropped().files.length)}</span>}</Show>
            <Show when={plan.obstacle === null}>
              <span>{texts.kinds[plan.kind]}</span>
            </Show>
          </p>
        </div>
        <Button class="small" onClick={props.onLeave}>
          {texts.another}
        </Button>
      </header>
      <Show when={facts().length > 0}>
        <dl class="facts">
          <For each={facts()}>
            {([label, value]) => (
              <div>
                <dt>{label}</dt>
                <dd>
                  <code>{value}</code>
                </dd>
              </div>
            )}
          </For>
        </dl>
      </Show>
      <Show when={plan.folders.length > 0}>
        <fieldset class="folders">
          <legend>{texts.folders}</legend>
          <div class="chips">
            <FolderChip
              text={texts.top}
              isChosen={plan.rootDir === null}
              onChosen={() => props.onAgain({ root: undefined })}
            />
            <For each={plan.folders}>
              {(one) => (
                <FolderChip
                  text={one.path}
                  what={one.what}
                  isChosen={plan.rootDir === one.path}
                  onChosen={() => props.onAgain({ root: one.path })}
                />
              )}
            </For>
          </div>
          <small class="quiet-text">{texts.foldersHelp(plan.folders.length)}</small>
        </fieldset>
      </Show>
      <Show when={plan.branches.length > 1}>
        <ChoiceField
          label={texts.branch}
          choices={plan.branches.slice(0, branchesMax).map((value) => ({ value, text: value }))}
          failure={undefined}
          value={plan.branch ?? ''}
          onInput={(branch) => props.onAgain({ branch, root: plan.rootDir ?? undefined })}
        />
      </Show>
    </section>
  );
}

function FolderChip(props: { text: string; what?: string; isChosen: boolean; onChosen(): void }) {
  return (
    <button type="button" class="chip" aria-pressed={props.isChosen} onClick={props.onChosen}>
      <span>{props.text}</span>
      <Show when={props.what}>{(what) => <small>{what()}</small>}</Show>
    </button>
  );
}

/** `nextjs` as people write it; what is not listed is shown as it is. */
const names: Readonly<Record<string, string>> = {
  ...{
    nextjs: 'Next.js',
    nuxt: 'Nuxt',
    sveltekit: 'SvelteKit',
    nestjs: 'NestJS',
    express: 'Express',
    remix: 'Remix',
  },
  ...{
    astro: 'Astro',
    vite: 'Vite',
    angular: 'Angular',
    django: 'Django',
    flask: 'Flask',
    fastapi: 'FastAPI',
  },
  ...{
    rails: 'Rails',
    laravel: 'Laravel',
    phoenix: 'Phoenix',
    spring: 'Spring',
    node: 'Node.js',
    python: 'Python',
  },
  ...{
    go: 'Go',
    rust: 'Rust',
    php: 'PHP',
    ruby: 'Ruby',
    java: 'Java',
    deno: 'Deno',
    dotnet: '.NET',
    elixir: 'Elixir',
  },
  ...{
    static: 'plain files',
    'static-files': 'plain files',
    hugo: 'Hugo',
    shell: 'a shell script',
    native: 'C or C++',
  },
};
const nameOf = (id: string) => names[id] ?? id;

function builtText(plan: Plan): string {
  if (plan.builtBy === 'image') return texts.built.image;
  if (plan.builtBy === 'dockerfile') return texts.built.dockerfile(plan.dockerfilePath ?? 'Dockerfile');
  const what = plan.framework ?? plan.language;
  if (what === null && plan.folders.length > 0) return texts.built.folder;
  return what === null ? texts.built.unknown : texts.built.analyzer(nameOf(what));
}

/** Two letters in the tile: `Ne` for Next.js. */
function initials(plan: Plan): string {
  const what = plan.framework ?? plan.language;
  if (plan.builtBy === 'image') return 'Im';
  if (plan.builtBy === 'dockerfile') return 'Do';
  return what === null
    ? '?'
    : nameOf(what)
        .replace(/^\W|plain /, '')
        .slice(0, 2);
}

const factsOf = (plan: Plan): [string, string][] =>
  (
    [
      [texts.facts.install, plan.installCommand],
      [texts.facts.build, plan.buildCommand],
      [texts.facts.start, plan.startCommand],
      [texts.facts.release, plan.releaseCommand],
      [texts.facts.output, plan.staticOutput],
      [texts.facts.user, plan.user],
    ] as const
  ).flatMap(([label, value]) => (value === null ? [] : [[label, value] as [string, string]]));
