/**
 * A move of a service with volumes that fails, is aborted, or is in the way of a deletion.
 * @module-tag slow
 */
import { env } from 'cloudflare:workers';
import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { platform } from '../../../../worker/domain/access/initiator.ts';
import { deployments } from '../../../../worker/store/schema/deployments.ts';
import { runners } from '../../../../worker/store/schema/runners.ts';
import { settleMoves } from '../../../../worker/usecases/jobs/settle-moves.ts';
import { deps, operatorToken } from '../../../support/worker/api.ts';
import { deploymentRow, runnerRow, serviceRow } from '../../../support/worker/host.ts';
import {
  answered,
  archiveOf,
  endAborted,
  fail,
  removals,
  succeed,
  useMovingService,
} from '../../../support/worker/moving-service.ts';

const scene = useMovingService();

type Step = 'backup' | 'fill' | 'deploy' | 'abort';
const startersOfMove = async (serviceId: string) =>
  (
    await env.DB.prepare(`select jobs.started_by as by from volume_moves join json_each(job_ids) own
      join jobs on jobs.id = own.value where volume_moves.service_id = ? order by own.key`)
      .bind(serviceId)
      .all<{ by: string }>()
  ).results.map(({ by }) => JSON.parse(by));

test.each<Step>(['backup', 'fill', 'deploy', 'abort'])(
  'a move that ends at its %s starts the service again on its old host, and nothing of it stays on the new one',
  async (step) => {
    const { deployment } = (await scene.move()).body;
    await scene.prepared();
    await answered(scene.oldRunner);
    const backup = await scene.oldRunner.next('start');
    if (step === 'backup') await fail(scene.oldRunner, backup);
    else {
      if (step === 'abort')
        await scene.call('POST', `/api/deployments/${deployment.id}/abort`, { token: scene.token });
      await succeed(scene.oldRunner, backup, archiveOf(backup));
    }
    if (step === 'fill' || step === 'deploy') {
      const fill = await scene.nextRunner.next('start');
      await (step === 'fill' ? fail(scene.nextRunner, fill) : succeed(scene.nextRunner, fill));
    }
    if (step === 'deploy') await fail(scene.nextRunner, await scene.nextRunner.nextDeployment());
    await settleMoves(deps);
    const restart = await scene.oldRunner.nextDeployment();
    expect(restart.spec).toMatchObject({
      source: { type: 'kept', restarts: true },
      volumes: [{ id: scene.volumeId }],
    });
    expect(await serviceRow(scene.service.id)).toMatchObject({
      runnerId: scene.old.runnerId,
      nextRunnerId: null,
    });
    const { body } = await scene.call('GET', `/api/deployments/${deployment.id}`, { token: scene.token });
    expect(body.deployment.status).toBe(step === 'abort' ? 'aborted' : 'failed');
    // Before the step `deploy`, the deployment waits and ends with the move.
    if (step === 'backup' || step === 'fill') expect(body.deployment.failureCode).toBe('move_failed');
    await succeed(scene.oldRunner, restart);
    // Its jobs are of the key that asked for the move; the way back is the platform's own.
    const starters = await startersOfMove(scene.service.id);
    expect(starters.slice(0, -1)).toEqual(starters.slice(1).map(() => deployment.startedBy));
    expect(starters.at(-1)).toEqual(platform);
    expect(await serviceRow(scene.service.id)).toMatchObject({ stopped: false, status: 'active' });
    const left = (await removals(scene.next.runnerId)).map(({ task }) => task);
    expect(left).toMatchObject([
      { kind: 'remove-service' },
      { kind: 'remove-volume', volumeId: scene.volumeId },
    ]);
    expect((await scene.move()).status).toBe(200);
  },
);

test('a move whose last job can not be prepared starts the service again at once', async () => {
  const { deployment } = (await scene.move()).body;
  await scene.prepared();
  await answered(scene.oldRunner);
  const backup = await scene.oldRunner.next('start');
  await succeed(scene.oldRunner, backup, archiveOf(backup));
  const fill = await scene.nextRunner.next('start');
  await deps.db
    .update(deployments)
    .set({ sealedSnapshot: 'damaged' })
    .where(eq(deployments.id, deployment.id));
  await succeed(scene.nextRunner, fill);
  const restart = await scene.oldRunner.nextDeployment();
  expect(restart.spec).toMatchObject({ source: { type: 'kept', restarts: true } });
  expect((await deploymentRow(deployment.id)).status).toBe('failed');
});

