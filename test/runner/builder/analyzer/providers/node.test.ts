import { describe, expect, test } from 'vitest';
import type { BuildPlan } from '../../../../../runner/builder/analyzer/build-plan.ts';
import { projectOnDisk } from '../../../../../runner/builder/analyzer/disk-files.ts';
import { dockerfile } from '../../../../../runner/builder/analyzer/dockerfile.ts';
import type { BuildOverrides } from '../../../../../runner/builder/analyzer/provider.ts';
import { node } from '../../../../../runner/builder/analyzer/providers/node.ts';
import { fixtureDirectory } from '../../../../support/fixture-app.ts';
import { memoryFiles } from '../../../../support/runner/memory-files.ts';

const nothing: BuildOverrides = {
  installCommand: null,
  buildCommand: null,
  startCommand: null,
  staticOutput: null,
  runtimeMode: 'web',
  env: {},
};
type Json = Record<string, unknown>;
const files = (json: Json, more: Record<string, string> = {}) => ({
  'package.json': JSON.stringify(json),
  ...more,
});
const plan = async (of: Record<string, string>, more: Partial<BuildOverrides> = {}, rootDir?: string) =>
  await node.plan(memoryFiles(of, rootDir), { ...nothing, ...more });
const commands = ({ build }: BuildPlan) =>
  build.steps.flatMap((step) => (step.type === 'run' ? [step.command] : []));
const start = ({ output }: BuildPlan) => (output.type === 'run' ? output.start : output);
const web = { scripts: { start: 'node server.js' }, dependencies: { express: '5' } };

const site = (directory: string, spa = false) => ({ type: 'site', directory, spa });
const built = { scripts: { build: 'x build' } };

test.each<[string, Json, Record<string, string>, object]>([
  ['vite', { devDependencies: { vite: '7' } }, {}, site('dist', true)],
  [
    'vite',
    { devDependencies: { vite: '7' } },
    { 'vite.config.ts': "build: { outDir: './public_html' }" },
    site('public_html', true),
  ],
  ['create-react-app', { dependencies: { 'react-scripts': '5' } }, {}, site('build', true)],
  ['astro', { dependencies: { astro: '5' } }, {}, site('dist')],
  ['gatsby', { dependencies: { gatsby: '5' } }, {}, site('public')],
  ['docusaurus', { dependencies: { '@docusaurus/core': '3' } }, {}, site('build')],
  ['eleventy', { devDependencies: { '@11ty/eleventy': '3' } }, {}, site('_site')],
  [
    'vitepress',
    { devDependencies: { vitepress: '1' }, scripts: { build: 'vitepress build docs' } },
    {},
    site('docs/.vitepress/dist'),
  ],
  [
    'nextjs',
    { dependencies: { next: '16' } },
    { 'next.config.mjs': "export default { output: 'export' }" },
    site('out'),
  ],
  [
    'sveltekit',
    { devDependencies: { '@sveltejs/kit': '2', '@sveltejs/adapter-static': '3' } },
    {},
    site('build'),
  ],
  [
    'react-router',
    { devDependencies: { '@react-router/dev': '7' } },
    { 'react-router.config.ts': 'ssr: false' },
    site('build/client', true),
  ],
  ['nuxt', { dependencies: { nuxt: '4' }, scripts: { build: 'nuxt generate' } }, {}, site('.output/public')],
])('%s makes a static site: %j', async (framework, json, more, output) => {
  expect(await plan(files({ ...built, ...json }, more))).toMatchObject({ framework, output });
});

