/** Deleting services. */
import { env } from 'cloudflare:workers';
import { expect, test } from 'vitest';
import { deleteProject } from '../../../../worker/usecases/projects/delete-project.ts';
import { deps, insertProject, type Json, operatorToken } from '../../../support/worker/api.ts';
import { serviceBench } from '../../../support/worker/services.ts';

const { call, token, project, created } = await serviceBench();

test("deleting a service removes its rows, queues work for host and logs, and reports the host's answer", async () => {
  const { id, hostPort } = await created({
    name: 'Gone',
    repoUrl: 'https://git.example/g',
    env: [{ key: 'A', value: '1' }],
  });
  const queued = await call('POST', `/api/services/${id}/deployments`, { token });
  const deploymentId = queued.body.deployment.id;
  const reply = await call('DELETE', `/api/services/${id}`, { token });
  expect(reply.body).toEqual({ ok: true, proxy: { ok: false, detail: expect.any(String) } });
  expect((await call('GET', `/api/services/${id}/overview`, { token })).status).toBe(404);
  const task = await env.DB.prepare(
    'select runner_id, state, task from host_tasks order by rowid desc',
  ).first<Json>();
  expect({ ...task, task: JSON.parse(task.task) }).toEqual({
    runner_id: expect.any(String),
    state: 'pending',
    task: {
      kind: 'remove-service',
      serviceId: id,
      projectId: project.id,
      hostnames: ['gone.localhost'],
      hostPort,
      keepsImages: true,
    },
  });
  const purge = () =>
    env.DB.prepare('select 1 from log_purges where stream_name = ?').bind(deploymentId).first();
  expect(await purge()).toBeNull();
  await call('POST', `/api/system/deleted/${id}/purge`, { token: operatorToken });
  expect(await purge()).not.toBeNull();
  for (const table of ['variables', 'jobs', 'deployments']) {
    expect(await env.DB.prepare(`select 1 from ${table} where service_id = ?`).bind(id).first()).toBeNull();
  }
});

const pending = async () => {
  const { results } = await env.DB.prepare(
    "select task ->> 'kind' as kind from host_tasks order by rowid",
  ).all<Json>();
  return results;
};
const database = { name: 'db', repoUrl: 'database', repoFullName: 'database:postgres' };

test('deleting a project stops its services on the host and keeps the data of its databases until the purge', async () => {
  await env.DB.prepare('delete from host_tasks').run();
  const { id: projectId } = await insertProject();
  for (const body of [database, { name: 'web', repoUrl: 'https://git.example/w' }])
    await created(body, projectId);
  const { body } = await call('DELETE', `/api/projects/${projectId}`, { token });
  expect(body.proxy.detail).toMatch(
    /It can be restored until \d{4}-.*Z with POST \/api\/projects\/.*\/restore\.$/,
  );
  const atOnce = ['remove-service', 'remove-service', 'remove-project'];
  expect((await pending()).map(({ kind }) => kind)).toEqual(atOnce);
  await call('POST', `/api/system/deleted/${projectId}/purge`, { token: operatorToken });
  expect((await pending()).map(({ kind }) => kind)).toEqual([
    ...atOnce,
    'remove-service',
    'remove-volumes',
    'remove-service',
  ]);
});

test('a service that is transferred away while its project is deleted is not removed from its host', async () => {
  await env.DB.prepare('delete from host_tasks').run();
  const [source, target] = [await insertProject(), await insertProject()];
  const moving = await created({ name: 'moving', repoUrl: 'https://git.example/m' }, source.id);
  let pendingMove: (() => Promise<unknown>) | undefined = () =>
    call('POST', `/api/services/${moving.id}/transfer`, { token, body: { targetProjectId: target.id } });
  const db = new Proxy(deps.db, {
    get(real, name) {
      if (name !== 'batch') return Reflect.get(real, name);
      return async (...args: Parameters<typeof real.batch>) => {
        const move = pendingMove;
        pendingMove = undefined;
        await move?.();
        return real.batch(...args);
      };
    },
  });
  await deleteProject({ ...deps, db }, source.id);
  expect(await pending()).toEqual([]);
  const { body } = await call('GET', `/api/services/${moving.id}/overview`, { token });
  expect(body.service.projectId).toBe(target.id);
  expect((await call('GET', `/api/projects/${source.id}`, { token })).status).toBe(404);
});
