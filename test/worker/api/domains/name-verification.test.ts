/** On an instance with several tenants, a custom domain belongs to the tenant whose TXT record the public DNS has. */
import { env } from 'cloudflare:workers';
import { beforeAll, expect, test } from 'vitest';
import { protocolVersion } from '../../../../protocol/frames.ts';
import { operatorToken } from '../../../support/worker/api.ts';
import { answerNames, namesOf, see } from '../../../support/worker/domains.ts';
import { deploy } from '../../../support/worker/host.ts';
import {
  type SharedInstance,
  sharedInstance,
  type TestTenant,
} from '../../../support/worker/shared-instance.ts';

let instance: SharedInstance;
let alice: TestTenant;
let bob: TestTenant;
let count = 0;
/** A domain of its own for each test. */
const newZone = () => `zone-${++count}.com`;

beforeAll(async () => {
  instance = await sharedInstance();
  const only = await instance.addTenant('default', 'default');
  const reply = await only.addRouted('alone.com');
  expect(reply.body.proxy.ok, 'a single tenant proves nothing').toBe(true);
  expect((await only.domains())[0]).not.toHaveProperty('proof');
  expect(instance.dns.asked).toEqual([]);
  [alice, bob] = [await instance.addTenant('alice'), await instance.addTenant('bob')];
});

test('an unverified name is answered with the TXT record, and never reaches the host', async () => {
  const { runner } = instance;
  const zone = newZone();
  const hostname = `shop.${zone}`;
  const { status, body } = await alice.add(hostname);
  const proof = { recordType: 'TXT', name: `_longshore.${zone}`, value: alice.value };
  expect(status).toBe(200);
  expect(body.proxy.ok).toBe(false);
  expect(body.proxy.detail).toContain(`TXT record ${proof.name} with the value ${proof.value}`);
  see(runner, { hostname });
  expect(await alice.domains()).toMatchObject([{ hostname, status: 'pending', proof }]);
  expect((await alice.domains())[0].detail).toContain(proof.value);
  await deploy(alice.service);
  const { spec } = await runner.nextDeployment();
  expect(spec.hostnames).toEqual([alice.service.generatedHostname]);
  expect(spec.names?.names).toEqual(namesOf(alice.service));
  expect(await runner.unread()).toEqual([]);
});

test('two tenants may wait for a name; the first to verify it gets it, and the other one reads why it waits', async () => {
  const { dns, runner, sweep } = instance;
  const zone = newZone();
  const carol = await instance.addTenant('carol');
  expect((await carol.add(zone)).status).toBe(200);
  expect((await bob.add(zone)).status).toBe(200);
  dns.set(`_longshore.${zone}`, 'v=spf1 -all', bob.value);
  await sweep();
  const task = await answerNames(runner);
  expect(task).toMatchObject({ serviceId: bob.service.id, changed: [zone] });
  expect((await bob.domains()).find(({ hostname }) => hostname === zone)).not.toHaveProperty('proof');
  const [hers] = await carol.domains();
  expect(hers).toMatchObject({ status: 'pending', proof: { value: carol.value } });
  dns.set(`_longshore.${zone}`, bob.value, carol.value);
  await sweep();
  expect((await carol.domains())[0].detail).toContain('the TXT record of its user still exists');
  expect(await runner.unread()).toEqual([]);
});

test('a name moves to another tenant only when the DNS has the record of the new one and no longer that of the old one', async () => {
  const { dns, runner, sweep } = instance;
  const zone = newZone();
  const [old, young] = [await instance.addTenant('old'), await instance.addTenant('young')];
  dns.set(`_longshore.${zone}`, old.value);
  expect((await old.addRouted(`www.${zone}`)).body.proxy.ok).toBe(true);
  see(runner, { hostname: `www.${zone}` });
  await answerNames(runner);
  await young.add(`www.${zone}`);
  dns.set(`_longshore.${zone}`, young.value);
  dns.statuses.set(`_longshore.www.${zone}`, 2);
  await sweep();
  expect((await old.domains())[0].status).toBe('active');
  dns.statuses.clear();
  await sweep();
  const tasks = [await answerNames(runner), await answerNames(runner)];
  const given = Object.fromEntries(tasks.map(({ serviceId, names }) => [serviceId, names]));
  expect(given[old.service.id]).toEqual(namesOf(old.service));
  expect(given[young.service.id]).toEqual(namesOf(young.service, [`www.${zone}`, false]));
  expect(await old.domains()).toMatchObject([{ status: 'pending', certificate: { state: 'none' } }]);
});

test('the record of the name itself verifies that name alone; a record behind a CNAME verifies nothing', async () => {
  const { dns } = instance;
  const zone = newZone();
  const { tenantId } = alice;
  const tenant = await instance.addTenant('part', tenantId);
  dns.set(`_longshore.a.${zone}`, tenant.value);
  dns.set('_longshore.elsewhere.net', tenant.value);
  dns.alias(`_longshore.b.${zone}`, '_longshore.elsewhere.net');
  expect((await tenant.addRouted(`a.${zone}`)).body.proxy.ok).toBe(true);
  expect((await tenant.add(`b.${zone}`)).body.proxy.ok).toBe(false);
  expect((await tenant.add(`x.a.${zone}`)).body.proxy.ok).toBe(false);
  expect((await tenant.add(`a.${zone}`)).status).toBe(409);
});

