/**
 * Services that should run and have no container: they are found by what their host reports, and started again.
 * @module-tag slow
 */
import { eq } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import { auditLog } from '../../../../worker/store/schema/audit.ts';
import { deployments } from '../../../../worker/store/schema/deployments.ts';
import { applyObservation } from '../../../../worker/usecases/hosts/apply-observation.ts';
import { reviveServices } from '../../../../worker/usecases/jobs/revive-services.ts';
import { settleMoves } from '../../../../worker/usecases/jobs/settle-moves.ts';
import { deps } from '../../../support/worker/api.ts';
import { serviceRow } from '../../../support/worker/host.ts';
import { answered, fail, succeed, useMovingService } from '../../../support/worker/moving-service.ts';

const scene = useMovingService();
let later = 0;
beforeEach(() => {
  later = 0;
});
const restarts = async () =>
  (await deps.db.select().from(deployments).where(eq(deployments.serviceId, scene.service.id))).filter(
    ({ trigger }) => trigger === 'restart',
  ).length;

/** Time passes. @returns how many starts of the service this begins */
const after = async (minutes: number): Promise<number> => {
  later += minutes * 60_000;
  const before = await restarts();
  await reviveServices({ ...deps, now: () => Date.now() + later });
  return (await restarts()) - before;
};
const row = () => serviceRow(scene.service.id);

const report = (services: { deploymentId: string }[]) =>
  applyObservation(
    deps,
    scene.old.runnerId,
    services.map((one) => ({
      ...{ serviceId: scene.service.id, state: 'running' as const, reachable: true },
      ...one,
    })),
  );

const events = async () =>
  (await deps.db.select().from(auditLog))
    .filter(({ resourceId }) => resourceId === scene.service.id)
    .map(({ route }) => route)
    .filter((route) => route.startsWith('service.'));

test('a service whose container is gone is shown as crashed, raises one event, and is started from its stored image', async () => {
  await report([]);
  expect(await row()).toMatchObject({
    ...{ status: 'crashed', reachable: false, stopped: false },
    trouble: { cause: 'missing', sentence: expect.stringContaining('no longer has the container') },
  });
  expect(await after(0)).toBe(1);
  const newest = await scene.call('GET', `/api/services/${scene.service.id}/deployments`, {
    token: scene.token,
  });
  expect(newest.body.deployments[0]).toMatchObject({ trigger: 'restart', startedBy: { type: 'platform' } });
  const restart = await scene.oldRunner.nextDeployment();
  expect(restart.spec).toMatchObject({
    source: { type: 'kept', restarts: true },
    volumes: [{ id: scene.volumeId }],
  });
  await report([]);
  expect(await after(0), 'while it starts').toBe(0);
  await succeed(scene.oldRunner, restart);
  expect(await after(0), 'before the host has reported it').toBe(0);
  const { deploymentId = '' } = restart.spec as { deploymentId?: string };
  await report([{ deploymentId }]);
  expect(await row()).toMatchObject({ status: 'active', reachable: true, trouble: null });
  expect(await after(60)).toBe(0);
  expect(await events()).toEqual(['service.crashed missing']);
});

test('a start that fails is tried again with growing pauses, and not for ever', {
  timeout: 120_000,
}, async () => {
  await report([]);
  for (const minutes of [0, 1, 2, 5, 15, 30]) {
    later = 0; // the failure before was now
    if (minutes > 0) expect(await after(minutes - 0.5), `before ${minutes} min`).toBe(0);
    expect(await after(0.6), `after ${minutes} min`).toBe(1);
    await fail(scene.oldRunner, await scene.oldRunner.nextDeployment());
  }
  expect(await after(24 * 60)).toBe(0);
  expect(await row()).toMatchObject({ status: 'crashed', trouble: { cause: 'missing' } });
});

test.each<['is stopped by its owner' | 'is being deployed' | 'has never run']>([
  ['is stopped by its owner'],
  ['is being deployed'],
  ['has never run'],
])('a service that %s is not missed', async (how) => {
  let { id } = scene.service;
  if (how === 'is stopped by its owner') await scene.ask('POST', '/stop');
  else if (how === 'is being deployed') {
    await scene.ask('POST', '/deployments');
    await scene.oldRunner.nextDeployment();
  } else ({ id } = await scene.old.addService({ hostPort: 41_001 }));
  await report(how === 'has never run' ? [{ deploymentId: 'dep_1' }] : []);
  expect((await serviceRow(id)).trouble).toBeNull();
  expect(await after(5)).toBe(0);
});

test('a service that moves is not missed on its old host, and one whose host is away waits for it', async () => {
  await scene.move();
  await report([]);
  expect((await row()).trouble).toBeNull();
  await fail(scene.nextRunner, await scene.nextRunner.nextDeployment());
  await settleMoves(deps);
  await scene.oldRunner.disconnect();
  await report([]);
  expect(await after(5)).toBe(0);
});

test('a service whose move has failed is started again until it runs on its old host', async () => {
  await scene.move();
  await scene.prepared();
  await answered(scene.oldRunner);
  const backup = await scene.oldRunner.next('start');
  await fail(scene.oldRunner, backup);
  await settleMoves(deps);
  await fail(scene.oldRunner, await scene.oldRunner.nextDeployment());
  expect(await row()).toMatchObject({ stopped: false, status: 'crashed' });
  expect(await events()).toContain('service.crashed move_failed');
  expect(await after(0)).toBe(0);
  expect(await after(1.1)).toBe(1);
  await fail(scene.oldRunner, await scene.oldRunner.nextDeployment());
  const asked = await scene.ask('POST', '/restart');
  expect(asked.status, 'the owner need not wait').toBe(200);
  await succeed(scene.oldRunner, await scene.oldRunner.nextDeployment());
  expect(await row()).toMatchObject({ stopped: false, runnerId: scene.old.runnerId });
  expect(await after(60)).toBe(0);
});
