/** The counters of what tenants use: triggers keep them, so they are compared with the rows after all that changes rows. */
import { env } from 'cloudflare:workers';
import { expect, test } from 'vitest';
import { newId } from '../../../../protocol/ids.ts';
import { selectDeletion } from '../../../../worker/store/deletions/deletion-store.ts';
import { withItsParts } from '../../../../worker/store/deletions/purge-store.ts';
import { openDatabase } from '../../../../worker/store/sql/database.ts';
import { purge } from '../../../../worker/usecases/deletions/purge-deletions.ts';
import { restoreDeletion } from '../../../../worker/usecases/deletions/restore-deletion.ts';
import { deleteProject } from '../../../../worker/usecases/projects/delete-project.ts';
import { deleteService } from '../../../../worker/usecases/services/delete-service.ts';
import {
  createClient,
  deps,
  insertProject,
  insertRunner,
  insertService,
  insertTenant,
  type Json,
  operatorToken,
} from '../../../support/worker/api.ts';
import { copyRows } from '../../../support/worker/d1/copy-rows.ts';
import { countRows } from '../../../support/worker/d1/count-rows.ts';
import { type RecordedStatement, recordedBinding } from '../../../support/worker/d1/recorded-binding.ts';

const counters =
  'projects, services, domains, volumes, memory_mb, disk_mb, backup_bytes, kept_deletions, kept_deletion_bytes';

const read = async () =>
  (await env.DB.prepare(`select tenant_id, ${counters} from tenant_usage order by tenant_id`).all()).results;

/** Compares the counters with the rows. @returns the counters of a tenant */
async function expectExact(tenantId: string) {
  const counted = await read();
  await env.DB.prepare(countRows).run();
  expect(counted).toEqual(await read());
  return counted.find(({ tenant_id }) => tenant_id === tenantId);
}

const run = (text: string, ...values: unknown[]) =>
  env.DB.prepare(text)
    .bind(...values)
    .run();

async function fill(projectId: string, runnerId: string, kind: 'git' | 'database' = 'git') {
  const { id } = await insertService({ projectId, runnerId, kind, diskMb: 7, memoryLimitMb: null });
  await run(
    `insert into domains (id, service_id, hostname, status, created_at, updated_at) values (?1, ?2, ?1 || '.example.com', 'active', 0, 0)`,
    newId('domain', deps.fillRandom).replace('_', '-'),
    id,
  );
  await run(
    `insert into volumes (id, service_id, name, mount_path, used_mb, created_at, updated_at) values (?, ?, 'v', '/v', 5, 0, 0)`,
    newId('volume', deps.fillRandom),
    id,
  );
  await run(
    `insert into backups (id, service_id, engine, status, trigger, storage, format, size_bytes, checksum, created_at, started_at)
     values (?, ?, 'redis', 'succeeded', 'manual', 'disk', 'rdb', 100, '', 0, 0)`,
    newId('backup', deps.fillRandom),
    id,
  );
  return id;
}

