/** Settings of a framework that decide whether its build is a site or a server, wherever the framework's own tool writes them. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { BuildPlan } from '../../../../../../runner/builder/analyzer/build-plan.ts';
import { writeFiles } from '../../../../../support/runner/repository.ts';
import { planOf, startOf } from '../plans.ts';

const project = (json: object, more: Record<string, string> = {}) => ({
  'package.json': JSON.stringify(json),
  ...more,
});

const siteOf = ({ output }: BuildPlan) =>
  output.type === 'site' ? `${output.directory}${output.spa ? ' spa' : ''}` : `starts ${output.start}`;

const reactRouter = (start: string) => ({
  scripts: { build: 'react-router build', start },
  dependencies: { '@react-router/node': '8', '@react-router/serve': '8' },
  devDependencies: { '@react-router/dev': '8' },
});
const remix = (start: string) => ({
  scripts: { build: 'remix vite:build', start },
  dependencies: { '@remix-run/node': '2', '@remix-run/serve': '2' },
  devDependencies: { '@remix-run/dev': '2', vite: '6' },
});

test.each<[string, object, Record<string, string>]>([
  [
    'React Router',
    reactRouter('react-router-serve ./build/server/index.js'),
    { 'react-router.config.ts': 'export default { ssr: false }' },
  ],
  [
    'React Router with a variable before its server',
    reactRouter('cross-env NODE_ENV=production react-router-serve ./build/server/index.js'),
    { 'react-router.config.ts': 'export default { ssr: false }' },
  ],
  [
    'Remix',
    remix('remix-serve ./build/server/index.js'),
    { 'vite.config.ts': 'export default { plugins: [remix({ ssr: false })] }' },
  ],
])(
  '%s without server rendering is a site, although its script starts the server',
  async (_, json, config) => {
    expect(siteOf(await planOf(project(json, config)))).toBe('build/client spa');
  },
);

test('React Router without server rendering is started by the server of the project itself', async () => {
  const config = { 'react-router.config.ts': 'export default { ssr: false }' };
  expect(startOf(await planOf(project(reactRouter('node server.js'), config)))).toBe('node server.js');
});

test.each(['node .output/server/index.mjs', 'nuxt start', 'nuxt preview'])(
  'a generated Nuxt is a site, although its script runs %s',
  async (start) => {
    const json = { dependencies: { nuxt: '4' }, scripts: { build: 'nuxt generate', start } };
    expect(siteOf(await planOf(project(json)))).toBe('.output/public');
  },
);

const svelteKit = (adapter: string) => ({
  scripts: { build: 'vite build' },
  devDependencies: { [`@sveltejs/adapter-${adapter}`]: '3', '@sveltejs/kit': '2', vite: '8' },
});
const svelteConfigs = ['svelte.config.js', 'vite.config.ts'];

test.each(svelteConfigs)('SvelteKit reads the settings of its static adapter in %s', async (file) => {
  const plan = (options: string) =>
    planOf(project(svelteKit('static'), { [file]: `export default { adapter: adapter(${options}) }` }));
  expect(siteOf(await plan(''))).toBe('build');
  expect(siteOf(await plan("{ fallback: 'index.html' }"))).toBe('build spa');
  expect(siteOf(await plan("{ pages: './public/site', assets: 'public/site' }"))).toBe('public/site');
});

test.each(svelteConfigs)('SvelteKit for another platform is refused by its adapter in %s', async (file) => {
  const text = "import adapter from '@sveltejs/adapter-vercel'; export default { adapter: adapter() }";
  await expect(planOf(project(svelteKit('vercel'), { [file]: text }))).rejects.toThrow(
    `${file} uses @sveltejs/adapter-vercel, which builds for that platform alone`,
  );
});

test('the root of a workspace is the app if no package starts and the root has a main file', async () => {
  const root = { name: 'shop', workspaces: ['packages/*'], dependencies: { one: 'workspace:*' } };
  const files = {
    'packages/one/package.json': '{"name":"one"}',
    'packages/one/index.ts': '',
    'bun.lock': '',
  };
  expect(startOf(await planOf({ ...project(root, files), 'index.ts': '' }))).toBe('bun index.ts');
  await expect(planOf(project(root, files))).rejects.toThrow('set rootDir');
  const app = { 'packages/one/package.json': '{"name":"one","scripts":{"start":"node a.js"}}' };
  expect(startOf(await planOf({ ...project(root, files), ...app, 'index.ts': '' }))).toBe('node a.js');
});

test.each<[string, string, string]>([
  ['waku', 'waku start', 'waku.config.ts'],
  ['next', 'PORT=1 next start', 'next.config.mjs'],
])(
  'development dependencies stay for a server that loads them from its configuration: %s',
  async (name, start, config) => {
    const json = {
      scripts: { build: `${name} build`, start },
      dependencies: { [name]: '1', react: '19' },
      devDependencies: { '@tailwindcss/vite': '4', typescript: '6' },
    };
    const pruned = async (text: string) => {
      const { build } = await planOf(project(json, { [config]: text }));
      return build.steps.some((step) => step.type === 'run' && step.command.startsWith('npm prune'));
    };
    expect(await pruned("import tailwind from '@tailwindcss/vite'; export default {}")).toBe(false);
    expect(await pruned("import { defineConfig } from 'react/config'; export default {}")).toBe(true);
  },
);

test('the log of an Astro server that mistrusts the proxy says what its configuration lacks', async () => {
  const json = { scripts: { build: 'astro build' }, dependencies: { astro: '7', '@astrojs/node': '11' } };
  const warned = async (security: string) => {
    const config = `export default { output: 'server', adapter: node({ mode: 'standalone' }), ${security} }`;
    const { notes } = await planOf(project(json, { 'astro.config.mjs': config }));
    return notes.some((note) => note.includes("allowedDomains: [{ hostname: '**' }]"));
  };
  expect(await warned('')).toBe(true);
  expect(await warned("security: { allowedDomains: [{ hostname: 'shop.example.com' }] }")).toBe(false);
  expect(await warned('security: { checkOrigin: false }')).toBe(false);
});

test.each([
  [[], []],
  [['200.html'], ['200.html', 'index.html']],
  [
    ['200.html', 'index.html'],
    ['200.html', '404.html', 'index.html'],
  ],
  [
    ['200.html', '404.html', 'index.html'],
    ['200.html', '404.html', 'index.html'],
  ],
])(
  'the fallback of SvelteKit becomes the page for unknown paths: of %j the build keeps %j',
  async (made, kept) => {
    const config = { 'vite.config.ts': "export default { adapter: adapter({ fallback: '200.html' }) }" };
    const { build } = await planOf(project(svelteKit('static'), config));
    const last = build.steps.at(-1);
    const root = mkdtempSync(join(tmpdir(), 'longshore-fallback-'));
    onTestFinished(() => rmSync(root, { recursive: true }));
    writeFiles(root, Object.fromEntries(made.map((name) => [`build/${name}`, name])));
    execFileSync('/bin/sh', [
      '-c',
      last?.type === 'run' ? last.command.replaceAll('/app/', `${root}/`) : 'exit 9',
    ]);
    expect(made.length === 0 ? [] : readdirSync(join(root, 'build')).sort()).toEqual(kept);
  },
);