test.each<[string, Json, string]>([
  [
    'nextjs',
    { dependencies: { next: '16' }, scripts: { build: 'next build', start: 'next start' } },
    'node server.js',
  ],
  [
    'nextjs',
    { dependencies: { next: '16' }, scripts: { build: 'next build', start: 'node custom.js' } },
    'node custom.js',
  ],
  ['nuxt', { dependencies: { nuxt: '4' } }, 'node .output/server/index.mjs'],
  [
    'remix',
    { dependencies: { '@remix-run/serve': '2' }, devDependencies: { '@remix-run/dev': '2' } },
    'remix-serve ./build/server/index.js',
  ],
  [
    'react-router',
    { dependencies: { '@react-router/serve': '7' }, devDependencies: { '@react-router/dev': '7' } },
    'react-router-serve ./build/server/index.js',
  ],
  ['sveltekit', { devDependencies: { '@sveltejs/kit': '2', '@sveltejs/adapter-node': '5' } }, 'node build'],
  ['astro', { dependencies: { astro: '5', '@astrojs/node': '9' } }, 'node ./dist/server/entry.mjs'],
  [
    'tanstack-start',
    { dependencies: { '@tanstack/react-start': '1', nitro: '3' } },
    'node .output/server/index.mjs',
  ],
  ['solid-start', { dependencies: { '@solidjs/start': '1' } }, 'node .output/server/index.mjs'],
  [
    'nestjs',
    {
      dependencies: { '@nestjs/core': '11' },
      scripts: { start: 'nest start', 'start:prod': 'node dist/main' },
    },
    'node dist/main',
  ],
  ['express', web, 'node server.js'],
  ['fastify', { dependencies: { fastify: '5' }, scripts: { start: 'node .' } }, 'node .'],
  ['koa', { dependencies: { koa: '3' }, scripts: { start: 'node .' } }, 'node .'],
  ['hono', { dependencies: { hono: '4', '@hono/node-server': '1' }, scripts: { start: 'node .' } }, 'node .'],
  [
    'vite',
    {
      devDependencies: { vite: '7' },
      dependencies: { express: '5' },
      scripts: { build: 'vite build', start: 'node server.js' },
    },
    'node server.js',
  ],
])('%s runs a server: %j', async (framework, json, command) => {
  const found = await plan(files({ scripts: { build: 'x build' }, ...json }));
  expect([found.framework, start(found)]).toEqual([framework, command]);
});

test('a site stays one although its script "start" serves it for development', async () => {
  for (const script of ['vite', 'vite preview', 'npx serve dist', 'react-scripts start']) {
    const json = { devDependencies: { vite: '7' }, scripts: { build: 'vite build', start: script } };
    expect((await plan(files(json))).output.type, script).toBe('site');
  }
});

test('Next with output "export" is a site, although its script "start" is the one that Next writes', async () => {
  const json = { dependencies: { next: '16' }, scripts: { build: 'next build', start: 'next start' } };
  const siteOf = async (config: string, name = 'next.config.mjs') =>
    (await plan(files(json, { [name]: config }))).output;
  expect(await siteOf("export default { output: 'export' }")).toMatchObject({
    type: 'site',
    directory: 'out',
  });
  expect(
    await siteOf('module.exports = { output: "export", distDir: "build" }', 'next.config.js'),
  ).toMatchObject({
    type: 'site',
    directory: 'build',
  });
  expect(await siteOf("export default { output: 'standalone' }", 'next.config.ts')).toMatchObject({
    type: 'run',
  });
});

test('Next in a workspace is started in its package, with all that it needs', async () => {
  const web = { name: 'web', dependencies: { next: '16' }, scripts: { build: 'next build' } };
  const repository = {
    'package.json': '{"workspaces":["apps/*"]}',
    'package-lock.json': '',
    'apps/web/package.json': JSON.stringify(web),
  };
  const { output } = await plan(repository, {}, 'apps/web');
  expect(output).toMatchObject({
    directory: '/app/apps/web',
    start: 'next start',
    copies: [{ from: '/app/', to: '/app/' }],
  });
});

test('SvelteKit with adapter-auto is built for Node; with a vendor’s adapter the error names the one to use', async () => {
  const kit = (adapter: string) => ({
    devDependencies: { '@sveltejs/kit': '2', [`@sveltejs/adapter-${adapter}`]: '1' },
    scripts: { build: 'vite build' },
  });
  const auto = await plan(files(kit('auto')));
  expect(start(auto)).toBe('node build');
  expect(auto.build.steps).toContainEqual({ type: 'env', values: { GCP_BUILDPACKS: 'longshore' } });
  // The build would install the adapter into the project, which each package manager refuses in another way.
  expect(auto.build.steps[0]).toMatchObject({
    command: expect.stringMatching(
      /^npm install --prefix \/opt\/build .* @sveltejs\/adapter-node@5 && ln -s /,
    ),
  });
  const config = { 'svelte.config.js': "import adapter from '@sveltejs/adapter-vercel';" };
  const vercel = files(kit('vercel'), config);
  await expect(plan(vercel)).rejects.toThrow(
    'uses @sveltejs/adapter-vercel, which builds for that platform alone',
  );
  expect((await plan(vercel, { staticOutput: 'build' })).output.type).toBe('site');
});

