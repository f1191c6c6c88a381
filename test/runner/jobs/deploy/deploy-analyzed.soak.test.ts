/** Repositories without a Dockerfile, from checkout to answer. Those that take longer are in test/soak. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { DeploySpec } from '../../../../protocol/job-spec.ts';
import { allBuilders } from '../../../../runner/docker/image-build/builder.ts';
import { deployLimits } from '../../../../runner/jobs/parts/deploy-limits.ts';
import { stable, temporary } from '../../../support/docker/deploy-fixture.ts';
import { inspect } from '../../../support/docker/docker-host.ts';
import { useDeployFixture } from '../../../support/docker/use-scenes.ts';
import { fixtureApp } from '../../../support/fixture-app.ts';

const fixture = useDeployFixture();

beforeAll(async () => {
  fixture.parts.baseImages = { debian: 'node:24-slim' };
});

/** Commits a fixture and deploys it. */
async function deployApp(name: string, more: Partial<DeploySpec> = {}, env: Record<string, string> = {}) {
  fixture.commit(name, fixtureApp(name));
  const spec = fixture.spec({ source: fixture.gitSource(name), ...more });
  const { result, context } = await fixture.deploy(spec, { secrets: { env } });
  return { spec, result, context };
}

const inspectImage = (spec: DeploySpec) => fixture.host.docker.engine.getImage(temporary(spec)).inspect();

describe('Node with npm', () => {
  const secret = 'a value that must stay out of the image';
  let deployed: Awaited<ReturnType<typeof deployApp>>;

  beforeAll(async () => {
    deployed = await deployApp('node-npm', {}, { API_TOKEN: secret });
  });

  test('Node with npm is installed from its lock file, built and answers', async () => {
    const { result, context, spec } = deployed;
    expect(result, context.text()).toMatchObject({
      outcome: 'succeeded',
      facts: { detectedBuildMethod: 'analyzer' },
    });
    expect(context.text()).toContain('npm ci');
    expect(await fixture.answer(spec)).toBe('npm 1m');
  });

  test('Node with npm runs as a user without rights, and without a package manager around it', async () => {
    const { Config } = await inspectImage(deployed.spec);
    expect(Config).toMatchObject({ User: '1000:1000', Cmd: ['/bin/sh', '-c', 'exec node server.js'] });
  });

  test('Node with npm runs below an init process, which passes SIGTERM on and reaps zombies', async () => {
    const { HostConfig } = await inspect(fixture.host.docker, stable(deployed.spec));
    expect(HostConfig.Init).toBe(true);
  });

  test('Node with npm has no value of a variable in its image, neither in its config nor in its history', async () => {
    const image = fixture.host.docker.engine.getImage(temporary(deployed.spec));
    const output = JSON.stringify([await image.inspect(), await image.history()]);
    expect(output).not.toContain(secret);
    expect(output).not.toContain('API_TOKEN');
    expect(deployed.context.text()).not.toContain(secret);
  });

  test('Node with npm installs nothing again when only its source has changed', async () => {
    fixture.commit('node-npm', {
      'server.js': fixtureApp('node-npm')['server.js']?.replace('npm $', 'again $') ?? '',
    });
    const spec = fixture.spec({}, deployed.spec);
    const { context } = await fixture.deploy(spec, { secrets: { env: { API_TOKEN: secret } } });
    expect(context.text()).toMatch(/npm ci.*\(cached\)/);
    expect(await fixture.answer(spec)).toBe('again 1m');
  });

  test('Node with npm is built by the classic builder too', async () => {
    fixture.parts.builders = ['classic'];
    const { result, context, spec } = await deployApp('node-npm', {}, { API_TOKEN: secret });
    fixture.parts.builders = allBuilders;
    expect(result.outcome, context.text()).toBe('succeeded');
    expect(await fixture.answer(spec)).toBe('npm 1m');
  });
});

test('the build sees the variables, and the image keeps only what it made of them', async () => {
  fixture.commit('variables', {
    'package.json': JSON.stringify({
      scripts: { build: 'node build.js', start: 'node server.js' },
    }),
    'build.js': "require('node:fs').writeFileSync('built.txt', 'built with ' + process.env.GREETING)",
    'server.js':
      "const text = require('node:fs').readFileSync('built.txt', 'utf8'); require('node:http').createServer((_, r) => r.end(text)).listen(process.env.PORT)",
  });
  const spec = fixture.spec({ source: fixture.gitSource('variables') });
  const { context } = await fixture.deploy(spec, { secrets: { env: { GREETING: 'moin "$HOME"' } } });
  expect(await fixture.answer(spec).catch(() => context.text())).toBe('built with moin "$HOME"');
});

