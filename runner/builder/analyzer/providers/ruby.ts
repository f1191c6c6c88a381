/** Ruby with Bundler: https://bundler.io/guides/deploying.html */
import {
  build,
  env,
  install,
  type NativePackages,
  nativePackages,
  present,
  run,
  served,
} from '../plan-parts.ts';
import type { ProjectFiles } from '../project-files.ts';
import { AnalyzerError, type BuildOverrides, type Provider } from '../provider.ts';
import { chooseVersion, toolVersion, versionFile, versionIn } from '../version-files.ts';
import { frontEndSteps } from './front-end.ts';

const bundle = '/usr/local/bundle';

/** Gems that use a C library. */
const native: NativePackages = {
  pg: { build: ['libpq-dev'], run: ['libpq5'] },
  mysql2: { build: ['libmariadb-dev'], run: ['libmariadb3'] },
  psych: { build: ['libyaml-dev'], run: [] },
  'ruby-vips': { build: [], run: ['libvips42'] },
  image_processing: { build: [], run: ['libvips42'] },
  execjs: { build: ['nodejs'], run: ['nodejs'] },
  rmagick: { build: ['libmagickwand-dev'], run: ['libmagickwand-7.q16-10'] },
};

/** Gems that contain an engine for ExecJS: https://github.com/rails/execjs#execjs */
const bringsJavaScript = ['mini_racer', 'duktape', 'therubyracer'];

export const ruby: Provider = {
  name: 'ruby',
  fits: (files) => files.has('Gemfile'),
  plan(files, overrides) {
    const lock = files.read('Gemfile.lock');
    const gemfile = files.read('Gemfile') ?? '';
    const uses = (gem: string) =>
      lock
        ? new RegExp(`^ {4}${gem} \\(`, 'm').test(lock)
        : new RegExp(`^\\s*gem\\s+["']${gem}["']`, 'm').test(gemfile);
    const { version, from } = rubyVersion(files, overrides);
    const image = { name: 'ruby', version };
    const framework = frameworkOf(files, uses);
    const packages = nativePackages(
      native,
      (gem) => uses(gem) && !(gem === 'execjs' && bringsJavaScript.some(uses)),
    );
    const hasGems = /^\s*gem(spec)?\b/m.test(gemfile);
    const bundled = {
      BUNDLE_PATH: bundle,
      BUNDLE_WITHOUT: 'development:test',
      ...(lock ? { BUNDLE_DEPLOYMENT: '1' } : {}),
    };
    const isBridgetown = framework === 'bridgetown';
    const rails =
      framework === 'rails'
        ? { RAILS_ENV: 'production' }
        : isBridgetown
          ? { BRIDGETOWN_ENV: 'production' }
          : {};
    const hasAssets = framework === 'rails' && (uses('sprockets-rails') || uses('propshaft'));
    const needsAllFiles = /\bpath:|\bgemspec\b|eval_gemfile/.test(gemfile);
    const gems = 'bundle install && rm -rf "$BUNDLE_PATH"/ruby/*/cache';
    const frontEnd = frontEndSteps(files, isBridgetown ? { builds: false } : {});
    return {
      provider: 'ruby',
      framework,
      notes: [`Ruby ${version} (${from})`, ...(framework ? [`Framework: ${framework}`] : [])],
      build: {
        image,
        packages: hasCompiled(lock)
          ? ['build-essential', 'git', 'libyaml-dev', 'pkg-config', ...packages.build]
          : [],
        steps: [
          env({ ...bundled, ...rails }),
          ...install(
            needsAllFiles
              ? []
              : present(files, ['Gemfile', 'Gemfile.lock', '.ruby-version', '.tool-versions']),
            hasGems ? [run(gems)] : [],
            overrides,
          ),
          ...frontEnd,
          ...build(
            [
              ...(uses('bootsnap') ? [run('bundle exec bootsnap precompile --gemfile app/ lib/')] : []),
              // Rails reads the key of the credentials, but building assets does not need a real one.
              ...(hasAssets ? [run('SECRET_KEY_BASE_DUMMY=1 bundle exec rails assets:precompile')] : []),
              ...(isBridgetown ? [run(bridgetownBuild(files))] : []),
              ...(framework === 'middleman' ? [run('bundle exec middleman build')] : []),
              ...(framework === 'jekyll' ? [run('JEKYLL_ENV=production bundle exec jekyll build')] : []),
            ],
            overrides,
          ),
          ...(frontEnd.length > 0 ? [run('rm -rf node_modules')] : []),
          // Creates the directory for the copy below, even if nothing was installed.
          run(`mkdir -p ${bundle}`),
        ],
      },
      output:
        siteOf(files, framework) && !overrides.startCommand && !overrides.staticOutput
          ? { type: 'site', directory: siteOf(files, framework) ?? '', spa: false }
          : served(
              () => ({
                type: 'run',
                image,
                packages: hasCompiled(lock) ? packages.run : [],
                copies: [
                  { from: `${bundle}/`, to: `${bundle}/` },
                  { from: '/app/', to: '/app/' },
                ],
                env: { ...bundled, ...runtimeEnv(framework) },
                start: overrides.startCommand || startOf(files, framework, uses),
              }),
              overrides,
            ),
      release: null,
    };
  },
};