test('VitePress is built by the script that calls it, as its own set-up names it', async () => {
  const commands = async (scripts: Record<string, string>) => {
    const { build } = await plan(files({ devDependencies: { vitepress: '1' }, scripts }));
    return build.steps.flatMap((step) => (step.type === 'run' ? [step.command] : [])).slice(1);
  };
  const docs = { 'docs:build': 'vitepress build docs' };
  expect(await commands(docs)).toEqual(['npm run docs:build']);
  expect(await commands({ ...docs, build: 'tsup' })).toEqual(['npm run docs:build']);
  expect(await commands({ ...docs, build: 'tsup && npm run docs:build' })).toEqual(['npm run build']);
  expect(await commands({ build: 'vitepress build docs' })).toEqual(['npm run build']);
});

test('Yarn comes in the version that wrote the lock file', async () => {
  for (const [lock, yarn] of [
    [4, '2'],
    [5, '3.1'],
    [6, '3'],
    [8, '4.13'],
    [9, '4.14'],
    [10, '4'],
    [11, '4'],
  ]) {
    const found = await plan(files(web, { 'yarn.lock': `__metadata:\n  version: ${lock}\n  cacheKey: 8` }));
    const command = `npm install --global --prefix /opt/tools --no-audit --no-fund @yarnpkg/cli-dist@${yarn}`;
    expect(found.build.steps).toContainEqual(expect.objectContaining({ command }));
  }
});

test('a lock file that does not fit is no hindrance if FROZEN_LOCKFILE is false, and the log warns', async () => {
  const installOf = async (lock: Record<string, string>) => {
    const found = await plan(files(web, lock), { env: { FROZEN_LOCKFILE: 'false' } });
    expect(found.notes.at(-2)).toContain('versions may differ from the lock file');
    return found.build.steps.flatMap((step) => (step.type === 'run' ? [step.command] : [])).join('\n');
  };
  expect(await installOf({ 'package-lock.json': '' })).toContain('npm install --no-audit');
  expect(await installOf({ 'pnpm-lock.yaml': "lockfileVersion: '9.0'" })).toContain('--no-frozen-lockfile');
  expect(await installOf({ 'yarn.lock': '# yarn lockfile v1' })).not.toContain('--frozen-lockfile');
  expect(await installOf({ 'yarn.lock': '__metadata:\n  version: 8' })).toContain('--no-immutable');
  expect(await installOf({ 'bun.lock': '{}' })).not.toContain('--frozen-lockfile');
});

test('Next keeps only what its server traced', async () => {
  const json = { dependencies: { next: '16' }, scripts: { build: 'next build', start: 'next start' } };
  const { output } = await plan(files(json, { 'public/robots.txt': '' }));
  expect(output).toMatchObject({
    copies: [
      { from: '/app/.next/standalone/', to: '/app/' },
      { from: '/app/.next/static/', to: '/app/.next/static/' },
      { from: '/app/public/', to: '/app/public/' },
    ],
  });
});

test('Next keeps its packages and source too where a release command needs them', async () => {
  const json = {
    ...{ dependencies: { next: '16' }, devDependencies: { 'drizzle-kit': '1' } },
    scripts: { build: 'next build', start: 'next start', migrate: 'drizzle-kit migrate' },
  };
  const found = async (releaseCommand: string) => {
    const { build, output } = await plan(files(json, { 'package-lock.json': '' }), { releaseCommand });
    const last = build.steps.at(-1);
    return { output, isPruned: last?.type === 'run' && last.command.includes('prune') };
  };
  const { output, isPruned } = await found('npx drizzle-kit migrate');
  expect(isPruned).toBe(false);
  expect(output).toMatchObject({
    start: 'node server.js',
    copies: [
      { from: '/app/', to: '/app/' },
      { from: '/app/.next/standalone/', to: '/app/' },
    ],
  });
  expect((await found('npm run migrate')).isPruned).toBe(false);
  expect((await found('node migrate.js')).isPruned).toBe(true);
});

