/** Data keys of a tenant are made anew while the instance works: every secret opens at every moment, and in the end not with the old key. */
import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { newId } from '../../../../protocol/ids.ts';
import { createDependencies } from '../../../../worker/context.ts';
import { sealingDataKey } from '../../../../worker/security/secret-envelope.ts';
import {
  gitTokenPlace,
  importSourcePlace,
  snapshotPlace,
  variablePlace,
  webhookSecretPlace,
} from '../../../../worker/security/secret-places.ts';
import { type DataKeyRow, listDataKeysOf } from '../../../../worker/store/instance/data-key-store.ts';
import { listSealedByOlderDataKeys } from '../../../../worker/store/instance/sealed-row-store.ts';
import {
  readDataKeyStatus,
  renewDataKeys,
  resealWithNewDataKeys,
} from '../../../../worker/usecases/instance/renew-data-keys.ts';
import { rewrapSecrets } from '../../../../worker/usecases/instance/rotate-encryption-key.ts';
import { deleteProject } from '../../../../worker/usecases/projects/delete-project.ts';
import { deleteService } from '../../../../worker/usecases/services/delete-service.ts';
import {
  createClient,
  deps,
  insertKey,
  insertProject,
  insertRunner,
  insertService,
  insertTenant,
  operatorToken,
} from '../../../support/worker/api.ts';
import { storeThatLosesAnswers } from '../../../support/worker/d1/failing-store.ts';
import { insertDeploymentOf } from '../../../support/worker/deployment-rows.ts';

const later = { ...deps, now: () => Date.now() + 16 * 60_000 };
/** A live service, a deleted service of the same project, and a service of a deleted project: five secrets each. */
const rowsInAll = 15;
let tenantId: string;
let tenant: { id: string; name: string };
let projectId: string;
let serviceId: string;
let count = 0;

/** A service with a secret in every column that a data key seals. */
async function serviceWithSecrets(project: { id: string; wrappedDataKey: string }, runnerId: string) {
  const service = await insertService({ projectId: project.id, runnerId });
  const { deployment } = await insertDeploymentOf(service.id, {
    job: { state: 'failed' },
    deployment: { status: 'failed', finishedAt: 1 },
  });
  const [variableId, importId] = [newId('variable', deps.fillRandom), newId('import', deps.fillRandom)];
  const seal = (place: ReturnType<typeof variablePlace>) =>
    deps.envelope.seal(project.wrappedDataKey, project.id, place, place.rowId);
  await env.DB.batch([
    env.DB.prepare(
      "insert into variables (id, service_id, key, sealed_value, created_at, updated_at) values (?, ?, 'A', ?, 0, 0)",
    ).bind(variableId, service.id, await seal(variablePlace(variableId))),
    env.DB.prepare('update deployments set sealed_snapshot = ? where id = ?').bind(
      await seal(snapshotPlace(deployment.id)),
      deployment.id,
    ),
    env.DB.prepare('update services set sealed_git_token = ? where id = ?').bind(
      await seal(gitTokenPlace(service.id)),
      service.id,
    ),
    env.DB.prepare('insert into git_webhooks (service_id, sealed_secret, created_at) values (?, ?, 0)').bind(
      service.id,
      await seal(webhookSecretPlace(service.id)),
    ),
    env.DB.prepare(
      `insert into imports (id, service_id, engine, source, source_label, sealed_source, status, created_at, started_at)
        values (?, ?, 'postgres', 'postgres-url', 'db.example.com/shop', ?, 'failed', 0, 0)`,
    ).bind(importId, service.id, await seal(importSourcePlace(importId))),
  ]);
  return service;
}

