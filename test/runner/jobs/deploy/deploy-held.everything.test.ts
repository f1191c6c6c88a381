/** The figure of docs/design/reliability.md: twenty stop-start replacements under requests that are never tried again. */
import { beforeAll, expect, test } from 'vitest';
import type { DeploySpec } from '../../../../protocol/job-spec.ts';
import { namedApp } from '../../../support/docker/deploy-fixture.ts';
import { testId } from '../../../support/docker/docker-host.ts';
import { heldMs, keepAsking } from '../../../support/docker/keep-asking.ts';
import { useDeployFixture, useTestProxy } from '../../../support/docker/use-scenes.ts';

const fixture = useDeployFixture();
const proxy = useTestProxy();
const replacements = 20;

beforeAll(() => {
  fixture.parts.traffic = proxy.proxy.traffic;
  fixture.parts.dataDirectory = proxy.dataDir;
  fixture.commit('stopped', namedApp);
});

test('twenty replacements of a service with a volume lose no request, with a body or without', async () => {
  const volumes = [{ id: testId('volume'), name: 'data', mountPath: '/data', sizeMb: null }];
  const hostPort = proxy.config.webPorts.first;
  const deploy = async (source: DeploySpec['source'], of?: DeploySpec) => {
    const spec = fixture.spec({ source, hostPort, volumes }, of);
    const { result, context } = await fixture.deploy(spec);
    expect(result.outcome, context.text()).toBe('succeeded');
    return spec;
  };
  let spec = await deploy(fixture.gitSource('stopped'));
  const load = keepAsking(proxy.config.httpPort, spec.hostnames[0] ?? '', 16);
  for (let index = 1; index <= replacements; index += 1) {
    spec = await deploy({ type: 'kept', deploymentId: spec.deploymentId, commitSha: null }, spec);
    await fixture.retireNow();
  }
  const { answers, failures, bodies, held, slowestMs } = await load.stop();
  console.info(
    `${answers} answers, ${failures.length} lost in ${replacements} replacements, ${held} held for over ${heldMs} ms, slowest ${Math.round(slowestMs)} ms`,
  );
  expect(failures.slice(0, 20), proxy.reports.join('\n')).toEqual([]);
  expect(bodies).toHaveLength(replacements + 1);
}, 600_000);