describe('package managers', () => {
  test.each<[string, Json, Record<string, string>, string[]]>([
    ['npm with a lock file', web, { 'package-lock.json': '' }, ['npm ci --no-audit --no-fund --omit=dev']],
    ['npm without', web, {}, ['npm install --no-audit --no-fund --omit=dev']],
    [
      'pnpm by its lock file',
      web,
      { 'pnpm-lock.yaml': "lockfileVersion: '6.0'" },
      [
        'npm install --global --prefix /opt/tools --no-audit --no-fund pnpm@8',
        'pnpm install --frozen-lockfile --prod --store-dir=/root/.pnpm-store',
      ],
    ],
    [
      'pnpm by the field packageManager',
      { ...web, packageManager: 'pnpm@9.1.0+sha512.abc' },
      { 'package-lock.json': '' },
      [
        'npm install --global --prefix /opt/tools --no-audit --no-fund pnpm@9.1.0',
        'pnpm install --no-frozen-lockfile --prod --store-dir=/root/.pnpm-store',
      ],
    ],
    [
      'yarn 1',
      web,
      { 'yarn.lock': '# yarn lockfile v1' },
      [
        'npm install --global --prefix /opt/tools --no-audit --no-fund yarn@1',
        'yarn install --frozen-lockfile --non-interactive --cache-folder /root/.yarn-cache --production',
      ],
    ],
    [
      'yarn 4',
      { ...web, packageManager: 'yarn@4.5.0' },
      { 'yarn.lock': '__metadata:\n  version: 8' },
      [
        'npm install --global --prefix /opt/tools --no-audit --no-fund @yarnpkg/cli-dist@4.5.0',
        'yarn install --immutable',
        'yarn workspaces focus --all --production',
      ],
    ],
    [
      'yarn in the repository',
      web,
      {
        'yarn.lock': '__metadata:',
        '.yarnrc.yml': 'yarnPath: .yarn/releases/yarn-4.js',
        '.yarn/releases/yarn-4.js': '',
      },
      [
        'node /app/.yarn/releases/yarn-4.js install --immutable',
        'node /app/.yarn/releases/yarn-4.js workspaces focus --all --production',
      ],
    ],
    [
      'bun',
      web,
      { 'bun.lock': '' },
      [
        'npm install --global --prefix /opt/tools --no-audit --no-fund bun@latest && rm -rf /opt/tools/lib/node_modules/bun/node_modules',
        'bun install --frozen-lockfile --production',
      ],
    ],
  ])('%s', async (_, json, more, expected) => {
    expect(commands(await plan(files(json, more)))).toEqual(expected);
  });

  test('a project after another has that one’s version of nothing', async () => {
    await plan(files({ ...web, packageManager: 'yarn@4.5.0' }));
    expect(commands(await plan(files(web, { 'yarn.lock': '# yarn lockfile v1' })))[0]).toContain('yarn@1');
  });

  test('scripts of an install see the whole source', async () => {
    const json = { ...web, scripts: { ...web.scripts, postinstall: 'node generate.js' } };
    const { build } = await plan(files(json, { 'package-lock.json': '' }));
    expect(build.steps[0]).toEqual({ type: 'copy', paths: ['.'] });
  });
});

test.each<[string, Json, Record<string, string>, Record<string, string>]>([
  ['24', {}, {}, {}],
  ['22', {}, {}, { NODE_VERSION: '22' }],
  ['22', { engines: { node: '>=18' } }, { '.nvmrc': 'v22\n' }, {}],
  ['22.11.0', {}, { '.node-version': '22.11.0' }, {}],
  ['22', {}, { '.nvmrc': 'lts/jod' }, {}],
  ['24', {}, { '.nvmrc': 'lts/constructor' }, {}],
  ['24', {}, { '.nvmrc': 'lts/*' }, {}],
  ['20.1.0', { volta: { node: '20.1.0' } }, {}, {}],
  ['24', { engines: { node: '>=18' } }, {}, {}],
  ['22', { engines: { node: '>=18 <23' } }, {}, {}],
  ['20', { engines: { node: '^20.9' } }, {}, {}],
  ['26', { engines: { node: '>=25.1 || >=26' } }, {}, {}],
  ['22', { engines: { node: '>=20.12 <21 || 22 || 24 <24.17.0 || 26 <26.3.1' } }, {}, {}],
  ['24.16', { engines: { node: '>=24 <24.17' } }, {}, {}],
  ['24.4.1', { engines: { node: '24.1.0 - 24.4.1' } }, {}, {}],
  ['20.11', { engines: { node: '~20.11.1' } }, {}, {}],
  ['22.3.0', { engines: { node: '>=22.1 <22.3.1' } }, {}, {}],
  ['24', { engines: { node: '>99' } }, {}, {}],
  ['24', { engines: { node: 'nonsense' } }, { '.nvmrc': 'whatever' }, {}],
])('Node %s is chosen for %j %j %j', async (version, json, more, env) => {
  expect((await plan(files({ ...web, ...json }, more), { env })).build.image).toEqual({
    name: 'node',
    version,
  });
});

