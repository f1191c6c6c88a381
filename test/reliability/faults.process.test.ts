/**
 * Faults of docs/design/reliability.md between a real daemon and the real Worker, with a line in between that breaks; each test names the
 * fault's number. The runners' timers run a little faster, and minutes are skipped; the control plane's clock is set forward.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest';
import { temporaryDirectory } from '../support/runner/temporary-directory.ts';
import { until } from '../support/runner/until.ts';
import { type ChaosControlPlane, startChaosControlPlane } from '../support/simulation/chaos-control-plane.ts';
import { startSimulatedRunner } from '../support/simulation/simulated-runner.ts';

const minuteMs = 60_000;
const speed = 4;
const data = mkdtempSync(join(tmpdir(), 'longshore-faults-'));
let plane: ChaosControlPlane;

beforeAll(async () => {
  plane = await startChaosControlPlane(data);
}, 120_000);

afterEach(() => plane.pull({ d1: 'none', skewMs: 0 }));

afterAll(async () => {
  await plane.stop();
  rmSync(data, { recursive: true, force: true });
});

interface DeploymentRow {
  status: string;
  state: string;
  epoch: number;
  phase: string | null;
  failureCode: string | null;
}

/** A connected runner with one service, whose deployments stay in `hold` until they are let go. */
async function stage(env: Record<string, string> = {}) {
  const { call, rows } = plane;
  const runner = await startSimulatedRunner(plane, temporaryDirectory(), { speed, env });
  onTestFinished(() => runner.close());
  const { project } = (await call('POST', '/api/projects', { name: 'Faults', description: '' })).body;
  const { service } = (
    await call('POST', `/api/projects/${project.id}/services`, {
      ...{ name: 'web', repoUrl: 'container-image', imageRef: 'app:1', branch: 'main' },
      ...{ runtimeMode: 'web', internalPort: 8080, env: [], runnerId: runner.runnerId },
    })
  ).body;
  const row = async (id: string) => {
    const [found] = await rows<DeploymentRow>(`select status, state, epoch, phase, failure_code as failureCode
      from deployments join jobs on jobs.id = deployments.job_id where deployments.id = '${id}'`);
    return found;
  };
  const reach = async (id: string, wanted: Partial<DeploymentRow>) => {
    const is = (found: DeploymentRow | undefined) =>
      Object.entries(wanted).every(([key, value]) => found?.[key as keyof DeploymentRow] === value);
    await until(`${id} as ${JSON.stringify(wanted)}`, async () => is(await row(id))).catch(async (error) => {
      throw new Error(`${error.message}; it is ${JSON.stringify(await row(id))}\n${runner.output()}`);
    });
  };
  const deploy = async (): Promise<string> => {
    const { status, body } = await call('POST', `/api/services/${service.id}/deployments`);
    expect(status).toBe(200);
    return body.deployment.id;
  };
  return {
    runner,
    serviceId: String(service.id),
    row,
    reach,
    deploy,
    async live(): Promise<string> {
      const id = await deploy();
      await reach(id, { status: 'running' });
      return id;
    },
    abort: async (id: string) => (await call('POST', `/api/deployments/${id}/abort`)).status,
    /** The log is whole: ids from 1 without a gap, every line of the script once. */
    async expectWholeLog(id: string) {
      const entries: { id: number; line: string }[] = (await call('GET', `/api/deployments/${id}/logs`)).body
        .logs;
      expect(entries.map((entry) => entry.id)).toEqual(entries.map((_, index) => index + 1));
      const said = entries.map(({ line }) => line).filter((line) => line.startsWith('line '));
      expect(said).toEqual(said.map((_, index) => `line ${index + 1}`));
      expect(entries.at(-1)?.line).toBe('Done.');
    },
    gone: () =>
      until('the absence in the row', async () => {
        const [found] = await rows<{ at: number | null }>(
          `select connected_at as at from runners where id = '${runner.runnerId}'`,
        );
        return found?.at === null;
      }),
  };
}

