/** With the second tenant, the default one gets the quotas that keep its keys from filling the database. */
import { expect, test } from 'vitest';
import { defaultTenantId } from '../../../../worker/domain/tenants/tenant-limits.ts';
import { createClient, insertKey, insertProject, operatorToken } from '../../../support/worker/api.ts';

const call = createClient();
const operator = (method: string, path: string, body?: unknown) =>
  call(method, path, { token: operatorToken, ...(body === undefined ? {} : { body }) });
const quotasOf = async (tenantId: string) => {
  const { tenants } = (await operator('GET', '/api/system/tenants')).body;
  return tenants.find(({ id }: { id: string }) => id === tenantId).quotas;
};
const change = (quotas: object) => operator('PATCH', `/api/system/tenants/${defaultTenantId}`, { quotas });
const addTenant = async (name: string) =>
  (await operator('POST', '/api/system/tenants', { name })).body.tenant.id as string;
const defaults = { domains: 500, volumes: 500, keptDeletions: 2_000, keptDeletionBytes: 100_000_000 };

test('the default tenant is limited once there is a second tenant, at twice its usage or its own quota', async () => {
  for (let count = 0; count < 60; count++) await insertProject();
  await change({ services: 7 });
  expect(await quotasOf(defaultTenantId)).toMatchObject({ projects: null, services: 7, keptDeletions: null });
  await addTenant('second');
  expect(await quotasOf(defaultTenantId)).toMatchObject({ ...defaults, projects: 120, services: 7 });
  expect((await quotasOf(defaultTenantId)).backupBytes).toBeNull();
  // What the operator removes afterwards stays removed.
  await change({ projects: null });
  await addTenant('third');
  expect((await quotasOf(defaultTenantId)).projects).toBeNull();
  await change({ projects: 60 });
  const { token } = await insertKey();
  const refused = await call('POST', '/api/projects', { token, body: { name: 'one more' } });
  expect([refused.status, refused.body.code]).toEqual([409, 'quota_exceeded']);
});
