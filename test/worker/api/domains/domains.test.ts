/** Custom domains through the API: who may have which, and what their host is told. */
import { env } from 'cloudflare:workers';
import { describe, expect, test } from 'vitest';
import { insertKey, insertTenant, operatorToken } from '../../../support/worker/api.ts';
import {
  answerNames,
  connectedHost,
  domainClient,
  namesOf,
  newName,
  noCertificate,
  see,
} from '../../../support/worker/domains.ts';
import { newHost } from '../../../support/worker/host.ts';
import { timestamp } from '../../../support/worker/services.ts';

const { call, token, overview, domainOf, add, rename, remove } = await domainClient();

describe('a domain', () => {
  test('a new domain is pending, is sent to the host with all names, and is answered with what the host saw', async () => {
    const { runner, service } = await connectedHost();
    const hostname = newName();
    const proxy = { ok: true, detail: `${hostname} answered 200 through the proxy in 3 ms.` };
    const [reply, task] = await Promise.all([
      add(service.id, hostname.toUpperCase()),
      answerNames(runner, proxy),
    ]);
    expect(reply.body).toMatchObject({ ok: true, proxy });
    expect(task).toEqual({
      kind: 'set-hostnames',
      serviceId: service.id,
      projectId: service.projectId,
      revision: 1,
      names: namesOf(service, [hostname, false]),
      publicIp: null,
      changed: [hostname],
    });
    const { domains, service: shown } = await overview(service.id);
    expect(domains).toEqual([
      {
        id: expect.stringMatching(/^dom_[a-z0-9]{16}$/),
        serviceId: service.id,
        hostname,
        status: 'pending',
        detail: 'The host has not checked its DNS yet.',
        certificate: noCertificate,
        createdAt: timestamp,
        updatedAt: timestamp,
      },
    ]);
    expect(shown.preferredDomain).toBeNull();
  });

  test('a domain below localhost is active at once', async () => {
    const { runner, service } = await connectedHost();
    const hostname = newName('localhost');
    const [, task] = await Promise.all([add(service.id, hostname), answerNames(runner)]);
    expect(task.names).toEqual(namesOf(service, [hostname, true]));
    const { domains, service: shown } = await overview(service.id);
    expect(domains[0].status).toBe('active');
    expect(shown).toMatchObject({ preferredDomain: hostname, primaryUrl: `https://${hostname}` });
  });

  test('a domain is renamed and deleted; each change raises the revision and reports what came and went', async () => {
    const { runner, service } = await connectedHost();
    const [first, second] = [newName('localhost'), newName()];
    await Promise.all([add(service.id, first), answerNames(runner)]);
    const { id } = await domainOf(service.id);
    const [renamed, task] = await Promise.all([rename(service.id, id, second), answerNames(runner)]);
    expect(renamed.body).toMatchObject({ ok: true, proxy: { ok: true, detail: 'answered' } });
    expect(task).toMatchObject({
      revision: 2,
      names: namesOf(service, [second, false]),
      changed: [second, first],
    });
    expect(await domainOf(service.id)).toMatchObject({ id, hostname: second, status: 'pending' });
    const [removed, last] = await Promise.all([remove(service.id, id), answerNames(runner)]);
    expect(removed.body.ok).toBe(true);
    expect(last).toMatchObject({ revision: 3, names: namesOf(service), changed: [second] });
    expect((await overview(service.id)).domains).toEqual([]);
    expect((await remove(service.id, id)).status).toBe(404);
  });

  test('a domain that is renamed to its own name stays unchanged and is checked again', async () => {
    const { runner, service } = await connectedHost();
    const hostname = newName();
    await Promise.all([add(service.id, hostname), answerNames(runner)]);
    see(runner, { hostname });
    expect((await answerNames(runner)).changed).toEqual([]);
    const before = await domainOf(service.id);
    const [reply, task] = await Promise.all([
      rename(service.id, before.id, hostname.toUpperCase()),
      answerNames(runner),
    ]);
    expect([reply.status, task.changed]).toEqual([200, [hostname]]);
    const { updatedAt: _, ...same } = before;
    expect(await domainOf(service.id)).toMatchObject({ ...same, status: 'active' });
  });

  test('a domain of another service is not found', async () => {
    const { host, runner, service } = await connectedHost();
    await Promise.all([add(service.id, newName()), answerNames(runner)]);
    const other = await host.addService();
    const { id } = await domainOf(service.id);
    expect((await rename(other.id, id, newName())).status).toBe(404);
    expect((await remove(other.id, id)).status).toBe(404);
  });
});

