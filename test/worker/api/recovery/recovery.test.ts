import { env } from 'cloudflare:workers';
import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import type { HostInventory, InventoryService } from '../../../../protocol/host-request.ts';
import { newId } from '../../../../protocol/ids.ts';
import { runScheduledWork } from '../../../../worker/scheduled.ts';
import { insertHostTasks } from '../../../../worker/store/deletions/removal-store.ts';
import { hostTasks } from '../../../../worker/store/schema/runners.ts';
import { services } from '../../../../worker/store/schema/services.ts';
import { sweepCopies } from '../../../../worker/usecases/backups/sweep-backups.ts';
import { createClient, deps, insertKey, operatorToken } from '../../../support/worker/api.ts';
import { FakeRunner } from '../../../support/worker/fake-runner.ts';
import { deploy, jobRow, newHost } from '../../../support/worker/host.ts';
import { remoteDatabase } from '../../../support/worker/remote-backup.ts';

const pausedCall = createClient({ dependenciesOf: () => ({ ...deps, isPaused: true }) });
const token = operatorToken;
const restored = (call = pausedCall) => call('POST', '/api/system/restored', { token });

const tasksOf = (runnerId: string) =>
  deps.db.select().from(hostTasks).where(eq(hostTasks.runnerId, runnerId));

test('after the database went back, hosts take its names, open jobs end, removals stop and nothing is purged soon', async () => {
  const host = await newHost();
  const service = await host.addService({
    generatedHostname: `${newId('service', deps.fillRandom)}.localhost`,
  });
  const gone = await host.addService();
  const key = (await insertKey({ access: 'destroy' })).token;
  const call = createClient();
  await call('DELETE', `/api/services/${gone.id}`, { token: key });
  const { jobId } = await deploy(service);
  // The host took a name's 40th revision, and then the row went back to the third.
  await deps.db.update(services).set({ routesRevision: 3 }).where(eq(services.id, service.id));

  expect(await restored(call)).toMatchObject({
    status: 409,
    text: expect.stringContaining('Pause the control'),
  });
  expect(await restored()).toMatchObject({ status: 200, body: { restored: { moreJobs: false } } });
  await restored();

  const tasks = await tasksOf(host.runnerId);
  const names = tasks.filter(({ task }) => task.kind === 'set-hostnames');
  expect(names).toMatchObject([{ state: 'pending', task: { serviceId: service.id } }]);
  const [first] = names;
  expect(first?.task.kind === 'set-hostnames' && first.task.revision).toBeGreaterThan(40);
  expect(tasks.find(({ task }) => task.kind === 'remove-service')).toMatchObject({
    state: 'done',
    ok: false,
  });
  expect(await jobRow(jobId)).toMatchObject({ state: 'failed', epoch: 0 });
  const kept = await env.DB.prepare('select restorable_until as until from deletions where resource_id = ?')
    .bind(gone.id)
    .first<{ until: number }>();
  expect(kept?.until).toBeGreaterThan(Date.now() + 6 * 86_400_000);
});

test('the copy of a backup that was open then stays in the bucket, because its host may have completed it', async () => {
  const { begun, service, runner } = await remoteDatabase();
  const key = `backups/${service.id}/${(await begun('remote')).backup.id}`;
  await runner.disconnect();
  await env.BLOBS.put(key, 'x');
  await restored();
  await sweepCopies(deps);
  expect(await env.BLOBS.head(key)).not.toBeNull();
});

test('a database that was purged and brought back from a dump keeps its copies in the bucket', async () => {
  const { taken, service, runner } = await remoteDatabase();
  const { remoteKey } = await taken('remote');
  await runner.disconnect();
  const { id: serviceId, projectId, runnerId } = service;
  const task = { kind: 'remove-volumes', serviceId, projectId } as const;
  await insertHostTasks(deps.db, [{ id: newId('hostTask', deps.fillRandom), runnerId, task }], 1);
  await sweepCopies(deps);
  expect(await env.BLOBS.head(remoteKey)).not.toBeNull();
});

const inventoryOf = (fields: Partial<InventoryService> & { serviceId: string }): InventoryService => ({
  ...{
    projectId: null,
    deploymentId: null,
    isRunning: true,
    hostPort: 0,
    hostnames: [],
    volumes: [],
    backups: [],
  },
  ...fields,
});

async function answerInventory(runner: FakeRunner, ...found: InventoryService[]) {
  const { id, ask } = await runner.next('request');
  expect(ask).toEqual({ op: 'inventory' });
  const value: HostInventory = { services: found };
  runner.send({ v: 1, type: 'response', id, outcome: { ok: true, value } });
}