const json = { ...web, scripts: { start: 'node a.js', build: 'tsc' } };

test("the user's commands override those of the provider", async () => {
  const found = await plan(files(json), {
    installCommand: 'npm i --legacy-peer-deps',
    buildCommand: 'make',
    startCommand: 'node mine.js',
  });
  expect(commands(found).slice(0, 2)).toEqual(['npm i --legacy-peer-deps', 'make']);
  expect(start(found)).toBe('node mine.js');
});

test("the user's static output overrides that of the provider", async () => {
  const found = await plan(files(json), { staticOutput: 'out' });
  expect(found.output).toEqual({ type: 'site', directory: 'out', spa: false });
});

describe('the start', () => {
  test.each<[string, Json, string]>([
    [
      'is a script’s text',
      { scripts: { start: 'NODE_ENV=production node .' } },
      'NODE_ENV=production node .',
    ],
    [
      'is the package manager’s where hooks surround it',
      { scripts: { prestart: 'x', start: 'node .' } },
      'npm run start',
    ],
    ['is main', { main: 'lib/app.js' }, 'node lib/app.js'],
    ['is a usual file', {}, 'node server.js'],
  ])('%s', async (_, json, command) => {
    expect(start(await plan(files(json, { 'server.js': '', 'lib/app.js': '' })))).toBe(command);
  });

  test('a project without a start command is refused with a clear reason', async () => {
    await expect(plan(files({ scripts: { build: 'x' } }))).rejects.toThrow(/add a script "start"/);
  });

  test('a start command keeps development dependencies that it needs', async () => {
    const json = { scripts: { start: 'tsx src/index.ts', build: 'tsc' }, devDependencies: { tsx: '4' } };
    expect(commands(await plan(files(json, { 'package-lock.json': '' }))).join()).not.toContain('prune');
    const other = { scripts: { start: 'fastify start app.js' }, devDependencies: { 'fastify-cli': '8' } };
    expect(commands(await plan(files(other, { 'package-lock.json': '' }))).join()).toContain('--include=dev');
    const plain = { ...json, scripts: { ...json.scripts, start: 'node dist/index.js' } };
    expect(commands(await plan(files(plain, { 'package-lock.json': '' }))).join()).toContain(
      'npm prune --omit=dev',
    );
  });
});

test.each([
  ['env-cmd -f .env.production ts-node migrate.ts', 'env-cmd'],
  ['npm run -s migration:run', 'ts-node'],
  ['npx typeorm-ts-node-commonjs migration:run -d src/data-source.ts', 'ts-node'],
  ['npx prisma migrate deploy', 'prisma'],
  ['pnpm exec sequelize db:migrate', 'sequelize-cli'],
  ['NODE_ENV=production node --import tsx migrate.ts && npx knex migrate:latest', 'tsx'],
])('the release command %s keeps the development dependency %s', async (releaseCommand, name) => {
  const scripts = { start: 'node .', build: 'tsc', 'migration:run': 'ts-node migrate.ts' };
  const json = { dependencies: { sequelize: '6' }, devDependencies: { [name]: '1' }, scripts };
  const steps = async (more: object) =>
    commands(await plan(files(json, { 'package-lock.json': '' }), more)).join('\n');
  expect(await steps({})).toContain('npm prune');
  expect(await steps({ releaseCommand })).not.toContain('npm prune');
});

