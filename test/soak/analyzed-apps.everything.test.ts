/** Frameworks and package managers from the real registry: checkout, build, start, answer. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { DeploySpec } from '../../protocol/job-spec.ts';
import { useDeployFixture } from '../support/docker/use-scenes.ts';
import { fixtureApp } from '../support/fixture-app.ts';

const fixture = useDeployFixture();

async function deployApp(name: string, env: Record<string, string> = {}, rootDir: string | null = null) {
  fixture.commit(name, fixtureApp(name));
  const spec = fixture.spec({ source: fixture.gitSource(name, { rootDir }) });
  const { result, context } = await fixture.deploy(spec, { secrets: { env } });
  expect(result, context.text()).toMatchObject({ outcome: 'succeeded' });
  return { spec, facts: result.outcome === 'succeeded' ? result.facts : {}, context };
}

function page(spec: DeploySpec, path = 'index.html'): string {
  const target = fixture.traffic.current(spec.serviceId)?.target;
  if (target?.type !== 'site') throw new Error('no site');
  return readFileSync(join(target.directory, path), 'utf8');
}

const isSpa = ({ serviceId }: DeploySpec) => {
  const target = fixture.traffic.current(serviceId)?.target;
  return target?.type === 'site' && target.spa;
};

test('Next serves from its own traced files, with both kinds of variables', async () => {
  const env = { GREETING: 'at run time', NEXT_PUBLIC_GREETING: 'in the page' };
  const { spec, facts, context } = await deployApp('next', env);
  expect(facts).toMatchObject({ framework: 'nextjs', detectedBuildMethod: 'analyzer' });
  expect(context.text()).toContain('/app/.next/standalone/');
  const answer = await fixture.answer(spec);
  expect(answer.replaceAll('<!-- -->', '')).toContain('next at run time, public in the page');
});

test('Vite with React is served as a single-page app', async () => {
  const { spec, facts } = await deployApp('vite-react', { VITE_GREETING: 'moin' });
  expect(facts.framework).toBe('vite');
  expect(page(spec)).toMatch(/vite moin[\s\S]*assets\/index-[\w-]{8}\.js/);
  expect(isSpa(spec)).toBe(true);
});

test('Vue with Vite is served as a single-page app', async () => {
  const { spec, facts } = await deployApp('vue', { VITE_GREETING: 'moin' });
  expect(facts.framework).toBe('vite');
  expect(page(spec)).toMatch(/vue moin[\s\S]*assets\/index-[\w-]{8}\.js/);
  expect(isSpa(spec)).toBe(true);
});

test('Angular is served as a single-page app from a directory that angular.json does not name', async () => {
  const { spec, facts } = await deployApp('angular');
  expect(facts.framework).toBe('angular');
  expect(page(spec)).toMatch(/<app-root>[\s\S]*src="main-\w+\.js"/);
  expect(isSpa(spec)).toBe(true);
});

test('TanStack Start without Nitro is served with what its server renders and what the client loads', async () => {
  const { spec, facts } = await deployApp('tanstack-start', { GREETING: 'moin' });
  expect(facts.framework).toBe('tanstack-start');
  const answer = await fixture.answer(spec);
  expect(answer.replaceAll('<!-- -->', '')).toContain('tanstack moin');
  const [, script = ''] = /href="(\/assets\/index-[^"]+\.js)"/.exec(answer) ?? [];
  expect(await fixture.answer(spec, script)).toContain('function');
});

test('Astro serves prerendered pages and its own 404 page', async () => {
  const { spec, facts } = await deployApp('astro');
  expect(facts.framework).toBe('astro');
  expect(page(spec)).toContain('astro, made beforehand');
  expect(page(spec, '404.html')).toContain('no such page');
  expect(isSpa(spec)).toBe(false);
});

test.each<[string, string | null]>([
  ['named by rootDir', 'apps/web'],
  ['the only one that starts', null],
])('a package of a pnpm workspace, %s, is built after what it uses', async (_, rootDir) => {
  const { spec } = await deployApp('pnpm-workspace', {}, rootDir);
  expect(await fixture.answer(spec)).toBe('workspace 1s');
});

test.each<[string, string | null]>([
  ['named by rootDir', 'apps/api'],
  ['the only application', null],
])('an app of an Nx workspace without a package.json, %s, is built by Nx', async (_, rootDir) => {
  const { spec } = await deployApp('nx', {}, rootDir);
  expect(await fixture.answer(spec)).toBe('nx 1s');
});

test.each([
  ['bun', 'bun 1s'],
  ['bun-workspace', 'bun workspace 1s 0'],
  ['deno', 'deno 1s'],
  ['shell', 'shell script'],
])('%s is built and answers', async (name, answer) => {
  const { spec } = await deployApp(name);
  expect(await fixture.answer(spec)).toBe(answer);
});