test('a script is started on the base image', async () => {
  const { result, context, spec } = await deployApp('shell');
  expect(result.outcome, context.text()).toBe('succeeded');
  expect(await fixture.answer(spec)).toBe('shell script');
});

test('a static site of plain files is served unchanged, without a build', async () => {
  const { result, context, spec } = await deployApp('static');
  expect(result.outcome, context.text()).toBe('succeeded');
  const target = fixture.traffic.current(spec.serviceId)?.target;
  expect(target).toMatchObject({ type: 'site', spa: false });
});

test('a static site with a build step is the files that it made, as a single-page app if it says so', async () => {
  fixture.commit('site-build', {
    'package.json': JSON.stringify({
      scripts: { build: 'mkdir dist && echo "$GREETING" > dist/index.html' },
    }),
  });
  const spec = fixture.spec({ source: fixture.gitSource('site-build') });
  const build = { ...spec.build, staticOutput: 'dist' };
  const env = { GREETING: 'built', SPA_FALLBACK: 'true' };
  const { result, context } = await fixture.deploy({ ...spec, build }, { secrets: { env } });
  expect(result.outcome, context.text()).toBe('succeeded');
  const target = fixture.traffic.current(spec.serviceId)?.target;
  if (target?.type !== 'site') throw new Error('no site');
  expect(target.spa).toBe(true);
  expect(readFileSync(join(target.directory, 'index.html'), 'utf8')).toBe('built\n');
  expect((await inspectImage(spec)).Config.Labels).toMatchObject({ 'longshore.site': '/site' });
});

test.each(['buildkit', 'classic'] as const)(
  'a static output that the build did not make is named (%s)',
  async (builder) => {
    fixture.commit('no-output', { 'package.json': JSON.stringify({ scripts: { build: 'true' } }) });
    const spec = fixture.spec({ source: fixture.gitSource('no-output') });
    fixture.parts.builders = [builder];
    const { result } = await fixture.deploy({ ...spec, build: { ...spec.build, staticOutput: 'dist/web' } });
    fixture.parts.builders = allBuilders;
    expect(result).toMatchObject({
      code: 'build_failed',
      message: 'The static output dist/web has no index.html: the build made no such directory.',
    });
  },
);

test('an unknown builder is refused with a reason, not replaced', async () => {
  const { result } = await deployApp('static', {}, { BUILDER: 'nixpacks' });
  expect(result).toMatchObject({
    code: 'build_method_missing',
    message: 'BUILDER is "nixpacks", and must be "analyzer" or "railpack".',
  });
});

test('a source that nothing explains how to build fails with a clear reason', async () => {
  fixture.commit('nothing', { 'README.md': '# nothing' });
  const { result } = await fixture.deploy(fixture.spec({ source: fixture.gitSource('nothing') }));
  expect(result).toMatchObject({
    code: 'build_method_missing',
    message: expect.stringContaining('add a Dockerfile'),
  });
});

let first: DeploySpec;

test('a Procfile starts its web process after its release step has run as the service', async () => {
  const { result, context, spec } = await deployApp('procfile', {}, { GREETING: 'moin' });
  first = spec;
  expect(result.outcome, context.text()).toBe('succeeded');
  expect(context.text()).toContain('released by uid 1000 with GREETING=moin');
  expect(await fixture.answer(spec)).toBe('procfile web');
});

test('a Procfile whose release step fails leaves the old version serving, and nothing behind', async () => {
  const spec = fixture.spec({}, first);
  const { result, context } = await fixture.deploy(spec, { secrets: { env: { GREETING: 'fail' } } });
  expect(result, context.text()).toMatchObject({
    code: 'start_failed',
    message: expect.stringContaining('"node release.js" failed with exit code 3'),
  });
  expect(await fixture.answer(spec)).toBe('procfile web');
  expect((await fixture.host.leftovers()).join()).not.toContain(spec.deploymentId);
});

test('a Procfile whose release step never ends fails in time', async () => {
  fixture.commit('procfile', { Procfile: 'web: node web.js\nrelease: sleep 600\n' });
  fixture.parts.limits = { ...deployLimits, releaseTimeoutMs: 500 };
  const { result } = await fixture.deploy(fixture.spec({}, first));
  fixture.parts.limits = deployLimits;
  expect(result).toMatchObject({ message: expect.stringContaining('did not end in time') });
  expect((await fixture.host.leftovers()).join()).not.toContain('-release');
});

test('a Procfile starts its worker process where the service is a worker', async () => {
  const { result, context, spec } = await deployApp('procfile', { runtimeMode: 'worker', hostnames: [] });
  expect(result.outcome, context.text()).toBe('succeeded');
  expect((await inspectImage(spec)).Config.Cmd).toEqual(['/bin/sh', '-c', 'exec node worker.js']);
});