test('a rename needs verification of the new name; the same name again is checked at once', async () => {
  const { dns, runner } = instance;
  const [mine, next] = [newZone(), newZone()];
  const tenant = await instance.addTenant('renaming');
  dns.set(`_longshore.${mine}`, tenant.value);
  await tenant.addRouted(mine);
  const [{ id }] = await tenant.domains();
  const [renamed, removal] = await Promise.all([tenant.rename(id, next), answerNames(runner)]);
  expect(renamed.body.proxy).toMatchObject({ ok: false, detail: expect.stringContaining(next) });
  expect(removal.names).toEqual(namesOf(tenant.service));
  expect((await tenant.rename(id, next)).body.proxy.ok).toBe(false);
  dns.set(`_longshore.${next}`, tenant.value);
  const [again, task] = await Promise.all([tenant.rename(id, next), answerNames(runner)]);
  expect(again.body.proxy.ok).toBe(true);
  expect(task.names).toEqual(namesOf(tenant.service, [next, false]));
  const other = await tenant.add(newZone());
  expect(other.body.proxy.ok).toBe(false);
  const waiting = (await tenant.domains()).find(({ proof }) => proof);
  expect((await tenant.remove(waiting.id)).body.proxy.ok).toBe(true);
  expect(await runner.unread()).toEqual([]);
});

test('resolvers that can’t be reached are replaced: by the second one, then by a host of the operator', async () => {
  const { dns, runner, sweep } = instance;
  const zone = newZone();
  const tenant = await instance.addTenant('offline');
  dns.set(`_longshore.${zone}`, tenant.value);
  dns.down.add('cloudflare-dns.com');
  expect((await tenant.addRouted(zone)).body.proxy.ok).toBe(true);
  dns.down.add('dns.google');
  const answered = (async () => {
    for (const _ of [1, 2]) {
      const { id, ask } = await runner.next('request');
      if (ask.op !== 'look-up-txt') throw new Error(`a ${ask.op} came instead`);
      const values = ask.name === `_longshore.b.${zone}` ? [tenant.value] : [];
      const outcome = { ok: true as const, value: { found: 'records', values } };
      runner.send({ v: protocolVersion, type: 'response', id, outcome });
    }
    return answerNames(runner);
  })();
  const [reply] = await Promise.all([tenant.add(`b.${zone}`), answered]);
  expect(reply.body.proxy.ok).toBe(true);
  dns.down.clear();
  await sweep();
});

test('waiting names of one tenant do not delay those of another', { tags: 'slow' }, async () => {
  const { dns, runner, sweep } = instance;
  const [many, one] = [await instance.addTenant('many'), await instance.addTenant('one')];
  for (let index = 0; index < 12; index++) await many.add(newZone());
  const zone = newZone();
  await one.add(zone);
  await env.DB.prepare('update domains set proof_checked_at = 0, updated_at = 0 where hostname <> ?')
    .bind(zone)
    .run();
  dns.set(`_longshore.${zone}`, one.value);
  let runs = 0;
  while ((await one.domains())[0].proof) {
    await sweep();
    runs += 1;
    if (runs > 4) throw new Error('the name waits for those of another tenant');
  }
  await answerNames(runner);
});

/** Deletes it without waiting for the host. */
async function deleted(path: string, token: string, shown: string): Promise<void> {
  void instance.call('DELETE', path, { token });
  const status = async () => (await instance.call('GET', path + shown, { token })).status;
  await expect.poll(status).toBe(404);
}

test('a held name is free for its tenant at once, and for others after the hold; generated names avoid it', async () => {
  const { call, runner, host } = instance;
  const [owner, other] = [await instance.addTenant('keeper'), await instance.addTenant('patient')];
  await owner.addRouted('kept.localhost');
  const [{ id }] = await owner.domains();
  await Promise.all([owner.remove(id), answerNames(runner)]);
  const create = () =>
    call('POST', `/api/projects/${other.project.id}/services`, {
      token: other.token,
      body: { name: 'kept', repoUrl: 'https://git.example/x', runnerId: host.runnerId },
    });
  expect((await create()).body.service.primaryUrl).toBe(`http://kept-${other.project.slug}.localhost`);
  expect((await owner.addRouted('kept.localhost')).body.proxy.ok).toBe(true);
  const [{ id: again }] = await owner.domains();
  await Promise.all([owner.remove(again), answerNames(runner)]);
  expect((await other.add('kept.localhost')).status).toBe(409);
  await env.DB.prepare("update held_names set held_until = 0 where hostname = 'kept.localhost'").run();
  expect((await other.addRouted('kept.localhost')).status).toBe(200);
});