beforeEach(async () => {
  count += 1;
  tenant = { id: await insertTenant(`Acme ${count}`), name: `Acme ${count}` };
  tenantId = tenant.id;
  const runner = await insertRunner({ shared: true });
  const [project, gone] = [
    await insertProject({ tenantId, createdAt: 1 }),
    await insertProject({ tenantId, createdAt: 1 }),
  ];
  projectId = project.id;
  serviceId = (await serviceWithSecrets(project, runner.id)).id;
  const deleted = await serviceWithSecrets(project, runner.id);
  await serviceWithSecrets(gone, runner.id);
  await deleteService(deps, deleted.id);
  await deleteProject(deps, gone.id);
});

const rowsOf = (keys: readonly DataKeyRow[]) =>
  listSealedByOlderDataKeys(
    deps.db,
    keys.map((key) => ({ projectId: key.projectId, keyName: 'none' })),
    1_000,
  );

/** Opens every secret of the tenant. @param pick which of the data keys may be used @returns how many */
async function openAll(pick = (wrapped: string) => wrapped, { envelope } = deps): Promise<number> {
  const keys = await listDataKeysOf(deps.db, tenantId);
  const rows = await rowsOf(keys);
  for (const { table, column, rowId, sealed, projectId: id } of rows) {
    const wrapped = keys.find((key) => key.projectId === id)?.wrapped ?? '';
    expect(await envelope.open(pick(wrapped), id ?? '', { table, column, rowId }, sealed)).toBe(rowId);
  }
  return rows.length;
}

const status = () => readDataKeyStatus(deps, tenantId);