/** Without a lock file this is unknown; with one, gems of the repository itself need no compiler. */
const hasCompiled = (lock: string | undefined) =>
  lock === undefined || /^GEM\s+remote:[^\n]*\n {2}specs:\n {4}\S/m.test(lock) || lock.includes('\nGIT\n');

function frameworkOf(files: ProjectFiles, uses: (gem: string) => boolean): string | null {
  if (uses('rails') || (uses('railties') && files.has('config/application.rb'))) return 'rails';
  for (const id of ['bridgetown', 'hanami', 'roda', 'sinatra', 'grape', 'jekyll', 'middleman'])
    if (uses(id)) return id;
  return files.has('config.ru') ? 'rack' : null;
}

/** The output directories of site generators. */
function siteOf(files: ProjectFiles, framework: string | null): string | null {
  if (framework === 'bridgetown' && !isRendered(files)) return 'output';
  return framework === 'jekyll' ? '_site' : framework === 'middleman' ? 'build' : null;
}

/** True if Bridgetown renders pages on request: https://www.bridgetownrb.com/docs/routes */
const isRendered = (files: ProjectFiles) =>
  /^\s*init\s*\(?\s*:ssr\b/m.test(files.read('config/initializers.rb') ?? '');

/** The task of new sites also builds the front end: https://www.bridgetownrb.com/docs/deployment */
const bridgetownBuild = (files: ProjectFiles) =>
  /^\s*task\s+:?deploy\b/m.test(files.read('Rakefile') ?? '')
    ? 'bundle exec bridgetown deploy'
    : 'bundle exec bridgetown build';

const runtimeEnv = (framework: string | null): Record<string, string> =>
  framework === 'rails'
    ? { RAILS_ENV: 'production', RAILS_LOG_TO_STDOUT: '1', RAILS_SERVE_STATIC_FILES: '1' }
    : {
        RACK_ENV: 'production',
        APP_ENV: 'production',
        ...(framework === 'bridgetown' ? { BRIDGETOWN_ENV: 'production' } : {}),
      };

/** @throws AnalyzerError when no start command is found */
function startOf(files: ProjectFiles, framework: string | null, uses: (gem: string) => boolean): string {
  if (framework === 'rails') return 'bundle exec rails server -b 0.0.0.0 -p $PORT';
  if (files.has('config.ru')) {
    if (uses('puma')) return 'bundle exec puma -b tcp://0.0.0.0:$PORT';
    if (uses('falcon')) return 'bundle exec falcon serve --bind http://0.0.0.0:$PORT';
    return 'bundle exec rackup -o 0.0.0.0 -p $PORT';
  }
  const script = ['app.rb', 'main.rb', 'server.rb', 'bot.rb'].find(files.has);
  // Sinatra's built-in runner takes the port from its arguments.
  if (script)
    return framework === 'sinatra'
      ? `bundle exec ruby ${script} -o 0.0.0.0 -p $PORT`
      : `bundle exec ruby ${script}`;
  throw new AnalyzerError(
    'Nothing says how this Ruby app starts: add config.ru, app.rb or a Procfile, or set startCommand.',
  );
}

/** Bundler requires the exact patch version from the Gemfile. */
const rubyVersion = (files: ProjectFiles, { env: variables }: BuildOverrides) =>
  chooseVersion(
    ['3.4', '3.3', '3.2', '3.1'],
    [
      ['RUBY_VERSION', variables.RUBY_VERSION],
      versionFile(files, '.ruby-version'),
      toolVersion(files, 'ruby'),
      versionIn(files, 'Gemfile', /^\s*ruby\s*\(?["']([^"']+)["']/m),
      versionIn(files, 'Gemfile.lock', /^RUBY VERSION\s+ruby ([\d.]+)/m),
    ],
    3,
  );
