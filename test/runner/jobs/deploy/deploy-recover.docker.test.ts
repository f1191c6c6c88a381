/** What a dead runner left behind: finished when the traffic had moved, taken away when it had not. */
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { DeploySpec } from '../../../../protocol/job-spec.ts';
import { createDeployJob } from '../../../../runner/jobs/deploy/deploy.ts';
import { stable, temporary, webApp } from '../../../support/docker/deploy-fixture.ts';
import { inspect } from '../../../support/docker/docker-host.ts';
import { useDeployFixture } from '../../../support/docker/use-scenes.ts';
import { type TestContext, testContext } from '../../../support/runner/job-context.ts';

const fixture = useDeployFixture();
let live: DeploySpec;

beforeAll(async () => {
  fixture.commit('shop', webApp('old'));
  live = fixture.spec({ source: fixture.gitSource('shop') });
  const { result, context } = await fixture.deploy(live);
  expect(result.outcome, context.text()).toBe('succeeded');
  fixture.commit('shop', webApp('new'));
});

const recover = (spec: DeploySpec, dead: TestContext, context = testContext()) =>
  createDeployJob(fixture.parts)
    .recover(spec, dead.checkpoints, context)
    .catch((error: { code: string; message: string }) => ({ outcome: 'threw', code: error.code }));

/** Runs a deployment that never returns from the given point, as if the process had been killed there. */
async function killedAt(spec: DeploySpec, point: 'permission' | 'after the switch'): Promise<TestContext> {
  const reached = Promise.withResolvers<void>();
  const forever = new Promise<never>(() => undefined);
  const { switchTo } = fixture.traffic;
  const grant = () => {
    if (point === 'after the switch') return true;
    reached.resolve();
    return forever;
  };
  const context = testContext({ grant });
  if (point === 'after the switch') {
    fixture.traffic.switchTo = async (route) => {
      await switchTo(route);
      reached.resolve();
      await forever;
    };
  }
  void fixture.deploy(spec, { context });
  await reached.promise;
  fixture.traffic.switchTo = switchTo;
  return context;
}

describe('a runner killed before the switch', () => {
  let before: string[];

  afterEach(async () => {
    expect(await fixture.answer(live)).toBe('old ');
    expect((await fixture.host.leftovers()).sort()).toEqual(before.sort());
  });

  test('a runner killed before the switch reports runner_restarted and leaves nothing of the attempt', async () => {
    before = await fixture.host.leftovers();
    const spec = fixture.spec({}, live);
    const dead = await killedAt(spec, 'permission');
    const work = join(fixture.host.dataDirectory, 'work', spec.deploymentId);
    mkdirSync(work, { recursive: true });
    expect(await recover(spec, dead)).toMatchObject({ outcome: 'threw', code: 'runner_restarted' });
    expect(existsSync(work)).toBe(false);
  });

  test('a runner killed before the switch can recover twice, and when nothing had been made', async () => {
    before = await fixture.host.leftovers();
    const spec = fixture.spec({}, live);
    for (const _ of [1, 2]) {
      expect(await recover(spec, testContext())).toMatchObject({ code: 'runner_restarted' });
    }
  });
});

test('a runner killed after the switch finishes name, alias and facts, retires the old version and removes the checkout', async () => {
  const spec = fixture.spec({}, live);
  const dead = await killedAt(spec, 'after the switch');
  expect(await recover(spec, dead)).toMatchObject({
    outcome: 'succeeded',
    facts: {
      imageTag: temporary(spec),
      containerName: stable(spec),
      detectedBuildMethod: 'dockerfile',
      commitSha: expect.stringMatching(/^[0-9a-f]{40}$/),
    },
  });
  expect(existsSync(join(fixture.host.dataDirectory, 'work', spec.deploymentId))).toBe(false);
  await fixture.retireNow();
  expect(await fixture.answer(spec)).toBe('new ');
  const { Config } = await inspect(fixture.host.docker, stable(spec));
  expect(Config.Labels['longshore.deployment']).toBe(spec.deploymentId);
  expect(await fixture.aliasesOf(stable(spec))).toEqual([spec.serviceSlug]);
  await expect(inspect(fixture.host.docker, temporary(live))).rejects.toMatchObject({ statusCode: 404 });
  live = spec;
});

test('a deployment that is sent again after its end is not removed', async () => {
  const { result } = await fixture.deploy(live);
  expect(result).toMatchObject({ outcome: 'succeeded' });
  expect(await fixture.answer(live)).toBe('new ');
});