test('what a host keeps and no row names is listed, and stays until the operator removes it', async () => {
  const [host, other] = [await newHost(), await newHost()];
  const runner = await FakeRunner.connect(host.keys);
  const lost = await host.addService({ kind: 'database', lastDeployedAt: 1 });
  const elsewhere = await other.addService();
  const forgotten = newId('service', deps.fillRandom);
  const call = createClient();
  const found = [
    inventoryOf({ serviceId: forgotten, projectId: host.project.id, volumes: ['data'], backups: ['bak_x'] }),
    inventoryOf({ serviceId: elsewhere.id }),
  ];

  const before = host.runnerId.slice(0, -1);
  const listing = call('GET', '/api/system/strays/hosts', { token });
  await answerInventory(runner, ...found);
  const { body } = await listing;
  const compared = body.hosts.find(({ runnerId }: { runnerId: string }) => runnerId === host.runnerId);
  expect(compared).toMatchObject({
    trouble: null,
    strays: {
      services: [
        { serviceId: forgotten, reason: 'forgotten', backups: 1, volumes: ['data'] },
        { serviceId: elsewhere.id, reason: 'elsewhere' },
      ],
      missing: [{ serviceId: lost.id, what: 'volume' }],
      backupsWithoutRow: [{ serviceId: forgotten, backupId: 'bak_x' }],
    },
  });
  expect(before < host.runnerId && (await tasksOf(host.runnerId))).toEqual([]);

  const remove = async (serviceId: string, data: boolean) => {
    const body = { runnerId: host.runnerId, serviceId, data };
    const reply = call('POST', '/api/system/strays/remove', { token, body });
    await answerInventory(runner, ...found);
    return reply;
  };
  const own = { runnerId: host.runnerId, serviceId: lost.id };
  expect((await call('POST', '/api/system/strays/remove', { token, body: own })).status).toBe(404);
  expect((await remove(elsewhere.id, true)).status).toBe(409);
  expect((await remove(forgotten, true)).status).toBe(200);
  expect((await tasksOf(host.runnerId)).map(({ task }) => task)).toMatchObject([
    { kind: 'remove-service', serviceId: forgotten, keepsLogs: false },
    { kind: 'remove-volumes', serviceId: forgotten },
  ]);
  expect((await remove(elsewhere.id, false)).status).toBe(200);
  expect((await tasksOf(host.runnerId)).map(({ task }) => task)).toMatchObject([
    { kind: 'remove-service', serviceId: forgotten },
    { kind: 'remove-volumes', serviceId: forgotten },
    { kind: 'remove-service', serviceId: elsewhere.id, keepsLogs: true },
  ]);
});

test('a stray whose service can be restored keeps its images when it is removed', async () => {
  const host = await newHost();
  const { id: serviceId } = await host.addService();
  const call = createClient();
  await call('DELETE', `/api/services/${serviceId}`, {
    token: (await insertKey({ access: 'destroy' })).token,
  });
  await restored();
  const runner = await FakeRunner.connect(host.keys);
  const body = { runnerId: host.runnerId, serviceId };
  const reply = call('POST', '/api/system/strays/remove', { token, body });
  await answerInventory(runner, inventoryOf({ serviceId }));
  expect((await reply).status).toBe(200);
  const removals = (await tasksOf(host.runnerId)).filter(({ state }) => state === 'pending');
  expect(removals).toMatchObject([{ task: { kind: 'remove-service', keepsImages: true } }]);
  await runner.disconnect();
});

test('copies in the bucket without a row are listed, and stay', async () => {
  const key = `backups/${newId('service', deps.fillRandom)}/${newId('backup', deps.fillRandom)}`;
  await env.BLOBS.put(key, 'x');
  const { body } = await createClient()('GET', '/api/system/strays/bucket', { token });
  expect(body.bucket.withoutRow).toContain(key);
  expect(await env.BLOBS.head(key)).not.toBeNull();
});

test('a paused control plane answers the operator and the monitor, and nobody else', async () => {
  const { app, context } = await pausedApp();
  const statusOf = async (path: string, bearer: string) =>
    (
      await app.fetch(
        new Request(`https://longshore.test${path}`, { headers: { authorization: `Bearer ${bearer}` } }),
        { ...env, PAUSED: '1' },
        context(),
      )
    ).status;
  const key = (await insertKey()).token;
  expect(await statusOf('/api/projects', key)).toBe(503);
  expect(await statusOf('/api/runner/connect', '')).toBe(503);
  expect(await statusOf('/api/system/runners', token)).toBe(200);
  expect(await statusOf('/healthz', '')).not.toBe(404);
});

async function pausedApp() {
  const { createExecutionContext } = await import('cloudflare:test');
  const { createApp } = await import('../../../../worker/app.ts');
  return { app: createApp(), context: createExecutionContext };
}

test('a dump is made a day, and those beyond the setting are removed', async () => {
  const { dumpNightly } = await import('../../../../worker/usecases/recovery/dump-database.ts');
  const call = createClient();
  await call('PATCH', '/api/system/settings', { token, body: { keepDumps: 2 } });
  const day = 86_400_000;
  for (const at of [1, 1.5, 2, 3]) {
    await runScheduledWork({ ...deps, now: () => at * day }, { dumpNightly });
  }
  const { body } = await call('GET', '/api/system/dumps', { token });
  expect(body.dumps).toMatchObject([
    { id: '19700104T000000000Z', state: 'complete', parts: 1 },
    { id: '19700103T000000000Z', state: 'complete' },
  ]);
  const { objects } = await env.BLOBS.list({ prefix: 'dumps/1970' });
  expect(objects.map(({ key }) => key.split('/')[1])).not.toContain('19700102T000000000Z');
});

test('a dump whose end the bucket refused has each row once after the next run', async () => {
  const { dumpNightly } = await import('../../../../worker/usecases/recovery/dump-database.ts');
  const now = () => Date.now() + 10 * 86_400_000;
  const put: typeof deps.blobs.put = (key, bytes) =>
    key.endsWith('manifest.json') ? Promise.reject(new Error('down')) : deps.blobs.put(key, bytes);
  await expect(dumpNightly({ ...deps, now, blobs: { ...deps.blobs, put } })).rejects.toThrow('down');
  await dumpNightly({ ...deps, now });
  const { body } = await createClient()('GET', '/api/system/dumps', { token });
  expect(body.dumps[0]).toMatchObject({ state: 'complete', parts: 1 });
  expect(body.dumps[0].rows).toBeGreaterThan(0);
});