test('fault 2: after a crash of its hub the runner is back within 5 s and continues with the same attempt', async () => {
  const { runner, deploy, reach, row, expectWholeLog } = await stage({ TIMER_SPEED: '1' });
  runner.host.hold('build');
  const id = await deploy();
  await reach(id, { phase: 'build' });
  const before = runner.connects();
  const crashedAt = performance.now();
  await plane.crashHub(runner.runnerId);
  await until('the new connection', () => runner.connects() > before);
  expect(performance.now() - crashedAt).toBeLessThan(5_000);
  runner.host.letGo();
  await reach(id, { status: 'running' });
  expect((await row(id))?.epoch).toBe(1);
  await expectWholeLog(id);
});

test('fault 5: a black hole of 90 s is noticed within 60 s, and the job continues', async () => {
  const { runner, deploy, reach, row, expectWholeLog } = await stage();
  runner.host.hold('build');
  const id = await deploy();
  await reach(id, { phase: 'build' });
  runner.proxy.blackHole('up', 'down');
  await runner.minutes(1);
  expect(runner.output()).toContain('the control plane was silent for too long');
  await runner.minutes(1);
  runner.proxy.heal();
  runner.host.letGo();
  await reach(id, { status: 'running' });
  expect((await row(id))?.epoch).toBe(1);
  await expectWholeLog(id);
});

test('fault 6: a build that ends during a partition of 5 min is delivered with its lines, and succeeds', async () => {
  const { runner, deploy, reach, row, gone, expectWholeLog } = await stage();
  runner.host.hold('build');
  const id = await deploy();
  await reach(id, { phase: 'build' });
  runner.proxy.refuse(true);
  runner.proxy.cut();
  await gone();
  runner.host.letGo();
  await runner.minutes(5);
  await plane.pull({ skewMs: 5 * minuteMs });
  await plane.sweep();
  expect((await row(id))?.state).toBe('active');
  runner.proxy.refuse(false);
  await reach(id, { status: 'running', epoch: 1 });
  await expectWholeLog(id);
});

test('fault 7: after a partition of 15 min the job is lost, the late result dropped, and the old version shown serving', async () => {
  const { runner, live, deploy, reach, gone, serviceId } = await stage();
  const old = await live();
  runner.host.hold('build');
  const id = await deploy();
  await reach(id, { phase: 'build' });
  runner.proxy.refuse(true);
  runner.proxy.cut();
  await gone();
  await plane.pull({ skewMs: 15 * minuteMs });
  await plane.sweep();
  await reach(id, { status: 'failed', failureCode: 'runner_lost' });
  runner.host.letGo();
  runner.proxy.refuse(false);
  await until(
    'nothing more to say',
    () => runner.unfinished().reports === 0 && runner.unfinished().jobs === 0,
  );
  await reach(id, { status: 'failed', failureCode: 'runner_lost' });
  await reach(old, { status: 'running' });
  expect([...runner.host.routes()]).toEqual([[serviceId, old]]);
  expect([...runner.host.containers().keys()]).toEqual([old]);
  await until('it is shown', async () => {
    const { service } = (await plane.call('GET', `/api/services/${serviceId}/overview`)).body;
    return service.status === 'active' && service.reachable;
  });
});

test('fault 19: of two machines with one identity the later start stays, and the other stops permanently', async () => {
  const first = await stage();
  const copy = temporaryDirectory();
  await cp(first.runner.dataDirectory, copy, { recursive: true });
  const second = first.runner.twin(copy);
  onTestFinished(() => second.close());
  second.start({ ALWAYS_SUCCEEDS: 'yes' });
  expect(await first.runner.ended()).toBe(78);
  expect(first.runner.output()).toContain('stopped: replaced');
  const id = await first.deploy();
  await first.reach(id, { status: 'running' });
  expect(second.host.containers().has(id)).toBe(true);
});

