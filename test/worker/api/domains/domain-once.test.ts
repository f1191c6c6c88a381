/** A host name is in the instance once, as a custom domain or as a generated name. */
import { env } from 'cloudflare:workers';
import { expect, test } from 'vitest';
import { deps, insertService } from '../../../support/worker/api.ts';
import { answerNames, connectedHost, domainClient, newName } from '../../../support/worker/domains.ts';
import { serviceRow } from '../../../support/worker/host.ts';

const { call, token, overview, domainOf, add, rename } = await domainClient();

const taken = {
  error: expect.stringContaining('The host name in "hostname" is already used'),
  code: 'conflict',
};

test('a name is refused whoever has it, in any spelling, custom or generated, without saying who', async () => {
  const { host, runner, service } = await connectedHost();
  const hostname = newName();
  await Promise.all([add(service.id, hostname), answerNames(runner)]);
  const { host: elsewhere, service: other } = await connectedHost();
  expect(elsewhere.project.id).not.toBe(host.project.id);
  for (const name of [hostname, hostname.toUpperCase(), service.generatedHostname]) {
    const reply = await add(other.id, name);
    expect([reply.status, reply.body]).toEqual([409, { ...taken, requestId: expect.any(String) }]);
    expect(reply.text).not.toContain(service.id);
  }
  expect((await add(service.id, hostname)).status).toBe(409);
  expect((await overview(other.id)).domains).toEqual([]);
  expect((await serviceRow(other.id)).routesRevision).toBe(0);
});

test("a service's own generated name cannot be its custom domain, and the answer says that it is already routed there", async () => {
  const { runner, service } = await connectedHost();
  const [own, mine] = [service.generatedHostname ?? '', newName()];
  const refused = { error: expect.stringContaining('which already works without'), code: 'conflict' };
  expect((await add(service.id, own.toUpperCase())).body).toMatchObject(refused);
  await Promise.all([add(service.id, mine), answerNames(runner)]);
  const { id } = await domainOf(service.id);
  expect((await rename(service.id, id, own)).body).toMatchObject(refused);
  expect(await domainOf(service.id)).toMatchObject({ hostname: mine });
});

test('a name that another service of the project has is refused with the name of that service', async () => {
  const { host, runner, service } = await connectedHost();
  const [mine, theirs] = [newName(), newName()];
  await Promise.all([add(service.id, mine), answerNames(runner)]);
  const other = await host.addService();
  await Promise.all([add(other.id, theirs), answerNames(runner)]);
  const { id } = await domainOf(service.id);
  const holder = {
    error: expect.stringContaining(`already used by the service ${other.slug} of this project`),
  };
  for (const name of [theirs, other.generatedHostname ?? '']) {
    expect((await add(service.id, name)).body).toMatchObject(holder);
    expect((await rename(service.id, id, name)).body).toMatchObject(holder);
  }
});

test('a rename to a taken name changes nothing', async () => {
  const { host, runner, service } = await connectedHost();
  const [mine, theirs] = [newName(), newName()];
  await Promise.all([add(service.id, mine), answerNames(runner)]);
  const other = await host.addService();
  await Promise.all([add(other.id, theirs), answerNames(runner)]);
  const { id } = await domainOf(service.id);
  expect((await rename(service.id, id, theirs)).body).toMatchObject(taken);
  expect((await rename(service.id, id, other.generatedHostname ?? '')).body).toMatchObject(taken);
  expect(await domainOf(service.id)).toMatchObject({ hostname: mine });
});

test('exactly one of many simultaneous requests for a name gets it', async () => {
  const { host, runner } = await connectedHost();
  const services = await Promise.all(Array.from({ length: 6 }, () => host.addService()));
  const hostname = newName();
  void answerNames(runner);
  const replies = await Promise.all(services.map(({ id }) => add(id, hostname)));
  expect(replies.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409]);
});

test('a generated name avoids a custom one, even one added in the same moment', async () => {
  const { runner, service, host } = await connectedHost();
  const create = (name: string) =>
    call('POST', `/api/projects/${host.project.id}/services`, {
      token,
      body: { name, repoUrl: 'https://git.example/x', runnerId: host.runnerId },
    });
  await Promise.all([add(service.id, 'early.localhost'), answerNames(runner)]);
  const { body } = await create('Early');
  expect(body.service.primaryUrl).toBe(`http://early-${host.project.slug}.localhost`);

  void answerNames(runner);
  const [added, racing] = await Promise.all([add(service.id, 'racing.localhost'), create('Racing')]);
  const generated = (await serviceRow(racing.body.service.id)).generatedHostname;
  expect([added.status, generated]).toEqual(
    generated === 'racing.localhost'
      ? [409, 'racing.localhost']
      : [200, `racing-${host.project.slug}.localhost`],
  );
});

test('a rule of the schema keeps names unique, whichever row comes second', async () => {
  const { service } = await connectedHost();
  const hostname = newName('localhost');
  const write = (statement: string) => env.DB.prepare(statement).run();
  const domain = (name: string) =>
    write(`insert into domains (id, service_id, hostname, status, created_at, updated_at)
      values ('${deps.newId('domain')}', '${service.id}', '${name}', 'active', 0, 0)`);
  await domain(hostname);
  const once = 'UNIQUE constraint failed';
  await expect(domain(service.generatedHostname)).rejects.toThrow(once);
  await expect(
    write(`update domains set hostname = '${service.generatedHostname}' where hostname = '${hostname}'`),
  ).rejects.toThrow(once);
  await expect(
    write(`update services set generated_hostname = '${hostname}' where id = '${service.id}'`),
  ).rejects.toThrow(once);
  const { generatedHostname: _, ...rest } = await serviceRow(service.id);
  const copy = {
    ...rest,
    id: deps.newId('service'),
    slug: 'copy',
    hostPort: 1,
    generatedHostname: hostname,
  };
  await expect(insertService(copy)).rejects.toMatchObject({
    cause: { message: expect.stringContaining(once) },
  });
});