test('after every kind of change, the counters are what the rows say', { tags: 'slow' }, async () => {
  const tenantId = await insertTenant('counted');
  const runnerId = (await insertRunner({ shared: true })).id;
  const project = await insertProject({ tenantId });
  const other = await insertProject({ tenantId });
  const first = await fill(project.id, runnerId, 'database');
  const second = await fill(project.id, runnerId);
  await fill(other.id, runnerId);
  expect(await expectExact(tenantId)).toMatchObject({
    ...{ projects: 2, services: 3, domains: 3, volumes: 3, memory_mb: 1536, disk_mb: 21, backup_bytes: 300 },
  });
  await run('update services set memory_limit_mb = 64, disk_mb = null where id = ?', second);
  await run('update services set disk_mb = 9 where id = ?', first);
  await run('update backups set size_bytes = 250 where service_id = ?', first);
  await run('delete from domains where service_id = ?', second);
  await run('update services set project_id = ? where id = ?', other.id, second);
  expect(await expectExact(tenantId)).toMatchObject({ domains: 2, memory_mb: 1088, backup_bytes: 450 });
  const heir = await insertTenant('heir');
  await run('update projects set tenant_id = ? where id = ?', heir, project.id);
  expect(await expectExact(heir)).toMatchObject({ projects: 1, services: 1, backup_bytes: 250 });
  await run('update projects set tenant_id = ? where id = ?', tenantId, project.id);
  await deleteService(deps, first);
  expect(await expectExact(tenantId)).toMatchObject({
    services: 2,
    kept_deletions: 1,
    backup_bytes: 450,
    disk_mb: 21,
  });
  await deleteProject(deps, other.id);
  expect(await expectExact(tenantId)).toMatchObject({ projects: 1, services: 0, kept_deletions: 2 });
  const [deletion] = await selectDeletion(deps.db, other.id);
  if (!deletion) throw new Error('The project is not kept.');
  await restoreDeletion(deps, deletion.deletion);
  expect(await expectExact(tenantId)).toMatchObject({ projects: 2, services: 2, kept_deletions: 1 });
  await purge(deps, withItsParts(first));
  await run('delete from projects where tenant_id = ?', tenantId);
  await run('delete from deletions where tenant_id = ?', tenantId);
  const nothing = Object.fromEntries(counters.split(', ').map((name) => [name, 0]));
  expect(await expectExact(tenantId)).toEqual({ tenant_id: tenantId, ...nothing });
  await run('delete from tenants where id = ?', tenantId);
  expect(await expectExact(tenantId)).toBeUndefined();
});

test('each replica counts with the memory of its service', async () => {
  const [tenantId, heir] = [await insertTenant('replicas'), await insertTenant('replicas-heir')];
  const runnerId = (await insertRunner({ shared: true })).id;
  const project = await insertProject({ tenantId });
  const memory = async (id: string) => (await read()).find(({ tenant_id }) => tenant_id === id)?.memory_mb;
  const { id } = await insertService({ projectId: project.id, runnerId, memoryLimitMb: 100, replicas: 3 });
  expect(await memory(tenantId)).toBe(300);
  await run('update services set memory_limit_mb = 200 where id = ?', id);
  expect(await memory(tenantId)).toBe(600);
  await run('update services set replicas = 2, memory_limit_mb = null where id = ?', id);
  expect(await memory(tenantId)).toBe(1024);
  await run('update projects set tenant_id = ? where id = ?', heir, project.id);
  expect([await memory(tenantId), await memory(heir)]).toEqual([0, 1024]);
  await run('delete from services where id = ?', id);
  expect(await memory(heir)).toBe(0);
});

test('a page of 200 tenants reads few rows, however much they own', { tags: 'slow' }, async () => {
  const tenantId = await insertTenant('large');
  const runnerId = (await insertRunner({ shared: true })).id;
  const project = await insertProject({ tenantId });
  const service = await insertService({ projectId: project.id, runnerId });
  const ofTenant = `'ten_p' || (1 + n % 200)`;
  await copyRows('tenants', `id = '${tenantId}'`, 200, { id: `'ten_p' || n`, name: `'p' || n` });
  await copyRows('projects', `id = '${project.id}'`, 1_000, {
    id: `'prj_p' || n`,
    slug: `'p' || n`,
    tenant_id: ofTenant,
  });
  await copyRows('services', `id = '${service.id}'`, 5_000, {
    ...{ id: `'svc_p' || n`, slug: `'p' || n`, project_id: `'prj_p' || (1 + n % 1000)` },
    ...{ host_port: '1000 + n', generated_hostname: 'null' },
  });
  const statements: RecordedStatement[] = [];
  const db = openDatabase(recordedBinding(statements));
  const call = createClient({ dependenciesOf: () => ({ ...deps, db }) });
  const { body } = await call('GET', '/api/system/tenants', { token: operatorToken });
  expect(body.tenants.find(({ id }: Json) => id === 'ten_p7').usage).toMatchObject({
    projects: 5,
    services: 25,
  });
  let rows = 0;
  for (const { query, values } of statements)
    rows += (
      await env.DB.prepare(query)
        .bind(...values)
        .all()
    ).meta.rows_read;
  // 181,614 before there were counters, for as many tenants.
  expect(rows).toBeLessThan(200 * 20);
});