describe('development dependencies', () => {
  const json = { scripts: { build: 'tsc', start: 'node .' }, devDependencies: { typescript: '5' } };
  const berryLock = { 'yarn.lock': '__metadata:\n  version: 8' };
  const last = async (found: ReturnType<typeof plan>) => commands(await found).at(-1);
  const pnpmPrune =
    'CI=true pnpm install --frozen-lockfile --prod --prefer-offline --ignore-scripts --config.modules-cache-max-age=0 --store-dir=/root/.pnpm-store';

  test('development dependencies of pnpm are taken away by an install, which knows workspaces', async () => {
    expect(await last(plan(files(json, { 'pnpm-lock.yaml': "lockfileVersion: '9.0'" })))).toBe(pnpmPrune);
    const workspace = {
      'package.json': '{}',
      'pnpm-lock.yaml': "lockfileVersion: '9.0'",
      'pnpm-workspace.yaml': 'packages: ["apps/*"]',
      'apps/web/package.json': JSON.stringify({ name: 'web', ...json }),
    };
    expect(await last(plan(workspace, {}, 'apps/web'))).toBe(pnpmPrune);
  });

  test('development dependencies of Yarn 4 are taken away by a focus, without install scripts of the repository, which need them', async () => {
    const focus = 'yarn workspaces focus --all --production';
    expect(await last(plan(files(json, berryLock)))).toBe(focus);
    const hooks = { ...json, scripts: { ...json.scripts, postinstall: 'husky', prepare: 'x' } };
    expect(await last(plan(files(hooks, berryLock)))).toBe(`npm pkg delete scripts.postinstall && ${focus}`);
    const unbuilt = { scripts: { start: 'node .' }, dependencies: { ms: '2' } };
    expect(await last(plan(files(unbuilt, berryLock)))).toBe(focus);
  });

  test.each([
    ['Yarn 3 by its release', '.yarn/releases/yarn-3.8.7.cjs', false],
    ['Yarn 4 by its release', '.yarn/releases/yarn-4.5.0.cjs', true],
  ])('%s drops them by focus: %s', async (_, release, focuses) => {
    const found = plan(files(json, { ...berryLock, '.yarnrc.yml': `yarnPath: ${release}`, [release]: '' }));
    expect((await last(found))?.includes('workspaces focus')).toBe(focuses);
  });

  test('development dependencies of Yarn 3 stay, unless its plugin is there', async () => {
    const three = { ...json, packageManager: 'yarn@3.8.7' };
    expect(await last(plan(files(three, berryLock)))).toBe('yarn run build');
    const plugin = { '.yarn/plugins/@yarnpkg/plugin-workspace-tools.cjs': '' };
    expect(await last(plan(files(three, { ...berryLock, ...plugin })))).toContain('workspaces focus');
  });
});

const workspace = {
  'package.json': '{"workspaces":["apps/*","packages/*"]}',
  'package-lock.json': '',
  'apps/web/package.json':
    '{"name":"web","scripts":{"build":"b","start":"node ."},"dependencies":{"ui":"*"}}',
  'apps/docs/package.json': '{"name":"docs","scripts":{"start":"node ."}}',
  'packages/ui/package.json': '{"name":"ui","scripts":{"build":"b"},"dependencies":{"tokens":"*"}}',
  'packages/tokens/package.json': '{"name":"tokens","scripts":{"build":"b"}}',
};

test('a package is built in its workspace, after the packages that it uses', async () => {
  const found = await plan(workspace, {}, 'apps/web');
  expect(found).toMatchObject({ scope: 'repository', output: { directory: '/app/apps/web' } });
  expect(commands(found)).toEqual([
    'npm ci --no-audit --no-fund --include=dev',
    'cd /app/packages/tokens && npm run build',
    'cd /app/packages/ui && npm run build',
    'cd /app/apps/web && npm run build',
    'npm prune --omit=dev --ignore-scripts --no-audit --no-fund',
  ]);
});

test('several apps without a rootDir are refused with their names', async () => {
  await expect(plan(workspace)).rejects.toThrow('set rootDir to one of apps/docs, apps/web');
});

test('Turborepo and Nx build in their own order', async () => {
  const root = (tool: string) =>
    JSON.stringify({ workspaces: ['apps/*', 'packages/*'], devDependencies: { [tool]: '1' } });
  const turbo = { ...workspace, 'package.json': root('turbo'), 'turbo.json': '{}' };
  expect(commands(await plan(turbo, {}, 'apps/web'))).toContain(
    'node_modules/.bin/turbo run build --filter=web',
  );
  const nx = { ...workspace, 'package.json': root('nx'), 'nx.json': '{}' };
  expect(commands(await plan(nx, {}, 'apps/web'))).toContain(
    'NX_DAEMON=false node_modules/.bin/nx run web:build',
  );
});

