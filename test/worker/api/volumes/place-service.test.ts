/** Where a new service goes, on which port, and under which URLs. */
import { env } from 'cloudflare:workers';
import { expect, test } from 'vitest';
import { insertProject, insertRunner } from '../../../support/worker/api.ts';
import { serviceBench, timestamp } from '../../../support/worker/services.ts';

const { call, token, runner, create, created, overview } = await serviceBench();

test('a service without any host is 409 no_runner with a way out', async () => {
  await env.DB.prepare('update runners set revoked_at = 1').run();
  const { id } = await insertProject();
  const reply = await create({ name: 'a', repoUrl: 'https://git.example/a' }, id);
  await env.DB.prepare('update runners set revoked_at = null').run();
  expect([reply.status, reply.body.code]).toEqual([409, 'no_runner']);
  expect(reply.body.error).toContain('/api/system/runners');
});

test('a host of the default tenant that serves nobody else takes its services, whether its row names the tenant or not', async () => {
  for (const tenantId of [null, 'default']) {
    const host = await insertRunner({ tenantId, shared: false });
    await env.DB.prepare('update runners set revoked_at = iif(id = ?, null, 1)').bind(host.id).run();
    const { id } = await insertProject();
    expect((await created({ name: 'a', repoUrl: 'https://git.example/a' }, id)).runnerId).toBe(host.id);
  }
  await env.DB.prepare('update runners set revoked_at = iif(id = ?, null, 1)').bind(runner.id).run();
});

test('a first service is placed on the emptiest host, the rest of the project stays there', async () => {
  await created({ name: 'busy', repoUrl: 'https://git.example/busy' });
  const empty = await insertRunner({ name: 'empty' });
  const { id } = await insertProject();
  const body = { name: 'a', repoUrl: 'https://git.example/a' };
  const first = await created(body, id);
  await insertRunner({ name: 'emptier' });
  const second = await created(body, id);
  expect([first.runnerId, second.runnerId]).toEqual([empty.id, empty.id]);
  expect([first.hostPort, second.hostPort]).toEqual([41000, 41001]);
  await env.DB.prepare("update runners set drained = 1 where name like 'empt%'").run();
  expect((await create(body, id)).body).toMatchObject({
    code: 'conflict',
    error: expect.stringContaining('drained'),
  });
  expect((await created({ ...body, runnerId: runner.id }, id)).runnerId).toBe(runner.id);
});

test('a released port is reused first, and a full block is 409', async () => {
  const facts = { ...runner.facts, webPorts: { first: 50000, last: 50001 } };
  const small = await insertRunner({ facts });
  const { id } = await insertProject();
  const body = { name: 'a', repoUrl: 'https://git.example/a', runnerId: small.id };
  const first = await created(body, id);
  expect((await created(body, id)).hostPort).toBe(50001);
  expect((await create(body, id)).body).toMatchObject({
    code: 'conflict',
    error: expect.stringContaining('port'),
  });
  await call('DELETE', `/api/services/${first.id}`, { token });
  expect((await created(body, id)).hostPort).toBe(50000);
});

test('a database gets no port on which another program listens', async () => {
  const facts = {
    ...runner.facts,
    databasePorts: { first: 45000, last: 45004 },
    busyPorts: [45000, 45001, 45003],
  };
  const host = await insertRunner({ facts });
  const { id } = await insertProject();
  const database = { repoUrl: 'database', repoFullName: 'database:redis', runnerId: host.id };
  const ports = [];
  for (const name of ['a', 'b']) ports.push((await created({ name, ...database }, id)).hostPort);
  expect(ports).toEqual([45002, 45004]);
  expect((await create({ name: 'c', ...database }, id)).body.error).toContain('no free port');
  const app = { name: 'app', repoUrl: 'https://git.example/a', runnerId: host.id };
  expect((await created(app, id)).hostPort).toBe(41000);
});

test('URLs carry the ports of the host when they are not the usual ones', async () => {
  const local = await insertRunner({ facts: { ...runner.facts, httpPort: 8080, httpsPort: 8443 } });
  const { id } = await insertProject();
  const { primaryUrl, id: serviceId } = await created(
    { name: 'porty', repoUrl: 'https://git.example/p', runnerId: local.id },
    id,
  );
  expect(primaryUrl).toBe('http://porty.localhost:8080');
  await env.DB.prepare(
    `insert into domains (id, service_id, hostname, status, created_at, updated_at) values
     ('dom_1', ?1, 'pending.example.com', 'pending', 1, 1), ('dom_2', ?1, 'www.example.com', 'active', 2, 2), ('dom_3', ?1, 'later.example.com', 'active', 3, 3)`,
  )
    .bind(serviceId)
    .run();
  const { service, domains } = await overview(serviceId);
  expect(service).toMatchObject({
    preferredDomain: 'www.example.com',
    primaryUrl: 'https://www.example.com:8443',
  });
  expect(domains[0]).toEqual({
    id: 'dom_1',
    serviceId,
    hostname: 'pending.example.com',
    status: 'pending',
    detail: 'The host has not checked its DNS yet.',
    certificate: { state: 'none', expiresAt: null, detail: '' },
    createdAt: timestamp,
    updatedAt: timestamp,
  });
});