describe('what takes none', () => {
  test.each([
    [
      'a worker',
      { runtimeMode: 'worker' as const, generatedHostname: null },
      'A worker has no custom domains',
    ],
    [
      'a database',
      {
        kind: 'database' as const,
        repoUrl: 'database',
        repoFullName: 'database:redis',
        generatedHostname: null,
      },
      'A database has no custom domains',
    ],
  ])('%s cannot have a domain (400)', async (_, fields, sentence) => {
    const host = await newHost();
    const service = await host.addService(fields);
    const reply = await add(service.id, newName());
    expect([reply.status, reply.body.code]).toEqual([400, 'unsupported']);
    expect(reply.body.error).toContain(sentence);
  });

  test('a service with domains does not become a worker, and one that became one takes none', async () => {
    const { runner, service } = await connectedHost();
    const become = (runtimeMode: string) =>
      call('PATCH', `/api/services/${service.id}`, { token, body: { runtimeMode } });
    await Promise.all([add(service.id, newName()), answerNames(runner)]);
    const refused = await become('worker');
    expect([refused.status, refused.body.code]).toEqual([409, 'conflict']);
    expect(refused.body.error).toContain('delete those of the service');
    expect((await become('static')).status).toBe(200);
    const { id } = await domainOf(service.id);
    await Promise.all([remove(service.id, id), answerNames(runner)]);
    expect((await become('worker')).status).toBe(200);
    expect((await add(service.id, newName())).status).toBe(400);
    await expect(
      env.DB.prepare(`insert into domains (id, service_id, hostname, status, created_at, updated_at)
        values ('dom_late', '${service.id}', '${newName()}', 'active', 0, 0)`).run(),
    ).rejects.toThrow('CHECK constraint failed');
  });

  test.each([
    ['shop.*.example.com', 'wildcard'],
    ['*.github.io', 'public suffix'],
    ['10.0.0.1', 'IP address'],
    ['co.uk', 'public suffix'],
    ['https://example.com/a', 'https://'],
    [7, 'must be a string'],
    [null, "can't be null"],
  ])('the name %j is 400 with a sentence about the field', async (hostname, part) => {
    const { id } = await (await newHost()).addService();
    const reply = await add(id, hostname);
    expect([reply.status, reply.body.code]).toEqual([400, 'invalid_request']);
    expect(reply.body.error).toMatch(/^The field "hostname" .*\.$/);
    expect(reply.body.error).toContain(part);
  });
});

test('names below the root domain are free except those that machines look up; the root is the operator’s', {
  tags: 'slow',
}, async () => {
  const set = (rootDomain: string | null) =>
    call('PATCH', '/api/system/settings', { token: operatorToken, body: { rootDomain } });
  await set('apps.example.net');
  const { runner, service } = await connectedHost();
  const [free] = await Promise.all([add(service.id, 'shop.apps.example.net'), answerNames(runner)]);
  expect(free.status).toBe(200);
  expect((await add(service.id, 'wpad.apps.example.net')).body.code).toBe('unsupported');
  expect((await add(service.id, '*.apps.example.net')).body.error).toContain('all generated names');
  const tenantId = await insertTenant('customer');
  await env.DB.prepare('update projects set tenant_id = ? where id = ?')
    .bind(tenantId, service.projectId)
    .run();
  const { token: customer } = await insertKey({ tenantId });
  const asked = { token: customer, body: { hostname: 'apps.example.net' } };
  const refused = await call('POST', `/api/services/${service.id}/domains`, asked);
  expect(refused.body.error).toContain('root domain');
  await set(null);
});
