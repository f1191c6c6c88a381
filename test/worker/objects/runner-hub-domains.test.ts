/**
 * Custom domains between control plane and host: what a host is told on its return, and what it says of DNS and certificates.
 * @module-tag slow
 */
import { env } from 'cloudflare:workers';
import { expect, test } from 'vitest';
import { type Json, operatorToken } from '../../support/worker/api.ts';
import {
  answerNames,
  connectedHost,
  domainClient,
  namesOf,
  newName,
  see,
} from '../../support/worker/domains.ts';
import { FakeRunner } from '../../support/worker/fake-runner.ts';
import { deploy, newHost, serviceRow } from '../../support/worker/host.ts';

const { call, token, overview, domainOf, add } = await domainClient();

test('a host that is away is reported in the answer; names are stored and sent at its return in one task', async () => {
  const host = await newHost();
  const service = await host.addService();
  const [first, second] = [newName('localhost'), newName('localhost')];
  const reply = await add(service.id, first);
  expect(reply.body).toMatchObject({
    ok: true,
    proxy: { ok: false, detail: 'The host is not connected; it will do this when it reconnects.' },
  });
  await env.DB.prepare('update host_tasks set due_at = due_at - 120000 where runner_id = ?')
    .bind(host.runnerId)
    .run();
  await add(service.id, second);
  const runner = await FakeRunner.connect(host.keys);
  const task = await answerNames(runner);
  expect(task).toMatchObject({
    revision: 2,
    names: namesOf(service as Json, [first, true], [second, true]),
    changed: [second],
  });
  expect(await runner.unread()).toEqual([]);
});

test('a host that is away learns of a removed service with all its names', async () => {
  const host = await newHost();
  const service = await host.addService();
  const hostname = newName();
  await add(service.id, hostname);
  await call('DELETE', `/api/services/${service.id}`, { token });
  const runner = await FakeRunner.connect(host.keys);
  const kinds: Record<string, Json> = {};
  for (const _ of [1, 2]) {
    const { task } = await runner.next('task');
    kinds[task.kind] = task;
  }
  expect(kinds['remove-service'].hostnames).toEqual([service.generatedHostname, hostname]);
  expect(await runner.unread()).toEqual([]);
});

const expiresAt = Date.parse('2027-02-01T00:00:00.000Z');

test('what the host sees makes a name active and is sent back; the overview shows DNS and certificate', async () => {
  const { runner, service } = await connectedHost();
  const hostname = newName();
  await Promise.all([add(service.id, hostname), answerNames(runner)]);
  see(runner, { hostname, dns: 'elsewhere', detail: 'It points to 198.51.100.9.' });
  await expect.poll(async () => (await domainOf(service.id)).detail).toBe('It points to 198.51.100.9.');
  expect(await runner.unread()).toEqual([]);

  see(runner, { hostname });
  const task = await answerNames(runner);
  expect(task).toMatchObject({ revision: 2, names: namesOf(service, [hostname, true]), changed: [] });
  see(runner, { hostname, certificate: { state: 'issued', expiresAt, detail: '' } });
  await expect.poll(async () => (await domainOf(service.id)).certificate.state).toBe('issued');
  const { domains, service: shown } = await overview(service.id);
  expect(domains[0]).toMatchObject({
    status: 'active',
    detail: 'It points here.',
    certificate: { state: 'issued', expiresAt: '2027-02-01T00:00:00.000Z', detail: '' },
  });
  expect(shown.preferredDomain).toBe(hostname);
  expect(await runner.unread()).toEqual([]);

  see(runner, { hostname, dns: 'elsewhere', detail: 'It moved.' });
  expect(await answerNames(runner)).toMatchObject({
    revision: 3,
    names: namesOf(service, [hostname, false]),
  });
  expect(await domainOf(service.id)).toMatchObject({ status: 'pending', detail: 'It moved.' });
});

test('what the host sees of name servers that do not answer changes nothing', async () => {
  const { runner, service } = await connectedHost();
  const hostname = newName();
  await Promise.all([add(service.id, hostname), answerNames(runner)]);
  see(runner, { hostname });
  await answerNames(runner);
  see(runner, { hostname, dns: 'unknown', detail: 'ETIMEOUT' });
  expect(await runner.unread()).toEqual([]);
  expect(await domainOf(service.id)).toMatchObject({ status: 'active', detail: 'It points here.' });
});

test('reports of a host on names that are not its own are ignored', async () => {
  const { runner, service } = await connectedHost();
  const hostname = newName();
  await Promise.all([add(service.id, hostname), answerNames(runner)]);
  const { runner: stranger } = await connectedHost();
  see(stranger, { hostname });
  see(stranger, { hostname: 'nobody.example.com' });
  expect(await stranger.unread()).toEqual([]);
  expect(await domainOf(service.id)).toMatchObject({ status: 'pending' });
});

test('what the host sees and has reported before costs no row', async () => {
  const { runner, service } = await connectedHost();
  const hostname = newName();
  await Promise.all([add(service.id, hostname), answerNames(runner)]);
  see(runner, { hostname });
  await answerNames(runner);
  const written = () =>
    env.DB.prepare('select checked_at from domains where hostname = ?')
      .bind(hostname)
      .first<number>('checked_at');
  const before = await written();
  expect(before).toBeGreaterThan(0);
  await env.DB.prepare('update domains set checked_at = 1 where hostname = ?').bind(hostname).run();
  see(runner, { hostname });
  expect(await runner.unread()).toEqual([]);
  expect(await written()).toBe(1);
});

test('a deployment carries the names and their revision as they are at its dispatch', async () => {
  const { runner, service } = await connectedHost();
  const hostname = newName();
  await Promise.all([add(service.id, hostname), answerNames(runner)]);
  await deploy(service as Json);
  const { spec } = await runner.nextDeployment();
  expect(spec.names).toEqual({ revision: 1, names: namesOf(service, [hostname, false]), publicIp: null });
});

test('another public address is sent to the hosts of all custom domains', async () => {
  const { host, runner, service } = await connectedHost();
  await Promise.all([add(service.id, newName()), answerNames(runner)]);
  const plain = await host.addService();
  const set = (publicIp: string | null) =>
    call('PATCH', '/api/system/settings', { token: operatorToken, body: { publicIp } });
  await set('203.0.113.99');
  expect(await answerNames(runner)).toMatchObject({
    serviceId: service.id,
    revision: 2,
    publicIp: '203.0.113.99',
  });
  expect(await runner.unread()).toEqual([]);
  expect((await serviceRow(plain.id)).routesRevision).toBe(0);
  await set(null);
  expect((await answerNames(runner)).publicIp).toBeNull();
});
