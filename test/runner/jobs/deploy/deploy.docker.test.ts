import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { DeploySpec } from '../../../../protocol/job-spec.ts';
import { stable, temporary, webApp } from '../../../support/docker/deploy-fixture.ts';
import { inspect, testId } from '../../../support/docker/docker-host.ts';
import { useDeployFixture } from '../../../support/docker/use-scenes.ts';

const fixture = useDeployFixture();

let first: DeploySpec;

test('a repository with a Dockerfile is built and serves, with its facts, phases and variables', async () => {
  const sha = fixture.commit('shop', webApp('one'));
  first = fixture.spec({ source: fixture.gitSource('shop') });
  const { result, context } = await fixture.deploy(first, { secrets: { env: { GREETING: 'hello' } } });
  expect(result, context.text()).toEqual({
    outcome: 'succeeded',
    facts: {
      commitSha: sha,
      commitMessage: expect.any(String),
      commitAuthor: expect.any(String),
      branch: 'main',
      detectedBuildMethod: 'dockerfile',
      suggestedKeys: [],
      sourceFiles: ['Dockerfile'],
      imageTag: temporary(first),
      containerName: stable(first),
    },
  });
  expect(context.phases.map(({ phase }) => phase)).toEqual([
    'clone',
    'clone', // again, with the commit
    'build',
    'start',
    'health',
    'switch',
    'finish',
  ]);
  expect(context.text()).toMatch(/build: done in \d+\.\d s/);
  expect(await fixture.answer(first)).toBe('one hello');
  expect(await fixture.aliasesOf(stable(first))).toEqual([first.serviceSlug]);
  expect(readdirSync(join(fixture.host.dataDirectory, 'work'))).toEqual([]);
});

test('a repository with a Dockerfile runs under the golden policy', async () => {
  const limited = fixture.spec({ source: fixture.gitSource('shop'), memoryLimitMb: 128, cpuLimit: 0.5 });
  const { result, context } = await fixture.deploy(limited);
  expect(result.outcome, context.text()).toBe('succeeded');
  const { HostConfig, Mounts, Config } = await inspect(fixture.host.docker, stable(limited));
  expect(HostConfig).toMatchObject({
    Memory: 128 * 1024 * 1024,
    MemorySwap: 128 * 1024 * 1024,
    NanoCpus: 500_000_000,
    PidsLimit: 4096,
    RestartPolicy: { Name: 'unless-stopped' },
    LogConfig: { Type: 'local', Config: { 'max-size': '10m', 'max-file': '3' } },
    CapDrop: ['ALL'],
    CapAdd: expect.not.arrayContaining(['NET_RAW', 'MKNOD', 'SYS_ADMIN', 'SYS_CHROOT']),
    SecurityOpt: ['no-new-privileges'],
    Privileged: false,
    Binds: null,
    PortBindings: null,
    PidMode: '',
    IpcMode: 'private',
    UsernsMode: '',
  });
  expect(Mounts).toEqual([]);
  expect(Config.Env).toContain('PORT=8080');
  expect(Config.Labels).toMatchObject({
    'longshore.instance': fixture.host.docker.instance,
    'longshore.service': limited.serviceId,
    'longshore.deployment': limited.deploymentId,
    'longshore.epoch': '1',
    'longshore.role': 'app',
  });
});

test('a second deployment takes traffic, alias and name, and the first one is gone after its retirement', async () => {
  fixture.commit('shop', webApp('two'));
  const second = fixture.spec({}, first);
  const { result, context } = await fixture.deploy(second);
  expect(result.outcome, context.text()).toBe('succeeded');
  expect(await fixture.answer(second)).toBe('two ');
  expect(await fixture.aliasesOf(stable(second))).toEqual([second.serviceSlug]);
  await fixture.retireNow();
  await expect(inspect(fixture.host.docker, temporary(first))).rejects.toMatchObject({ statusCode: 404 });
  expect(await fixture.answer(second)).toBe('two ');
  first = second;
});

test('a repository with a Dockerfile keeps its address when the container is restarted', async () => {
  const container = fixture.host.docker.engine.getContainer(stable(first));
  await container.restart({ t: 1 });
  await expect.poll(() => fixture.answer(first).catch(() => ''), { timeout: 10_000 }).toBe('two ');
});

test('two services of a new project that are deployed at once share its network and get different addresses', async () => {
  fixture.commit('shop', webApp('pair'));
  const projectId = testId('project');
  const pair = [1, 2].map(() =>
    fixture.spec({ source: fixture.gitSource('shop'), projectId, serviceId: testId('service') }),
  );
  const done = await Promise.all(pair.map((spec) => fixture.deploy(spec)));
  expect(done.map(({ result }) => result)).toMatchObject([
    { outcome: 'succeeded' },
    { outcome: 'succeeded' },
  ]);
  const endpoints = await Promise.all(
    pair.map(
      async (spec) =>
        Object.values((await inspect(fixture.host.docker, stable(spec))).NetworkSettings.Networks)[0],
    ),
  );
  expect(endpoints[0]?.NetworkID).toBe(endpoints[1]?.NetworkID);
  expect(endpoints[0]?.IPAddress).not.toBe(endpoints[1]?.IPAddress);
  expect(await Promise.all(pair.map((spec) => fixture.answer(spec)))).toEqual(['pair ', 'pair ']);
});