describe('new data keys', () => {
  test('a renewal that is stopped after any row continues, and every secret opens at every moment', {
    tags: 'slow',
  }, async () => {
    const old = await listDataKeysOf(deps.db, tenantId);
    await renewDataKeys(deps, tenant);
    for (let done = 0; done <= rowsInAll; done++) {
      expect(await openAll()).toBe(rowsInAll);
      expect(await status()).toMatchObject({
        projects: 2,
        projectsInProgress: 2,
        rowsToReseal: rowsInAll - done,
      });
      await resealWithNewDataKeys(deps, 1);
    }
    expect(await openAll(sealingDataKey)).toBe(rowsInAll);
    await resealWithNewDataKeys(later);
    expect(await status()).toMatchObject({ projects: 2, projectsInProgress: 0, rowsToReseal: 0 });
    expect(await openAll()).toBe(rowsInAll);
    const [row] = await rowsOf(old);
    const place = { table: row?.table ?? '', column: row?.column ?? '', rowId: row?.rowId ?? '' };
    const key = old.find((one) => one.projectId === row?.projectId);
    await expect(
      deps.envelope.open(key?.wrapped ?? '', key?.projectId ?? '', place, row?.sealed ?? ''),
    ).rejects.toThrow("can't be decrypted");
  });

  test('the old key stays while a row needs it, and 15 minutes for requests that have read it', async () => {
    const [before] = (await listDataKeysOf(deps.db, tenantId)).filter((key) => key.projectId === projectId);
    await renewDataKeys(deps, tenant);
    await resealWithNewDataKeys(later, 1);
    await resealWithNewDataKeys(deps);
    expect(await status()).toMatchObject({ projectsInProgress: 2, rowsToReseal: 0 });
    // A request that had read the project before the renewal writes now.
    const variableId = newId('variable', deps.fillRandom);
    const sealed = await deps.envelope.seal(
      before?.wrapped ?? '',
      projectId,
      variablePlace(variableId),
      variableId,
    );
    await env.DB.prepare(
      "insert into variables (id, service_id, key, sealed_value, created_at, updated_at) values (?, ?, 'LATE', ?, 0, 0)",
    )
      .bind(variableId, serviceId, sealed)
      .run();
    expect(await status()).toMatchObject({ rowsToReseal: 1 });
    await resealWithNewDataKeys(later);
    expect(await status()).toMatchObject({ projectsInProgress: 0, rowsToReseal: 0 });
    expect(await openAll()).toBe(rowsInAll + 1);
  });

  test('steps that overlap, and one whose answer is lost, do no harm', async () => {
    await renewDataKeys(deps, tenant);
    await expect(resealWithNewDataKeys({ ...later, db: storeThatLosesAnswers() }, 3)).rejects.toThrow(
      'connection lost',
    );
    expect(await status()).toMatchObject({ rowsToReseal: rowsInAll - 3 });
    await Promise.all([resealWithNewDataKeys(later), resealWithNewDataKeys(later)]);
    await resealWithNewDataKeys(later);
    expect(await status()).toMatchObject({ projectsInProgress: 0, rowsToReseal: 0 });
    expect(await openAll()).toBe(rowsInAll);
  });

  test('a row that no key opens is logged, and does not keep the old key', async () => {
    await env.DB.prepare("update services set sealed_git_token = 'v1.AAAA.BBBB' where id = ?")
      .bind(serviceId)
      .run();
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {});
    await renewDataKeys(deps, tenant);
    for (let run = 0; run < 2; run++) await resealWithNewDataKeys(later);
    expect(await status()).toMatchObject({ projectsInProgress: 0, rowsToReseal: 0 });
    expect(logged).toHaveBeenCalledWith(
      `services.sealed_git_token of ${serviceId} can't be sealed with the new data key:`,
      expect.any(Error),
    );
    logged.mockRestore();
  });

  test('the encryption key can be replaced in the middle of it', async () => {
    const keys = {
      ENCRYPTION_KEY: 'bmV3LWVuY3J5cHRpb24ta2V5LTAxMjM0NTY3ODlhYmM',
      ENCRYPTION_KEY_PREVIOUS: env.ENCRYPTION_KEY,
    };
    const during = createDependencies({ ...env, ...keys });
    const after = createDependencies({ ...env, ENCRYPTION_KEY: keys.ENCRYPTION_KEY });
    await renewDataKeys(deps, tenant);
    await resealWithNewDataKeys(deps, 4);
    await rewrapSecrets(during, 1_000);
    expect(await openAll((wrapped) => wrapped, after)).toBe(rowsInAll);
    await resealWithNewDataKeys({ ...after, now: later.now });
    expect(await openAll(sealingDataKey, after)).toBe(rowsInAll);
    // The other tests have the key of before.
    await rewrapSecrets(
      createDependencies({
        ...env,
        ENCRYPTION_KEY_PREVIOUS: keys.ENCRYPTION_KEY,
      }),
      1_000,
    );
  });

  test('the operator asks for them, sees how far they are, and can ask again only when they are done', async () => {
    const call = createClient();
    const path = `/api/system/tenants/${tenantId}/data-keys`;
    const other = await insertProject();
    const made = await call('POST', path, { token: operatorToken });
    expect(made.status, made.text).toBe(200);
    const { dataKeys } = made.body;
    expect(dataKeys).toMatchObject({ projects: 2, projectsInProgress: 2, rowsToReseal: rowsInAll });
    expect(Date.parse(dataKeys.oldestKeyMadeAt)).toBeGreaterThan(Date.now() - 60_000);
    const again = await call('POST', path, { token: operatorToken });
    expect([again.status, again.body.error]).toEqual([
      409,
      expect.stringContaining('are still in progress in 2 projects: wait until'),
    ]);
    await resealWithNewDataKeys(later);
    await resealWithNewDataKeys(later);
    expect((await call('GET', path, { token: operatorToken })).body.dataKeys).toMatchObject({
      projectsInProgress: 0,
      rowsToReseal: 0,
    });
    // Another tenant's keys are as they were, and the tenant's own client works.
    const untouched = await listDataKeysOf(deps.db, 'default');
    expect(untouched.find((key) => key.projectId === other.id)?.wrapped).toBe(other.wrappedDataKey);
    const { token } = await insertKey({ tenantId });
    const overview = await call('GET', `/api/services/${serviceId}/overview`, { token });
    expect(overview.body.env, overview.text).toMatchObject([
      { key: 'A', value: expect.stringMatching(/^env_/) },
    ]);
  });
});