test.each([
  ['jumps by an hour while connected', 0],
  ['is an hour fast, and jumps by another', 60 * minuteMs],
  ['is an hour slow, and jumps by one', -60 * minuteMs],
])('fault 20: no deployment ends early on a host whose clock %s', async (_, skewMs) => {
  const { runner, live, deploy, reach } = await stage({ CLOCK_SKEW_MS: String(skewMs) });
  const before = await live();
  runner.host.hold('build');
  const during = await deploy();
  await reach(during, { phase: 'build' });
  runner.signal('SIGUSR2');
  runner.host.letGo();
  await reach(during, { status: 'running' });
  await reach(before, { status: 'superseded' });
  await live();
});

test('fault 20: a control plane whose clock is set back, or forth by less than 10 min, ends nothing early', async () => {
  const { runner, deploy, reach, expectWholeLog } = await stage();
  for (const skewMs of [-60 * minuteMs, 9 * minuteMs]) {
    await plane.pull({ skewMs: 0 });
    runner.host.hold('build');
    const id = await deploy();
    await reach(id, { phase: 'build' });
    await plane.pull({ skewMs });
    await plane.sweep();
    runner.host.letGo();
    await reach(id, { status: 'running' });
    await expectWholeLog(id);
  }
});

test('fault 22: an abort while the host is away is accepted and done at its return', async () => {
  const { runner, deploy, reach, abort, gone } = await stage();
  runner.host.hold('build');
  const id = await deploy();
  await reach(id, { phase: 'build' });
  runner.proxy.refuse(true);
  runner.proxy.cut();
  await gone();
  expect(await abort(id)).toBe(200);
  await reach(id, { state: 'active' });
  runner.proxy.refuse(false);
  await reach(id, { status: 'aborted' });
  expect(await abort(id)).toBe(409);
  expect(runner.host.containers().size).toBe(0);
});

test('fault 23: a service deleted mid-deployment leaves no container, no route and no row', async () => {
  const { runner, live, deploy, reach, serviceId } = await stage();
  await live();
  runner.host.hold('health');
  const id = await deploy();
  await reach(id, { phase: 'health' });
  expect((await plane.call('DELETE', `/api/services/${serviceId}`)).status).toBe(200);
  await until('an empty host', () => runner.host.containers().size === 0 && runner.host.routes().size === 0);
  runner.host.letGo();
  await until(
    'nothing more to say',
    () => runner.unfinished().reports === 0 && runner.unfinished().jobs === 0,
  );
  expect(runner.host.containers().size).toBe(0);
  for (const table of ['services', 'jobs', 'deployments']) {
    const column = table === 'services' ? 'id' : 'service_id';
    expect(await plane.rows(`select * from ${table} where ${column} = '${serviceId}'`)).toEqual([]);
  }
});

test('fault 26: with D1 down for 10 min a job that had its permission ends, and its result is written afterwards', async () => {
  const { runner, deploy, reach, row, expectWholeLog } = await stage();
  runner.host.hold('finish');
  const id = await deploy();
  await until('it serves', () => [...runner.host.routes().values()].includes(id));
  await plane.pull({ d1: 'before', chance: 1 });
  runner.host.letGo();
  await until('the result is in the journal', () => runner.unfinished().jobs === 0);
  expect((await plane.call('GET', '/api/projects')).status).toBe(503);
  await runner.minutes(10);
  expect((await row(id))?.state).toBe('active');
  await plane.pull({ d1: 'none' });
  await reach(id, { status: 'running', epoch: 1 });
  await until('an empty outbox', () => runner.unfinished().reports === 0);
  await expectWholeLog(id);
});

test('fault 26: a job that comes to its switch while D1 is down waits for it, and then succeeds', async () => {
  const { runner, live, deploy, reach } = await stage();
  const old = await live();
  runner.host.hold('health');
  const id = await deploy();
  await reach(id, { phase: 'health' });
  await plane.pull({ d1: 'before', chance: 1 });
  runner.host.letGo();
  await runner.minutes(5);
  expect([...runner.host.routes().values()]).toEqual([old]);
  await plane.pull({ d1: 'none' });
  await reach(id, { status: 'running', epoch: 1 });
  await until('the old one is gone', () => [...runner.host.containers().keys()].every((one) => one === id));
});
