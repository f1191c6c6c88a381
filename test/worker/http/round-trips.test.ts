/** Every D1 round trip is latency for the client: 1 a read, where all of it is in D1, and at most 3 a write. */
import { env } from 'cloudflare:workers';
import { expect, test } from 'vitest';
import { createDependencies } from '../../../worker/context.ts';
import type { Env } from '../../../worker/env.ts';
import { gitHubPush } from '../../support/servers/git-deliveries.ts';
import {
  createClient,
  insertKey,
  insertProject,
  insertRunner,
  insertService,
  operatorToken,
} from '../../support/worker/api.ts';
import { countedBinding } from '../../support/worker/d1/counted-binding.ts';
import { insertDeploymentOf } from '../../support/worker/deployment-rows.ts';

let trips = 0;
/** What is written after the answer does not count. */
const onTrip = (query?: string) => {
  if (!query?.startsWith('insert into "audit_log"')) trips++;
};
const call = createClient({
  dependenciesOf: () => createDependencies({ ...env, DB: countedBinding(onTrip) } as Env),
});

const runner = await insertRunner();
const project = await insertProject();
const service = await insertService({ projectId: project.id, runnerId: runner.id, slug: 'web' });
const token = (await insertKey({ lastUsedAt: Date.now() })).token;

async function tripsOf(method: string, path: string, body?: unknown, as = token): Promise<[number, number]> {
  trips = 0;
  const { status } = await call(method, path, { token: as, ...(body === undefined ? {} : { body }) });
  return [status, trips];
}

test('reads take the expected number of round trips', async () => {
  for (let n = 0; n < 5; n++)
    await tripsOf('POST', `/api/services/${service.id}/env`, { key: `V${n}`, value: 'x' });
  expect(await tripsOf('GET', '/api/projects')).toEqual([200, 1]);
  expect(await tripsOf('GET', `/api/projects/${project.slug}`)).toEqual([200, 1]);
  expect(await tripsOf('GET', `/api/services/${service.id}/overview`)).toEqual([200, 1]);
  expect(await tripsOf('GET', `/api/services/${service.id}/suggestion-keys`)).toEqual([200, 1]);
  const ofProject = `/api/projects/${project.id}/database-variable-suggestions`;
  expect(await tripsOf('GET', ofProject)).toEqual([200, 1]);
  expect(await tripsOf('GET', '/api/projects/absent')).toEqual([404, 1]);
  expect(await tripsOf('GET', '/api/system/keys', undefined, operatorToken)).toEqual([200, 1]);
  expect(await tripsOf('GET', '/api/system/tenants', undefined, operatorToken)).toEqual([200, 1]);
  expect(await tripsOf('GET', `/api/services/${service.id}/deployments?limit=5`)).toEqual([200, 1]);
  expect(await tripsOf('GET', '/api/system/dns-providers', undefined, operatorToken)).toEqual([200, 1]);
  expect(await tripsOf('GET', `/api/services/${service.id}/webhook`)).toEqual([200, 1]);
  const database = await insertService({
    projectId: project.id,
    runnerId: service.runnerId,
    kind: 'database',
    repoFullName: 'database:redis',
    lastDeployedAt: 1,
  });
  // The host is asked over its hub, without a row; it is away.
  expect(await tripsOf('GET', `/api/services/${database.id}/database/tables`)).toEqual([503, 1]);
});

