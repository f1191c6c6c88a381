/** Elixir: a release that includes Erlang. https://hexdocs.pm/mix/Mix.Tasks.Release.html */
import { build, env, install, present, run, served } from '../plan-parts.ts';
import type { ProjectFiles } from '../project-files.ts';
import { AnalyzerError, type Provider } from '../provider.ts';
import { chooseVersion, toolVersion, versionFile, versionIn } from '../version-files.ts';
import { frontEndSteps } from './front-end.ts';

/** Libraries that Erlang's emulator and crypto are linked to. */
const libraries = ['ca-certificates', 'libncurses6', 'libssl3', 'libstdc++6'];

/** The migration module that `mix phx.gen.release` writes for use without Mix: https://hexdocs.pm/phoenix/releases.html */
function migrationOf(files: ProjectFiles): string | null {
  const texts = files
    .list('lib')
    .filter((name) => name.endsWith('/'))
    .map((name) => files.read(`lib/${name}release.ex`) ?? '');
  const text = texts.find((one) => /^\s*def migrate\b/m.test(one)) ?? '';
  const module = /^defmodule ([\w.]+)/m.exec(text)?.[1];
  const release = releaseOf(files.read('mix.exs') ?? '');
  return module && release ? `/app/bin/${release} eval "${module}.migrate"` : null;
}

/** An umbrella has several apps: https://hexdocs.pm/mix/Mix.Tasks.Release.html#module-umbrellas */
const withoutRelease = (project: string) =>
  /\bapps_path:/.test(project)
    ? 'mix.exs is an umbrella without a release: add releases: [name: [applications: [app: :permanent]]] to project/0.'
    : 'mix.exs has no app name: add app: :name to project/0.';

const releaseOf = (project: string) =>
  (/releases:\s*\[\s*:?"?(\w+)"?:/.exec(project) ?? /\bapp:\s*:(\w+)/.exec(project))?.[1];

export const elixir: Provider = {
  name: 'elixir',
  fits: (files) => files.has('mix.exs'),
  /** The final image has the release, but not Mix. */
  procfileStart(command, files) {
    if (/\bmix phx\.server\b|_build\/prod\/rel\//.test(command)) return null;
    const migrate = /\bmix ecto\.migrate\b/.test(command) ? migrationOf(files) : null;
    return migrate ?? command;
  },
  plan(files, overrides) {
    const project = files.read('mix.exs') ?? '';
    const { version, from } = chooseVersion(
      ['1.18', '1.19', '1.17', '1.16', '1.15', '1.14'],
      [
        ['ELIXIR_VERSION', overrides.env.ELIXIR_VERSION],
        versionFile(files, '.elixir-version'),
        toolVersion(files, 'elixir'),
        versionIn(files, 'mix.exs', /elixir:\s*"([^"]+)"/),
      ],
    );
    const release = releaseOf(project);
    const hasDependencies = files.has('mix.lock') || /\{:\w+,\s*("|path:|git:|github:|[><~=])/.test(project);
    const isPhoenix = /\{:phoenix,/.test(project);
    const hasAssets = /"?assets\.deploy"?:/.test(project);
    const manifests = [
      ...present(files, ['mix.exs', 'mix.lock', 'config/config.exs', 'config/prod.exs']),
      // Dependencies inside the repository are compiled with the others.
      ...(/\bpath:\s*"/.test(project) ? ['.'] : []),
    ];
    const frontEnd = frontEndSteps(files, { directory: 'assets', builds: !hasAssets });
    const packages = hasDependencies ? ['build-essential', 'ca-certificates', 'git'] : [];
    return {
      provider: 'elixir',
      framework: isPhoenix ? 'phoenix' : null,
      notes: [`Elixir ${version} (${from})`, ...(release ? [`Release: ${release}`] : [])],
      build: {
        image: { name: 'elixir', version },
        packages,
        steps: [
          env({ MIX_ENV: 'prod', LANG: 'C.UTF-8' }),
          ...(/\{:\w+,\s*"|hex:/.test(project)
            ? [run('mix local.hex --force && mix local.rebar --force')]
            : []),
          ...install(
            manifests.includes('.') ? [] : manifests,
            hasDependencies ? [run('mix deps.get --only prod && mix deps.compile')] : [],
            overrides,
          ),
          ...build(
            [
              ...frontEnd,
              ...(hasAssets ? [run('mix assets.deploy')] : []),
              ...(frontEnd.length > 0 && !hasAssets && isPhoenix ? [run('mix phx.digest')] : []),
              run('mix release --overwrite --path /release'),
            ],
            overrides,
          ),
        ],
      },
      output: served(() => {
        if (!release) throw new AnalyzerError(withoutRelease(project));
        const isOwn = Boolean(overrides.buildCommand);
        const directory = isOwn ? `/app/_build/prod/rel/${release}/` : '/release/';
        return {
          type: 'run',
          image: { name: 'debian', version: null },
          packages: libraries,
          copies: [{ from: directory, to: '/app/' }],
          env: { LANG: 'C.UTF-8', MIX_ENV: 'prod', ...(isPhoenix ? { PHX_SERVER: 'true' } : {}) },
          start: overrides.startCommand || `/app/bin/${release} start`,
        };
      }, overrides),
      release: null,
    };
  },
};
