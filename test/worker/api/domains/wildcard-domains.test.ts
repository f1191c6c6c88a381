/** Wildcards as domains of services, through the API. */
import { expect, test } from 'vitest';
import {
  answerNames,
  connectedHost,
  domainClient,
  namesOf,
  newName,
  see,
} from '../../../support/worker/domains.ts';
import { sharedInstance } from '../../../support/worker/shared-instance.ts';

const { overview, domainOf, add } = await domainClient();

test('a wildcard is a domain of a service beside names below it, and never its address', async () => {
  const { runner, service } = await connectedHost();
  const zone = newName();
  const [reply, task] = await Promise.all([add(service.id, `*.${zone}`), answerNames(runner)]);
  expect(reply.body).toMatchObject({ ok: true, domain: { hostname: `*.${zone}`, status: 'pending' } });
  expect(task).toMatchObject({ names: namesOf(service, [`*.${zone}`, false]), changed: [`*.${zone}`] });
  see(runner, { hostname: `*.${zone}` });
  await answerNames(runner);
  expect(await domainOf(service.id)).toMatchObject({ status: 'active' });
  expect((await overview(service.id)).service.preferredDomain).toBeNull();
  await Promise.all([add(service.id, `a.${zone}`), answerNames(runner)]);
  see(runner, { hostname: `a.${zone}` });
  await answerNames(runner);
  expect((await overview(service.id)).service.preferredDomain).toBe(`a.${zone}`);
  expect((await add(service.id, `*.${zone}`)).status).toBe(409);
});

test('of several tenants, only one that may speak for all names below gets the wildcard', async () => {
  const { dns, runner, addTenant } = await sharedInstance();
  const [owner, part] = [await addTenant('owner'), await addTenant('part')];
  const zone = newName();
  // The owner of the zone gave this tenant one name, and the names below it are not its own.
  dns.set(`_longshore.shop.${zone}`, part.value);
  expect((await part.addRouted(`shop.${zone}`)).body.proxy.ok).toBe(true);
  for (const wildcard of [`*.${zone}`, `*.shop.${zone}`]) {
    const { body } = await part.add(wildcard);
    expect(body).toMatchObject({ proxy: { ok: false }, domain: { proof: { value: part.value } } });
  }
  dns.set('_longshore.example.com', owner.value);
  expect((await owner.addRouted(`*.${zone}`)).body.proxy.ok).toBe(true);
  dns.set(`_longshore-wildcard.shop.${zone}`, part.value);
  const [given] = (await part.domains()).filter(({ hostname }) => hostname === `*.shop.${zone}`);
  const [checked] = await Promise.all([part.rename(given.id, given.hostname), answerNames(runner)]);
  expect(checked.body.proxy.ok).toBe(true);
});
