/** PHP with Apache, as in the official image: https://hub.docker.com/_/php. Composer: https://getcomposer.org/doc/ */
import { posix } from 'node:path';
import { z } from 'zod';
import type { BuildStep } from '../build-plan.ts';
import { build, env, install, present, run, served } from '../plan-parts.ts';
import type { ProjectFiles } from '../project-files.ts';
import type { BuildOverrides, Provider } from '../provider.ts';
import { chooseVersion, toolVersion, versionFile } from '../version-files.ts';
import { frontEndSteps } from './front-end.ts';
import { apacheSite } from './php/apache-site.ts';
import { extensionSteps, extensionsOf } from './php/extensions.ts';

interface ComposerJson {
  extra?: Record<string, unknown>;
  require?: Record<string, string>;
  autoload?: unknown;
  scripts?: Record<string, unknown>;
}

const sites = '/etc/apache2/sites-enabled/000-default.conf';
const ports = '/etc/apache2/ports.conf';

export const php: Provider = {
  name: 'php',
  /** Heroku's own start scripts. */
  procfileStart: (command) => (/\bheroku-php-(apache2|nginx)\b/.test(command) ? null : command),
  fits: (files) => files.has('composer.json') || files.has('index.php') || files.has('public/index.php'),
  plan(files, overrides) {
    const composer = readComposer(files);
    const required = composer?.require ?? {};
    const { version, from } = phpVersion(files, required, overrides);
    const framework = frameworkOf(files, required);
    const image = { name: 'php', version };
    const extensions = extensionsOf(required, framework, overrides.env.PHP_EXTENSIONS);
    const root = overrides.env.PHP_DOCUMENT_ROOT || documentRoot(files, composer);
    const needsComposer = Boolean(composer) && !files.has('vendor/autoload.php') && hasPackages(composer);
    const frontEnd = frontEndSteps(files);
    return {
      provider: 'php',
      framework,
      notes: [
        `PHP ${version} (${from}), document root ${root === '.' ? 'the service root' : root}`,
        ...(extensions.names.length > 0 ? [`Extensions: ${extensions.names.join(', ')}`] : []),
        ...(extensions.unknown.length > 0
          ? [
              `Warning: these extensions are not installed: ${extensions.unknown.join(', ')}. A Dockerfile can install them.`,
            ]
          : []),
      ],
      build: {
        image,
        packages: [...extensions.buildPackages, ...(needsComposer ? ['git', 'unzip'] : [])],
        steps: [
          ...extensionSteps(extensions),
          ...(needsComposer
            ? composerSteps(files, overrides, productionEnv(framework), composer)
            : install([], [], overrides)),
          ...frontEnd,
          ...build(symfonyAssets(required), overrides),
          ...(frontEnd.length > 0 ? [run('rm -rf node_modules')] : []),
          ...apacheSite(root, root !== '.' || framework !== null).map(({ path, text }) =>
            run(writeText(path, text)),
          ),
        ],
      },
      output: served(
        {
          type: 'run',
          image,
          packages: extensions.runPackages,
          copies: [
            ...(extensions.names.length > 0
              ? ['/usr/local/lib/php/extensions/', '/usr/local/etc/php/conf.d/']
              : []
            ).map((path) => ({ from: path, to: path })),
            { from: '/app/', to: '/app/' },
            { from: `/longshore${sites}`, to: sites },
            { from: `/longshore${ports}`, to: ports },
          ],
          env: productionEnv(framework),
          start: overrides.startCommand || 'apache2-foreground',
        },
        overrides,
      ),
      release: null,
    };
  },
};

const readComposer = (files: ProjectFiles): ComposerJson | null => {
  try {
    return JSON.parse(files.read('composer.json') ?? 'null') as ComposerJson | null;
  } catch {
    return null; // Composer reports the error better
  }
};

/** Package names contain a vendor, unlike `php` and `ext-*`. */
const hasPackages = (composer: ComposerJson | null) =>
  Object.keys(composer?.require ?? {}).some((name) => name.includes('/')) || composer?.autoload !== undefined;

