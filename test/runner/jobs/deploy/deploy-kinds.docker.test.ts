/** The kinds of services beside a Dockerfile's: images, workers, static sites. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { DeploySpec } from '../../../../protocol/job-spec.ts';
import { stable, temporary, webApp } from '../../../support/docker/deploy-fixture.ts';
import { inspect } from '../../../support/docker/docker-host.ts';
import { useDeployFixture } from '../../../support/docker/use-scenes.ts';
import { testContext } from '../../../support/runner/job-context.ts';

const fixture = useDeployFixture();

describe('an image service', () => {
  let image: string;

  beforeAll(async () => {
    image = `${fixture.host.docker.instance.replace('_', '-')}.invalid/team/app:1`;
    fixture.commit('base', webApp('from an image'));
    const built = fixture.spec({ source: fixture.gitSource('base') });
    await fixture.deploy(built);
    const [repo, tag] = image.split(':');
    await fixture.host.docker.engine.getImage(temporary(built)).tag({ repo: repo ?? '', tag: tag ?? '' });
  });

  test('an image service runs the copy on the host when the registry cannot be reached, under its own image tag', async () => {
    const spec = fixture.spec({ source: { type: 'image', imageRef: image } });
    const { result, context } = await fixture.deploy(spec);
    expect(result, context.text()).toEqual({
      outcome: 'succeeded',
      facts: { imageTag: temporary(spec), containerName: stable(spec) },
    });
    expect(context.text()).toContain('using the copy');
    expect(await fixture.answer(spec)).toBe('from an image ');
  });

  test('an image service fails in one sentence when neither registry nor host has the image', async () => {
    const spec = fixture.spec({ source: { type: 'image', imageRef: 'no-such-registry.invalid/app' } });
    const { result } = await fixture.deploy(spec);
    expect(result).toMatchObject({
      code: 'image_failed',
      message:
        'The registry of no-such-registry.invalid/app cannot be reached, and the host has no copy of the image. Connect the host to the registry, or load the image there by hand (docker save, docker load), and deploy again.',
    });
  });

  test('an image service cannot run an image that Longshore built for another service', async () => {
    const stolen = 'longshore-svc_0123456789abcdef-dep_0123456789abcdef';
    const { result } = await fixture.deploy(fixture.spec({ source: { type: 'image', imageRef: stolen } }));
    expect(result).toMatchObject({ code: 'source_refused' });
  });
});

const worker = (text: string) => ({
  Dockerfile: 'FROM node:24-slim\nCOPY worker.js .\nCMD ["node", "worker.js"]\n',
  'worker.js': `console.log(${JSON.stringify(text)}, process.env.PORT); setInterval(() => {}, 1000); process.on('SIGTERM', () => process.exit(0))`,
});
let first: DeploySpec;

test('a worker runs without a route and without PORT, after it has stayed up', async () => {
  fixture.commit('worker', worker('one'));
  first = fixture.spec({ source: fixture.gitSource('worker'), runtimeMode: 'worker', hostnames: [] });
  const { result, context } = await fixture.deploy(first);
  expect(result, context.text()).toMatchObject({
    outcome: 'succeeded',
    facts: { containerName: stable(first) },
  });
  expect(fixture.traffic.current(first.serviceId)).toBeUndefined();
  expect((await inspect(fixture.host.docker, stable(first))).Config.Env).not.toContainEqual(
    expect.stringMatching(/^PORT=/),
  );
});

const runs = async (name: string) => (await inspect(fixture.host.docker, name)).State.Running;

test('a worker that can’t be replaced is started again', async () => {
  fixture.commit('worker', { ...worker('x'), 'worker.js': 'process.exit(7)' });
  const { result, context } = await fixture.deploy(fixture.spec({}, first));
  expect(result).toMatchObject({ code: 'health_failed' });
  expect(context.text()).toContain('Stopping the old version before the new one starts: it is a worker');
  expect(await runs(stable(first))).toBe(true);
});

test('a worker never runs twice at once, unless WORKER_OVERLAP allows it', async () => {
  fixture.commit('worker', worker('two'));
  const seen: Record<string, boolean> = {};
  for (const overlap of ['false', 'true']) {
    // Permission is asked for when the new one has proved itself; it is refused, so that the old one stays.
    const context = testContext({
      grant: async () => {
        seen[overlap] = await runs(stable(first));
        return false;
      },
    });
    const secrets = { env: { WORKER_OVERLAP: overlap } };
    await fixture.deploy(fixture.spec({}, first), { context, secrets });
    expect(await runs(stable(first))).toBe(true);
  }
  expect(seen).toEqual({ false: false, true: true });
});

test('a worker is replaced by its next version', async () => {
  const second = fixture.spec({}, first);
  const { result, context } = await fixture.deploy(second);
  expect(result.outcome, context.text()).toBe('succeeded');
  await fixture.retireNow();
  const { Config } = await inspect(fixture.host.docker, stable(second));
  expect(Config.Labels['longshore.deployment']).toBe(second.deploymentId);
  await expect(inspect(fixture.host.docker, temporary(first))).rejects.toMatchObject({ statusCode: 404 });
});

test('a worker that ends at once fails', async () => {
  fixture.commit('worker', { ...worker('x'), 'worker.js': 'console.log("nothing to do")' });
  const { result, context } = await fixture.deploy(fixture.spec({}, first));
  expect(result).toMatchObject({ code: 'health_failed', message: expect.stringContaining('exit code 0') });
  expect(context.text()).toContain('nothing to do');
});

describe('a static site', () => {
  let first: DeploySpec;
  const release = (spec: DeploySpec) =>
    join(fixture.host.dataDirectory, 'sites', 'releases', spec.deploymentId);

  test('a static site is served from its release, and is an image as well', async () => {
    fixture.commit('site', {
      'index.html': '<h1>one</h1>',
      'assets/site.css': 'h1 {}',
      'passwd.txt': { link: '/etc/passwd' },
      'copy.html': { link: 'index.html' },
    });
    first = fixture.spec({ source: fixture.gitSource('site'), runtimeMode: 'static' });
    const { result, context } = await fixture.deploy(first);
    expect(result, context.text()).toMatchObject({
      outcome: 'succeeded',
      facts: { imageTag: temporary(first), containerName: stable(first), detectedBuildMethod: 'analyzer' },
    });
    const { target } = fixture.traffic.current(first.serviceId) ?? {};
    expect(target).toEqual({ type: 'site', directory: release(first), spa: false });
    expect(readdirSync(release(first)).sort()).toEqual(['assets', 'copy.html', 'index.html']);
    expect(readFileSync(join(release(first), 'copy.html'), 'utf8')).toBe('<h1>one</h1>');
    const { Config } = await fixture.host.docker.engine.getImage(temporary(first)).inspect();
    expect(Config.Labels).toMatchObject({ 'longshore.service': first.serviceId });
  });

  test('a static site is replaced by a new release, and the old one is removed after the switch', async () => {
    fixture.commit('site', { 'index.html': '<h1>two</h1>' });
    const second = fixture.spec({}, first);
    await fixture.deploy(second, { secrets: { env: { SPA_FALLBACK: 'true' } } });
    expect(fixture.traffic.current(second.serviceId)?.target).toMatchObject({
      directory: release(second),
      spa: true,
    });
    expect(existsSync(release(first))).toBe(true);
    await fixture.retireNow();
    expect(existsSync(release(first))).toBe(false);
    expect(readFileSync(join(release(second), 'index.html'), 'utf8')).toBe('<h1>two</h1>');
  });

  test('a static site can be what a Dockerfile builds: staticOutput below its working directory', async () => {
    fixture.commit('built', {
      Dockerfile: 'FROM node:24-slim\nWORKDIR /app\nRUN mkdir dist && echo built > dist/index.html\n',
    });
    const build = { ...first.build, staticOutput: 'dist' };
    const spec = fixture.spec({ source: fixture.gitSource('built'), build });
    const { result, context } = await fixture.deploy(spec);
    expect(result, context.text()).toMatchObject({
      outcome: 'succeeded',
      facts: { detectedBuildMethod: 'dockerfile' },
    });
    expect(readFileSync(join(release(spec), 'index.html'), 'utf8')).toBe('built\n');
  });

  test('a static site without index.html in what the Dockerfile built fails, and leaves no release', async () => {
    fixture.commit('built', { Dockerfile: 'FROM node:24-slim\nWORKDIR /app\nRUN mkdir dist\n' });
    const spec = fixture.spec({
      source: fixture.gitSource('built'),
      build: { ...first.build, staticOutput: 'dist' },
    });
    expect((await fixture.deploy(spec)).result).toMatchObject({ code: 'build_failed' });
    expect(existsSync(release(spec))).toBe(false);
  });
});

test('the builder sees the service root as the repository has it: rootDir, .dockerignore and file modes', async () => {
  fixture.commit('mono', {
    'other/secret.txt': 'not ours',
    'app/Dockerfile':
      'FROM node:24-slim\nWORKDIR /app\nCOPY . .\nRUN ls -a > seen.txt\nCMD ["node", "server.js"]\n',
    'app/.dockerignore': '*\n!server.js\n!data/keep.txt\n',
    'app/server.js':
      "require('node:http').createServer((_, r) => r.end(require('node:fs').readdirSync('.', {recursive: true}).sort().join(' '))).listen(8080)",
    'app/data/keep.txt': 'x',
    'app/data/drop.txt': 'x',
  });
  const source = fixture.gitSource('mono', { rootDir: 'app' });
  const { build } = fixture.spec({ source });
  const spec = fixture.spec({ source, build: { ...build, startCommand: 'node other.js' } });
  const { result, context } = await fixture.deploy(spec);
  expect(result.outcome, context.text()).toBe('succeeded');
  expect(context.text()).toContain(
    'Warning: startCommand is not used, because a Dockerfile builds this service',
  );
  expect(await fixture.answer(spec)).toBe('Dockerfile data data/keep.txt seen.txt server.js');
});
