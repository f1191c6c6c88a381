/** Real containers behind the real proxy: redeployments while requests that are never tried again keep coming. */
import { execFileSync } from 'node:child_process';
import { beforeAll, expect, test } from 'vitest';
import type { DeploySpec } from '../../../../protocol/job-spec.ts';
import { listServiceContainers } from '../../../../runner/docker/containers.ts';
import { createHostTasks, runHostTask } from '../../../../runner/host/tasks/host-tasks.ts';
import { ask } from '../../../support/docker/ask.ts';
import { webApp } from '../../../support/docker/deploy-fixture.ts';
import { keepAsking } from '../../../support/docker/keep-asking.ts';
import { useDeployFixture, useTestProxy } from '../../../support/docker/use-scenes.ts';

const fixture = useDeployFixture();
const proxy = useTestProxy();

beforeAll(async () => {
  fixture.parts.traffic = proxy.proxy.traffic;
  fixture.parts.dataDirectory = proxy.dataDir;
});

async function deploy(
  files: Record<string, string>,
  of?: DeploySpec,
  more: Partial<DeploySpec> = {},
): Promise<DeploySpec> {
  fixture.commit('shop', files);
  const hostPort = proxy.config.webPorts.first;
  const spec = fixture.spec({ source: fixture.gitSource('shop'), hostPort, ...more }, of);
  const { result, context } = await fixture.deploy(spec);
  expect(result.outcome, context.text()).toBe('succeeded');
  return spec;
}

test('redeployments with retirement lose no request, at the name and at the host port', async () => {
  // Ends when asked to, without waiting for its requests: what the drain must make harmless.
  let spec = await deploy(webApp('0'));
  const name = spec.hostnames[0] ?? '';
  const loads = [
    keepAsking(proxy.config.httpPort, name, 4),
    keepAsking(spec.hostPort, `127.0.0.1:${spec.hostPort}`, 4),
  ];
  for (let version = 1; version <= 4; version += 1) {
    spec = await deploy(webApp(`${version}`), spec);
    await fixture.retireNow();
  }
  for (const load of loads) {
    const { answers, failures, bodies } = await load.stop();
    expect(failures).toEqual([]);
    expect(answers).toBeGreaterThan(500);
    expect(bodies.at(-1)).toBe('4 ');
  }
}, 120_000);

test('a deployment right after another says nothing of old versions that are removed meanwhile', async () => {
  const hostPort = proxy.config.webPorts.first + 2;
  let spec = await deploy(webApp('one'), undefined, { hostPort });
  spec = await deploy(webApp('two'), spec, { hostPort });
  const { retireLater } = fixture.parts;
  const listed = await listServiceContainers(fixture.host.docker, spec.serviceId);
  const old = new Set(listed.map(({ id }) => id));
  expect(old.size).toBe(2);
  // As the chore of the deployment before does, between two steps of this one.
  fixture.parts.retireLater = (retirement) => {
    retireLater(retirement);
    if (retirement.kind !== 'container') return;
    old.delete(retirement.containerId);
    for (const id of old) execFileSync('docker', ['rm', '-f', id], { stdio: 'ignore' });
    old.clear();
  };
  fixture.commit('shop', webApp('three'));
  const { result, context } = await fixture.deploy(
    fixture.spec({ source: fixture.gitSource('shop'), hostPort }, spec),
  );
  fixture.parts.retireLater = retireLater;
  expect([result.outcome, old.size]).toEqual(['succeeded', 0]);
  expect(context.text()).not.toContain('Could not');
});

test('a service may become a static site and an app again, and its name answers 404 once it is removed', async () => {
  const hostPort = proxy.config.webPorts.first + 1;
  let spec = await deploy(webApp('app'), undefined, { hostPort });
  const name = spec.hostnames[0] ?? '';
  const answer = async () => {
    await fixture.retireNow();
    return await ask(proxy.config.httpPort, name);
  };
  const Dockerfile = 'FROM node:24-slim\nWORKDIR /app\nRUN echo page > index.html\n';
  spec = await deploy({ Dockerfile }, spec, { hostPort, runtimeMode: 'static' });
  expect(await answer()).toMatchObject({ status: 200, body: 'page\n' });
  spec = await deploy(webApp('again'), spec, { hostPort, runtimeMode: 'web' });
  expect(await answer()).toMatchObject({ status: 200, body: 'again ' });
  const { serviceId, projectId, hostnames } = spec;
  const removal = { kind: 'remove-service', serviceId, projectId, hostnames, hostPort } as const;
  const removed = await runHostTask(
    createHostTasks({ ...fixture.parts, checkDomainsSoon: () => undefined }),
    removal,
  );
  expect(removed).toMatchObject({ ok: true, detail: expect.stringContaining('404') });
});