test.each(['queued', 'failed', 'aborted'])(
  'a move whose preparation is %s and ends leaves the service running on its old host',
  async (how) => {
    if (how === 'queued') await scene.nextRunner.disconnect();
    const { deployment } = (await scene.move()).body;
    const abort = () => scene.call('POST', `/api/deployments/${deployment.id}/abort`, { token: scene.token });
    if (how === 'queued') await abort();
    else {
      const preparation = await scene.nextRunner.nextDeployment();
      if (how === 'failed') await fail(scene.nextRunner, preparation);
      else {
        await abort();
        await scene.nextRunner.next('abort');
        await endAborted(scene.nextRunner, preparation);
      }
    }
    expect((await deploymentRow(deployment.id)).status).toBe(how === 'failed' ? 'failed' : 'aborted');
    expect(await serviceRow(scene.service.id)).toMatchObject({
      ...{ runnerId: scene.old.runnerId, nextRunnerId: null, stopped: false, status: 'active' },
    });
    expect(await scene.oldRunner.unread()).toEqual([]);
    expect((await scene.move()).status).toBe(200);
  },
);

test('a service that moves, its project and both hosts can not be deleted until the move ends', async () => {
  const { deployment } = (await scene.move()).body;
  const refusals = async () => [
    await scene.ask('DELETE', ''),
    await scene.call('DELETE', `/api/projects/${scene.service.projectId}`, { token: scene.token }),
  ];
  const hosts = async () => [
    await scene.call('DELETE', `/api/system/runners/${scene.old.runnerId}`, { token: operatorToken }),
    await scene.call('DELETE', `/api/system/runners/${scene.next.runnerId}`, { token: operatorToken }),
  ];
  const whileItMoves = async () => {
    for (const { status, body } of await refusals())
      expect([status, body.error]).toEqual([409, expect.stringContaining(`${deployment.id}/abort`)]);
    for (const { status, body } of await hosts())
      expect([status, body.error]).toEqual([409, expect.stringContaining(scene.service.slug)]);
  };
  await whileItMoves();
  await scene.prepared();
  await whileItMoves();
  await answered(scene.oldRunner);
  await scene.call('POST', `/api/deployments/${deployment.id}/abort`, { token: scene.token });
  const backup = await scene.oldRunner.next('start');
  await endAborted(scene.oldRunner, backup);
  expect((await scene.oldRunner.nextDeployment()).spec).toMatchObject({ source: { type: 'kept' } });
  expect((await refusals())[0]?.status).toBe(200);
});

test('a drained host still does its part of a move, and starts the service again if the move fails', async () => {
  await scene.call('PATCH', `/api/system/runners/${scene.old.runnerId}`, {
    token: operatorToken,
    body: { drained: true },
  });
  await scene.move();
  await scene.prepared();
  await answered(scene.oldRunner);
  await fail(scene.oldRunner, await scene.oldRunner.next('start'));
  const restart = await scene.oldRunner.nextDeployment();
  expect(restart.spec).toMatchObject({ source: { type: 'kept', restarts: true } });
  await succeed(scene.oldRunner, restart);
  expect(await serviceRow(scene.service.id)).toMatchObject({ stopped: false, status: 'active' });
});

test('a move whose new host goes away for ten minutes ends, and the service starts again', async () => {
  await scene.move();
  await scene.prepared();
  await answered(scene.oldRunner);
  const backup = await scene.oldRunner.next('start');
  await scene.nextRunner.disconnect();
  await expect.poll(async () => (await runnerRow(scene.next.runnerId)).connectedAt).toBeNull();
  await deps.db
    .update(runners)
    .set({ disconnectedAt: deps.now() - 11 * 60_000 })
    .where(eq(runners.id, scene.next.runnerId));
  await succeed(scene.oldRunner, backup, archiveOf(backup));
  await settleMoves(deps);
  expect((await scene.oldRunner.nextDeployment()).spec).toMatchObject({ source: { type: 'kept' } });
});
