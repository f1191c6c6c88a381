import { expect, test } from 'vitest';
import type { DeploySpec } from '../../../../protocol/job-spec.ts';
import { insertKey, insertProject, insertRunner, insertService } from '../../../support/worker/api.ts';
import { call, liveApp, succeed } from '../../../support/worker/deletions.ts';

const { token } = await insertKey();
const place = { projectId: (await insertProject()).id, runnerId: (await insertRunner()).id };
const patch = (id: string, body: unknown) => call('PATCH', `/api/services/${id}`, { token, body });

test('the number of replicas is told to the host with the next deployment', async () => {
  const { ask, service, runner: host } = await liveApp();
  const path = `/services/${service.id}`;
  const changed = await ask('PATCH', path, { replicas: 3 });
  expect(changed.body.service.replicas).toBe(3);
  await ask('POST', `${path}/deployments`);
  const start = await host.next('start');
  expect((start.spec as DeploySpec).replicas).toBe(3);
  await succeed(host, start);
  await ask('PATCH', path, { replicas: 1 });
  await ask('POST', `${path}/restart`);
  const restart = await host.next('start');
  expect((restart.spec as DeploySpec).replicas).toBeUndefined();
  await succeed(host, restart);
});

test.each([
  ['a database', { kind: 'database' as const, repoFullName: 'database:redis' }, 'unsupported'],
  ['a worker', { runtimeMode: 'worker' as const }, 'unsupported'],
  ['a static site', { runtimeMode: 'static' as const }, 'unsupported'],
])('%s takes no replicas, with the reason and the field', async (_what, fields, code) => {
  const { id } = await insertService({ ...place, ...fields });
  expect((await patch(id, { replicas: 2 })).body).toMatchObject({
    code,
    error: expect.stringContaining('The field "replicas" of a'),
  });
});

test('a service has volumes or replicas, whichever comes first, and none of a worker later', async () => {
  const volumes = (id: string) =>
    call('POST', `/api/services/${id}/volumes`, { token, body: { name: 'data', mountPath: '/data' } });
  const first = await insertService(place);
  expect((await volumes(first.id)).status).toBe(200);
  const refused = await patch(first.id, { replicas: 2 });
  expect([refused.status, refused.body.error]).toEqual([
    409,
    expect.stringContaining('service with volumes'),
  ]);
  const second = await insertService(place);
  expect((await patch(second.id, { replicas: 2 })).status).toBe(200);
  const none = await volumes(second.id);
  expect([none.status, none.body.error]).toEqual([409, expect.stringContaining('set "replicas" to 1')]);
  expect((await patch(second.id, { runtimeMode: 'worker' })).body.code).toBe('unsupported');
});