test('a name with more than one label is refused, because it would share the cookies of another name', async () => {
  const reply = await alice.add('evil.bobs-shop.localhost');
  expect([reply.status, reply.body.code]).toEqual([400, 'unsupported']);
  expect(reply.body.error).toContain('"evil-bobs-shop.localhost"');
  const older = await instance.addTenant('older');
  await older.addRouted('first.localhost');
  await env.DB.prepare(
    "update domains set hostname = 'a.first.localhost' where hostname = 'first.localhost'",
  ).run();
  const [{ id }] = await older.domains();
  expect((await older.rename(id, 'b.first.localhost')).status).toBe(400);
  void older.rename(id, 'a.first.localhost');
  const { names } = await answerNames(instance.runner);
  expect(names.at(-1)?.hostname, 'an old name can be checked again').toBe('a.first.localhost');
});

test('a name that a tenant gives up is held for it, however it was deleted', { tags: 'slow' }, async () => {
  const { runner } = instance;
  const [owner, thief] = [await instance.addTenant('owner'), await instance.addTenant('thief')];
  const [service, other] = [await owner.addService(), await owner.addService()];
  await owner.addRouted('one.localhost');
  await owner.addRouted('two.localhost', service.id);
  await owner.addRouted('three.localhost', other.id);
  const [{ id }] = await owner.domains();
  await Promise.all([owner.remove(id), answerNames(runner)]);
  await deleted(`/api/services/${service.id}`, owner.token, '/overview');
  await deleted(`/api/projects/${owner.project.id}`, owner.token, '');
  const generated = [service, other, owner.service].map(({ generatedHostname }) => generatedHostname ?? '');
  for (const hostname of ['one.localhost', 'two.localhost', 'three.localhost', ...generated]) {
    const reply = await thief.add(hostname);
    expect([hostname, reply.status, reply.body.error]).toEqual([
      hostname,
      409,
      expect.stringContaining('reserved for that tenant'),
    ]);
  }
});

const set = (tenant: TestTenant, serviceId: string, databasePublicHostname: string | null) =>
  instance.call('PATCH', `/api/services/${serviceId}`, {
    token: tenant.token,
    body: { databasePublicHostname },
  });

test('a public host name of a database has to be verified, or free below the zones of the instance', async () => {
  const tenant = await instance.addTenant('with-database');
  const zone = newZone();
  const { body } = await instance.call('POST', `/api/projects/${tenant.project.id}/services`, {
    token: tenant.token,
    body: {
      name: 'db',
      repoUrl: 'database',
      repoFullName: 'database:postgres',
      runnerId: instance.host.runnerId,
    },
  });
  const serviceId = body.service.id;
  const refused = await set(tenant, serviceId, `db.${zone}`);
  expect([refused.status, refused.body.code]).toEqual([409, 'conflict']);
  expect(refused.body.error).toContain(`TXT record _longshore.${zone} with the value ${tenant.value}`);
  expect((await set(tenant, serviceId, bob.service.generatedHostname)).body.error).toContain(
    'another tenant',
  );
  instance.dns.set(`_longshore.${zone}`, tenant.value);
  expect((await set(tenant, serviceId, `db.${zone}`)).body.service.databasePublicHostname).toBe(`db.${zone}`);
  instance.dns.set(`_longshore.${zone}`);
  expect((await set(tenant, serviceId, `db.${zone}`)).status, 'the same name needs no new proof').toBe(200);
  expect((await set(tenant, serviceId, null)).body.service.databasePublicHostname).toBeNull();
  const create = await instance.call('POST', `/api/projects/${tenant.project.id}/services`, {
    token: tenant.token,
    body: {
      name: 'other',
      repoUrl: 'database',
      repoFullName: 'database:postgres',
      databasePublicHostname: `db.${zone}`,
    },
  });
  expect(create.body).toMatchObject({
    code: 'conflict',
    error: expect.stringContaining('"databasePublicHostname"'),
  });
});

test('a tenant other than the default one has at most 100 domains per service, and its quota', async () => {
  const tenant = await instance.addTenant('limited');
  await env.DB.prepare(
    `with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 99)
     insert into domains (id, service_id, hostname, status, is_proven, created_at, updated_at)
     select 'dom_bulk' || n, ?, 'bulk-' || n || '.com', 'pending', 0, 0, 0 from numbers`,
  )
    .bind(tenant.service.id)
    .run();
  expect((await tenant.add(newZone())).status).toBe(200);
  const over = await tenant.add(newZone());
  expect([over.status, over.body.error]).toEqual([
    409,
    expect.stringContaining('at most 100 custom domains'),
  ]);
  await instance.call('PATCH', `/api/system/tenants/${tenant.tenantId}`, {
    token: operatorToken,
    body: { quotas: { domains: 100 } },
  });
  const next = await tenant.add(newZone(), (await tenant.addService()).id);
  expect(next.body).toMatchObject({
    code: 'quota_exceeded',
    error: expect.stringContaining('100 domains in use'),
  });
});