/** Packages first, then the app's scripts, which need its source. */
function composerSteps(
  files: ProjectFiles,
  overrides: BuildOverrides,
  variables: Record<string, string>,
  composer: ComposerJson | null,
): BuildStep[] {
  const flags = '--no-dev --no-interaction --no-progress --prefer-dist';
  return [
    { type: 'borrow', image: { name: 'composer', version: null }, paths: ['/usr/bin/composer'] },
    env({ COMPOSER_ALLOW_SUPERUSER: '1', ...variables }),
    ...install(
      present(files, ['composer.json', 'composer.lock', 'symfony.lock', 'auth.json']),
      [
        run(`composer install ${flags} --no-scripts --no-autoloader`, [
          '/root/.composer/cache',
          '/root/.cache/composer',
        ]),
      ],
      overrides,
    ),
    run('composer dump-autoload --no-dev --optimize'),
    ...(composer?.scripts?.['post-install-cmd']
      ? [run('composer run-script --no-dev post-install-cmd')]
      : []),
  ];
}

/** Compiled assets, because Symfony serves no others in production: https://symfony.com/doc/current/frontend/asset_mapper.html#deployment */
const symfonyAssets = (required: Record<string, string>): BuildStep[] =>
  (
    [
      ['symfonycasts/tailwind-bundle', 'tailwind:build --minify'],
      ['symfonycasts/sass-bundle', 'sass:build'],
      ['symfony/asset-mapper', 'asset-map:compile'],
    ] as const
  ).flatMap(([name, command]) => (name in required ? [run(`php bin/console ${command}`)] : []));

function frameworkOf(files: ProjectFiles, required: Record<string, string>): string | null {
  const byPackage: [name: string, id: string][] = [
    ['laravel/framework', 'laravel'],
    ['symfony/framework-bundle', 'symfony'],
    ['slim/slim', 'slim'],
    ['codeigniter4/framework', 'codeigniter'],
    ['cakephp/cakephp', 'cakephp'],
    ['yiisoft/yii2', 'yii'],
    ['drupal/core-recommended', 'drupal'],
    ['roots/wordpress', 'wordpress'],
    ['johnpbloch/wordpress', 'wordpress'],
  ];
  const found = byPackage.find(([name]) => name in required)?.[1];
  return found ?? (files.has('wp-config-sample.php') || files.has('wp-load.php') ? 'wordpress' : null);
}

/** The front controller's directory; files outside of it are not public. */
const documentRoot = (files: ProjectFiles, composer: ComposerJson | null) =>
  ['public', 'web', 'webroot', 'htdocs', 'public_html'].find((directory) =>
    files.has(`${directory}/index.php`),
  ) ??
  scaffoldRoot(composer) ??
  '.';

/** Drupal and TYPO3 write their front controller when Composer installs them. */
const extraSchema = z.object({
  'drupal-scaffold': z.object({ locations: z.object({ 'web-root': z.string() }) }).optional(),
  'typo3/cms': z.object({ 'web-dir': z.string() }).optional(),
});

function scaffoldRoot(composer: ComposerJson | null): string | undefined {
  const { data } = extraSchema.safeParse(composer?.extra ?? {});
  const root =
    data?.['drupal-scaffold']?.locations['web-root'] ??
    data?.['typo3/cms']?.['web-dir'] ??
    ('typo3/cms-core' in (composer?.require ?? {}) ? 'public' : undefined);
  return root !== undefined && /^(\.\/)?[\w-]+(\/[\w-]+)*\/?$/.test(root)
    ? posix.join('.', root).replace(/\/$/, '')
    : undefined;
}

const productionEnv = (framework: string | null): Record<string, string> => {
  if (framework === 'laravel') return { APP_ENV: 'production', LOG_CHANNEL: 'stderr' };
  return framework === 'symfony' ? { APP_ENV: 'prod' } : {};
};

const phpVersion = (
  files: ProjectFiles,
  required: Record<string, string>,
  { env: variables }: BuildOverrides,
) =>
  chooseVersion(
    ['8.4', '8.3', '8.2', '8.5', '8.1', '8.0', '7.4'],
    [
      ['PHP_VERSION', variables.PHP_VERSION],
      versionFile(files, '.php-version'),
      toolVersion(files, 'php'),
      ['composer.json', required.php],
    ],
  );

/** The text needs no escaping: it is ours and contains no quotes. */
const writeText = (path: string, text: string) =>
  `mkdir -p /longshore${path.replace(/\/[^/]*$/, '')} && printf '%s\\n' ${text
    .split('\n')
    .map((line) => `'${line}'`)
    .join(' ')} > /longshore${path}`;