test('writes take the expected number of round trips', { tags: 'slow' }, async () => {
  expect(await tripsOf('POST', '/api/projects', { name: 'New' })).toEqual([200, 3]);
  expect(await tripsOf('PATCH', `/api/projects/${project.id}`, { name: 'Other' })).toEqual([200, 2]);
  const body = { name: 'x', repoUrl: 'https://git.example/x', env: [{ key: 'A', value: '1' }] };
  expect(await tripsOf('POST', `/api/projects/${project.id}/services`, body)).toEqual([200, 3]);
  expect(await tripsOf('PATCH', `/api/services/${service.id}`, { branch: 'dev' })).toEqual([200, 2]);
  const targetProjectId = (await insertProject()).id;
  const moved = await insertService({ projectId: project.id, runnerId: service.runnerId });
  expect(await tripsOf('POST', `/api/services/${moved.id}/transfer`, { targetProjectId })).toEqual([200, 3]);
  const database = { name: 'db', repoUrl: 'database', repoFullName: 'database:redis' };
  expect(await tripsOf('POST', `/api/projects/${project.id}/services`, database)).toEqual([200, 3]);
  expect(await tripsOf('POST', `/api/services/${service.id}/env`, { key: 'A', value: '1' })).toEqual([
    200, 3,
  ]);
  expect(await tripsOf('POST', `/api/services/${service.id}/env`, { key: 'A', value: '2' })).toEqual([
    200, 3,
  ]);
  expect(await tripsOf('POST', `/api/services/${service.id}/domains`, { hostname: 'a.example.com' })).toEqual(
    [200, 4],
  );
  const domainId = await env.DB.prepare('select id from domains').first('id');
  const domain = `/api/services/${service.id}/domains/${domainId}`;
  expect(await tripsOf('PATCH', domain, { hostname: 'b.example.com' })).toEqual([200, 4]);
  expect(await tripsOf('DELETE', domain)).toEqual([200, 2]);
  const [, count] = await tripsOf('POST', `/api/services/${service.id}/deployments`);
  expect(count).toBeLessThanOrEqual(3);
  const webhook = `/api/services/${service.id}/webhook`;
  const { secret } = (await call('POST', webhook, { token })).body.webhook;
  const { headers, body: push } = await gitHubPush(secret, { branch: 'dev' });
  trips = 0;
  const delivered = await call('POST', `/api/hooks/git/${service.id}`, { raw: push, headers });
  // The first one that is verified is written down.
  expect([delivered.body.deployment.status, trips]).toEqual(['queued', 3]);
  trips = 0;
  expect((await call('POST', `/api/hooks/git/${service.id}`, { raw: push, headers })).status).toBe(200);
  expect(trips).toBe(2);
  expect(await tripsOf('POST', webhook)).toEqual([200, 2]);
  expect(await tripsOf('DELETE', webhook)).toEqual([200, 2]);
  const failed = await insertDeploymentOf(service.id, { deployment: { status: 'failed' } });
  const ofFailure = `/api/deployments/${failed.deployment.id}/explain-failure`;
  expect(await tripsOf('POST', ofFailure)).toEqual([200, 2]);
  const ai = {
    id: 'llm',
    kind: 'openai-compatible',
    baseUrl: 'https://llm.example/v1',
    defaultModel: 'm',
  };
  expect(await tripsOf('POST', '/api/system/ai-providers', ai, operatorToken)).toEqual([200, 2]);
  const change = { baseUrl: 'https://llm.example/v2' };
  expect(await tripsOf('PATCH', '/api/system/ai-providers/llm', change, operatorToken)).toEqual([200, 3]);
  expect(await tripsOf('DELETE', '/api/system/ai-providers/llm', undefined, operatorToken)).toEqual([200, 2]);
  expect(await tripsOf('PATCH', `/api/services/${service.id}`, { memoryLimitMb: 600 })).toEqual([200, 2]);
  const other = await insertRunner();
  const [placed, moving] = await tripsOf('PATCH', `/api/services/${service.id}`, { runnerId: other.id });
  expect([placed, moving <= 4]).toEqual([200, true]); // the last one looks for references that lead elsewhere now
  const past = await insertDeploymentOf(service.id, {
    job: { state: 'succeeded', runnerId: service.runnerId },
    deployment: { status: 'superseded', sealedSnapshot: 'sealed' },
  });
  const [back, rolling] = await tripsOf('POST', `/api/deployments/${past.deployment.id}/rollback`);
  expect([back, rolling <= 3]).toEqual([200, true]);
  const tenant = { name: 'Trips', quotas: {} };
  expect(await tripsOf('POST', '/api/system/tenants', tenant, operatorToken)).toEqual([200, 1]);
  expect(await tripsOf('DELETE', `/api/services/${service.id}`)).toEqual([200, 3]);
  expect(await tripsOf('DELETE', `/api/projects/${project.id}`)).toEqual([200, 3]);
});

test('an Idempotency-Key takes two more round trips, and a repeat only one', async () => {
  const once = async () => {
    trips = 0;
    const headers = { 'idempotency-key': 'once' };
    const reply = await call('POST', '/api/projects', { token, body: { name: 'Once' }, headers });
    return [reply.status, trips];
  };
  expect(await once()).toEqual([200, 5]);
  expect(await once()).toEqual([200, 2]);
});
