/** BUILDER=railpack, which only a host of one tenant builds. */
import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { variablePlace } from '../../../../worker/security/secret-places.ts';
import { projects } from '../../../../worker/store/schema/projects.ts';
import { variables } from '../../../../worker/store/schema/services.ts';
import { deps, insertProject, insertService, insertTenant } from '../../../support/worker/api.ts';
import { FakeRunner } from '../../../support/worker/fake-runner.ts';
import { deploy, jobRow, newHost } from '../../../support/worker/host.ts';

async function railpackService() {
  const host = await newHost();
  const runner = await FakeRunner.connect(host.keys);
  const service = await host.addService();
  const { id: projectId, wrappedDataKey } = host.project;
  const id = deps.newId('variable');
  const sealedValue = await deps.envelope.seal(wrappedDataKey, projectId, variablePlace(id), 'railpack');
  const row = { id, serviceId: service.id, key: 'BUILDER', sealedValue, createdAt: 0, updatedAt: 0 };
  await deps.db.insert(variables).values(row);
  return { host, runner, service };
}

test('Railpack builds on a host of one tenant, other projects of the tenant included', async () => {
  const { host, runner, service } = await railpackService();
  await insertService({ projectId: (await insertProject()).id, runnerId: host.runnerId });
  await deploy(service);
  expect(await runner.next('start')).toMatchObject({ spec: { serviceId: service.id } });
});

test('Railpack does not build where another tenant has a service, and the reason names the ways out', async () => {
  const { host, runner, service } = await railpackService();
  const project = await insertProject({ tenantId: await insertTenant('Other') });
  await insertService({ projectId: project.id, runnerId: host.runnerId });
  const refused = await deploy(service);
  await expect
    .poll(() => jobRow(refused.jobId))
    .toMatchObject({
      state: 'failed',
      failureMessage: expect.stringMatching(/BUILDER is "railpack".*Remove the variable.*host of your own/),
    });
  await deps.db.update(projects).set({ tenantId: 'default' }).where(eq(projects.id, project.id));
  await deploy(service);
  expect(await runner.next('start')).toMatchObject({ spec: { serviceId: service.id } });
});
