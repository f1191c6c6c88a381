/** The figure of docs/lab-books/performance.md: twenty deployments of three replicas under requests that are never tried again. */
import { beforeAll, expect, test } from 'vitest';
import type { DeploySpec } from '../../../../protocol/job-spec.ts';
import { namedApp } from '../../../support/docker/deploy-fixture.ts';
import { keepAsking } from '../../../support/docker/keep-asking.ts';
import { useDeployFixture, useTestProxy } from '../../../support/docker/use-scenes.ts';
import { until } from '../../../support/runner/until.ts';

const fixture = useDeployFixture();
const proxy = useTestProxy();
const deployments = 20;
const requests = 100_000;

beforeAll(() => {
  fixture.parts.traffic = proxy.proxy.traffic;
  fixture.parts.dataDirectory = proxy.dataDir;
  fixture.commit('replicas', namedApp);
});

test('twenty deployments of three replicas lose none of 100,000 requests', async () => {
  const hostPort = proxy.config.webPorts.first;
  const deploy = async (source: DeploySpec['source'], of?: DeploySpec) => {
    const spec = fixture.spec({ source, hostPort, replicas: 3 }, of);
    const { result, context } = await fixture.deploy(spec);
    expect(result.outcome, context.text()).toBe('succeeded');
    return spec;
  };
  let spec = await deploy(fixture.gitSource('replicas'));
  const load = keepAsking(proxy.config.httpPort, spec.hostnames[0] ?? '', 16);
  for (let index = 1; index <= deployments; index += 1) {
    const source = { type: 'kept', deploymentId: spec.deploymentId, commitSha: null } as const;
    spec = await deploy(source, spec);
    await fixture.retireNow();
  }
  const during = load.answers();
  await until('enough requests', () => load.answers() >= requests, 600_000);
  const { answers, failures, bodies, slowestMs } = await load.stop();
  console.info(
    `${answers} answers (${during} during ${deployments} deployments), slowest ${Math.round(slowestMs)} ms`,
  );
  expect(failures.slice(0, 20), proxy.reports.join('\n')).toEqual([]);
  expect(bodies).toHaveLength(3 * (deployments + 1));
}, 1_200_000);
