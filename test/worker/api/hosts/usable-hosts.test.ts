/** `GET /api/hosts`: the hosts that a key's services can use, and nothing that is the operator's. */
import { eq } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import { runners } from '../../../../worker/store/schema/runners.ts';
import { services } from '../../../../worker/store/schema/services.ts';
import {
  createClient,
  deps,
  insertKey,
  insertProject,
  insertRunner,
  insertService,
  insertTenant,
  type Json,
  operatorToken,
  testFacts,
} from '../../../support/worker/api.ts';
import { FakeRunner } from '../../../support/worker/fake-runner.ts';
import { newHost } from '../../../support/worker/host.ts';

const call = createClient();
let tenantCount = 0;
const listed = async (token: string): Promise<Json[]> =>
  (await call('GET', '/api/hosts', { token })).body.hosts;
const change = (id: string, fields: Partial<typeof runners.$inferInsert>) =>
  deps.db.update(runners).set(fields).where(eq(runners.id, id));

beforeEach(async () => {
  await deps.db.update(runners).set({ revokedAt: 1 });
});

test('a key sees the hosts that its services can use, by name and state, and no fact of the operator', async () => {
  const tenantId = await insertTenant(`hosts ${++tenantCount}`);
  const { token } = await insertKey({ access: 'read', tenantId });
  const own = await insertRunner({ tenantId, name: 'own' });
  const shared = await insertRunner({ shared: true, name: 'shared' });
  await insertRunner({ name: 'of another tenant' });
  await insertRunner({ tenantId, name: 'revoked', revokedAt: 1 });
  const state = { connected: false, takesServices: true, refusal: null, services: 0 };
  expect(await listed(token)).toEqual([
    { id: own.id, name: 'own', ...state },
    { id: shared.id, name: 'shared', ...state },
  ]);
});

test('a host is connected while its runner is, whatever its row says', async () => {
  const { runnerId, keys } = await newHost();
  const { token } = await insertKey();
  await change(runnerId, { connectedAt: 1 });
  expect(await listed(token)).toMatchObject([{ id: runnerId, connected: false }]);
  await FakeRunner.connect(keys);
  expect(await listed(token)).toMatchObject([{ id: runnerId, connected: true }]);
});

test('a host takes services exactly when one can be created there, and the refusal of the list is that of the creation', async () => {
  const { token, tenantId } = { ...(await insertKey()), tenantId: 'default' };
  const project = await insertProject({ tenantId });
  const ports = { webPorts: { first: 41_000, last: 41_001 } };
  const hosts = {
    free: await insertRunner({ name: 'free', facts: { ...testFacts, ...ports } }),
    drained: await insertRunner({ name: 'drained', drained: true }),
    full: await insertRunner({ name: 'full', facts: { ...testFacts, ...ports, foreignPorts: [41_001] } }),
    // Ports that other programs have on another host take none here.
    other: await insertRunner({ name: 'other', facts: { ...testFacts, foreignPorts: [41_000] } }),
    flawed: await insertRunner({
      ...{ name: 'flawed', shared: true, tenantId: await insertTenant(`hosts ${++tenantCount}`) },
      facts: { ...testFacts, buildFixes: false },
    }),
  };
  await insertService({ projectId: project.id, runnerId: hosts.full.id, hostPort: 41_000 });
  await insertService({ projectId: project.id, runnerId: hosts.free.id, hostPort: 41_000 });
  const said = (await listed(token)).map(({ name, refusal }) => [name, refusal]);
  const tried = [];
  for (const { id, name } of Object.values(hosts)) {
    const body = { name, repoUrl: 'container-image', imageRef: 'nginx', runnerId: id };
    const { body: reply } = await call('POST', `/api/projects/${project.id}/services`, { token, body });
    tried.push([name, reply.error ?? null]);
  }
  expect(said).toEqual(tried);
  expect(said.map(([name, refusal]) => [name, refusal === null])).toEqual([
    ['free', true],
    ['drained', false],
    ['full', false],
    ['other', true],
    ['flawed', false],
  ]);
});

test('the services of a host are those that the key can see, where they are or are going to be; the operator counts all', async () => {
  const [here, there] = [
    await insertRunner({ name: 'here', shared: true }),
    await insertRunner({ name: 'there', shared: true }),
  ];
  const [mine, other] = [await insertProject(), await insertProject()];
  const strange = await insertProject({ tenantId: await insertTenant(`hosts ${++tenantCount}`) });
  for (const { id } of [mine, mine, other, strange])
    await insertService({ projectId: id, runnerId: here.id });
  const moving = await insertService({ projectId: mine.id, runnerId: here.id });
  await deps.db
    .update(services)
    .set({ nextRunnerId: there.id, nextHostPort: 41_900 })
    .where(eq(services.id, moving.id));
  const counts = async (token: string) => (await listed(token)).map((host) => host.services);
  expect(await counts((await insertKey()).token)).toEqual([3, 1]);
  expect(await counts((await insertKey({ projects: [mine.id] })).token)).toEqual([2, 1]);
  expect(await counts((await insertKey({ projects: [other.id] })).token)).toEqual([1, 0]);
  const operator = { token: operatorToken };
  const { runners: all } = (await call('GET', '/api/system/runners', operator)).body;
  expect(all.map((host: Json) => host.services)).toEqual([4, 1]);
  const { runner } = (
    await call('PATCH', `/api/system/runners/${here.id}`, { ...operator, body: { name: 'x' } })
  ).body;
  expect(runner.services).toBe(4);
});