test('a service root with its own lock file is built alone', async () => {
  const own = { ...workspace, 'apps/web/package-lock.json': '' };
  expect(await plan(own, {}, 'apps/web')).toMatchObject({ scope: 'service' });
});

const fixture = async (name: string, rootDir?: string) => {
  const found = await node.plan(projectOnDisk(fixtureDirectory(name), rootDir), nothing);
  return dockerfile(found, { serviceId: 'svc', builder: 'classic', variables: [] });
};

test('the fixture node-npm is built by the expected Dockerfile', async () => {
  expect(await fixture('node-npm')).toBe(`FROM node:24-slim AS build
WORKDIR /app
ENV NPM_CONFIG_UPDATE_NOTIFIER=false NPM_CONFIG_FUND=false PNPM_CONFIG_UPDATE_NOTIFIER=false ADBLOCK=1 DISABLE_OPENCOLLECTIVE=1 BROWSERSLIST_IGNORE_OLD_DATA=1 PRISMA_HIDE_UPDATE_MESSAGE=1 NEXT_TELEMETRY_DISABLED=1 NUXT_TELEMETRY_DISABLED=1 ASTRO_TELEMETRY_DISABLED=1 DO_NOT_TRACK=1 NG_CLI_ANALYTICS=false GATSBY_TELEMETRY_DISABLED=1 STORYBOOK_DISABLE_TELEMETRY=1 TURBO_TELEMETRY_DISABLED=1 EXPO_NO_TELEMETRY=1 CHECKPOINT_DISABLE=1 STRAPI_TELEMETRY_DISABLED=true MEDUSA_DISABLE_TELEMETRY=true
COPY source/package.json source/package-lock.json /app/
RUN npm ci --no-audit --no-fund --omit=dev

FROM node:24-slim
ENV HOME="/app"
ENV NODE_ENV="production"
ENV NPM_CONFIG_UPDATE_NOTIFIER="false"
ENV npm_package_name="node-npm"
ENV npm_config_user_agent="npm/? node/v24 linux"
ENV PATH="/app/node_modules/.bin:$PATH"
COPY --from=build --chown=1000:1000 /app/node_modules/ /app/node_modules/
COPY --chown=1000:1000 source/ /app/
WORKDIR /app
USER 1000:1000
ENTRYPOINT []
CMD ["/bin/sh", "-c", "exec node server.js"]
`);
});

test('the fixture pnpm-workspace is built by the expected Dockerfile', async () => {
  const lines = (await fixture('pnpm-workspace', 'apps/web')).split('\n');
  expect(lines.slice(5, 14)).toEqual([
    // Tools that install a package while they build use the same store.
    'ENV NPM_CONFIG_STORE_DIR="/root/.pnpm-store"',
    'ENV NPM_CONFIG_IGNORE_WORKSPACE_ROOT_CHECK="true"',
    'ENV PNPM_CONFIG_STORE_DIR="/root/.pnpm-store"',
    'ENV PNPM_CONFIG_IGNORE_WORKSPACE_ROOT_CHECK="true"',
    'COPY source/package.json source/pnpm-lock.yaml source/pnpm-workspace.yaml /app/',
    'COPY source/apps/web/package.json /app/apps/web/',
    'COPY source/packages/greeting/package.json /app/packages/greeting/',
    'RUN pnpm install --frozen-lockfile --prod=false --store-dir=/root/.pnpm-store',
    'COPY source/ /app/',
  ]);
});

test.each<[string, Json, Record<string, string>]>([
  ['a folder of the repository', { ...web, dependencies: { lib: 'file:lib' } }, { 'lib/package.json': '{}' }],
  ['a Prisma client', { ...web, dependencies: { '@prisma/client': '6' } }, { 'prisma/schema.prisma': '' }],
])(
  'an install that reads the source has it before it runs, also without a build: %s',
  async (_, json, more) => {
    const { build } = await plan(files(json, { 'package-lock.json': '{}', ...more }));
    const steps = build.steps.map((step) => (step.type === 'copy' ? step.paths : step.type));
    expect(steps).toEqual([['.'], 'run']);
  },
);
