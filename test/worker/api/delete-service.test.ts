/** Deleting services. */
import { env } from 'cloudflare:workers';
import { beforeAll, expect, test } from 'vitest';
import type { Json } from '../support/api.ts';
import { type ServiceBench, serviceBench } from '../support/services.ts';

let call: ServiceBench['call'];
let token: string;
let project: ServiceBench['project'];
let created: ServiceBench['created'];

beforeAll(async () => {
  ({ call, token, project, created } = await serviceBench());
});

test('takes the rows, leaves work for the host and the logs, and says what the host said', async () => {
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
    },
  });
  const purge = await env.DB.prepare('select 1 from log_purges where stream_name = ?')
    .bind(deploymentId)
    .first();
  expect(purge).not.toBeNull();
  for (const table of ['variables', 'jobs', 'deployments']) {
    expect(await env.DB.prepare(`select 1 from ${table} where service_id = ?`).bind(id).first()).toBeNull();
  }
});
