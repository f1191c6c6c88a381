/**
 * ENCRYPTION_KEY and OPERATOR_TOKEN are replaced while the instance works: every row opens at every moment.
 * @module-tag slow
 */
import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, test } from 'vitest';
import { createDependencies } from '../../../../worker/context.ts';
import { variablePlace } from '../../../../worker/security/secret-places.ts';
import { listSealedByOthers, replaceSealedRows } from '../../../../worker/store/instance/sealed-row-store.ts';
import type { Dependencies } from '../../../../worker/usecases/dependencies.ts';
import {
  readEncryptionStatus,
  rewrapSecrets,
} from '../../../../worker/usecases/instance/rotate-encryption-key.ts';
import { isTransferTokenOf, transferTokenOf } from '../../../../worker/usecases/transfer-token.ts';
import {
  type Client,
  createClient,
  deps,
  insertKey,
  insertRunner,
  type Json,
  operatorToken,
} from '../../../support/worker/api.ts';
import { storeThatLosesAnswers } from '../../../support/worker/d1/failing-store.ts';

const newKey = 'bmV3LWVuY3J5cHRpb24ta2V5LTAxMjM0NTY3ODlhYmM';
const newToken = 'the-next-operator-token-0123456789';
const worker = (secrets: object) => (of: typeof env) => createDependencies({ ...of, ...secrets });
const both = { ENCRYPTION_KEY: newKey, ENCRYPTION_KEY_PREVIOUS: env.ENCRYPTION_KEY };
const during: Dependencies = worker(both)(env);
const after: Dependencies = worker({ ENCRYPTION_KEY: newKey })(env);
const system = (
  method: string,
  path: string,
  body?: unknown,
  client: Client = createClient(),
  token = operatorToken,
) => client(method, `/api/system/${path}`, { token, ...(body === undefined ? {} : { body }) });

/** Rows in all: 3 data keys, 2 providers, the event webhook's secret and an answer kept for repeats. */
const rowsInAll = 8;
let token: string;
let create: { body: Json; headers: Record<string, string> };

beforeEach(async () => {
  for (const table of [
    'deletions',
    'projects',
    'dns_providers',
    'ai_providers',
    'identity_providers',
    'settings',
    'idempotency_keys',
  ])
    await env.DB.prepare(`delete from ${table}`).run();
  ({ token } = await insertKey());
  await insertRunner();
  const call = createClient();
  for (const name of ['one', 'two', 'three']) {
    const { project } = (await call('POST', '/api/projects', { token, body: { name } })).body;
    const body = {
      name: 'web',
      repoUrl: 'container-image',
      imageRef: 'nginx',
      env: [{ key: 'A', value: name }],
    };
    const reply = await call('POST', `/api/projects/${project.id}/services`, { token, body });
    expect(reply.status, reply.text).toBe(200);
  }
  await system('POST', 'ai-providers', {
    id: 'ai',
    kind: 'openai-compatible',
    baseUrl: 'https://llm.example/v1',
    defaultModel: 'm',
  });
  await system('POST', 'identity-providers', {
    ...{ id: 'login', kind: 'oidc', name: 'Login', issuer: 'https://login.example' },
    ...{ clientId: 'longshore', clientSecret: 'secret' },
  });
  await system('POST', 'dns-providers', {
    id: 'cloudflare',
    credentials: { apiToken: 'token' },
    verify: false,
  });
  await system('PATCH', 'settings', { eventWebhook: { url: 'https://events.example.com/hook' } });
  create = { body: { name: 'ci', access: 'read', projects: 'all' }, headers: { 'idempotency-key': 'once' } };
  await call('POST', '/api/system/keys', { token: operatorToken, ...create });
  // A row of before keys had names.
  await env.DB.prepare(
    "update projects set wrapped_data_key = 'v1' || substr(wrapped_data_key, 10) where name = 'one'",
  ).run();
});

/** Opens every sealed row. @returns how many */
async function openAll({ envelope }: Dependencies): Promise<number> {
  const rows = await listSealedByOthers(deps.db, 'nobody', 100);
  for (const { sealed, ...place } of rows)
    if (place.table !== 'projects') await envelope.openForInstance(place, sealed);
  const { results } = await env.DB.prepare(
    `select p.id, p.name, p.wrapped_data_key as dataKey, v.id as variableId, v.sealed_value as sealed from projects p
     join services s on s.project_id = p.id join variables v on v.service_id = s.id`,
  ).all<Record<'id' | 'name' | 'dataKey' | 'variableId' | 'sealed', string>>();
  expect(results).toHaveLength(3);
  for (const { id, name, dataKey, variableId, sealed } of results)
    expect(await envelope.open(dataKey, id, variablePlace(variableId), sealed)).toBe(name);
  return rows.length;
}

const left = async () => (await readEncryptionStatus(during)).rowsToReseal;

describe('a rotation of the encryption key', () => {
  test('without a previous key nothing is written', async () => {
    const rows = await listSealedByOthers(deps.db, 'nobody', 100);
    await rewrapSecrets(deps);
    expect(await listSealedByOthers(deps.db, 'nobody', 100)).toEqual(expect.arrayContaining(rows));
    expect(await readEncryptionStatus(deps)).toMatchObject({
      previousKey: null,
      rowsToReseal: 0,
      rowsWithoutKey: 0,
    });
  });

  test('a rotation that is stopped after any row continues, and every row opens at every moment', async () => {
    for (let done = 0; done <= rowsInAll; done++) {
      expect(await openAll(during)).toBe(rowsInAll);
      expect(await left()).toBe(rowsInAll - done);
      await rewrapSecrets(during, 1);
    }
    expect(await openAll(after)).toBe(rowsInAll);
    expect(await readEncryptionStatus(after)).toEqual({
      key: (await during.envelope.keyNames()).current,
      previousKey: null,
      rowsToReseal: 0,
      rowsWithoutKey: 0,
    });
    await expect(openAll(deps)).rejects.toThrow(
      'which this Worker does not have. Set it as ENCRYPTION_KEY_PREVIOUS.',
    );
  });

  test('a step whose answer is lost has happened or not, and the next ones do the rest', async () => {
    await expect(rewrapSecrets({ ...during, db: storeThatLosesAnswers() }, 3)).rejects.toThrow(
      'connection lost',
    );
    expect(await left()).toBe(rowsInAll - 3);
    expect(await openAll(during)).toBe(rowsInAll);
    await Promise.all([rewrapSecrets(during), rewrapSecrets(during)]);
    expect([await left(), await openAll(after)]).toEqual([0, rowsInAll]);
  });

  test('a row that was written meanwhile is not changed', async () => {
    const [row] = await listSealedByOthers(deps.db, 'nobody', 1);
    if (!row) throw new Error('no row');
    await replaceSealedRows(deps.db, [{ ...row, sealed: 'v1.another.one', resealed: 'v1.lost.update' }]);
    expect(await openAll(deps)).toBe(rowsInAll);
  });

  test('a row that no key opens is reported, and delays no other row', async () => {
    await env.DB.prepare("update ai_providers set sealed_credentials = 'kffffffff.aaaa.bbbb'").run();
    for (let run = 0; run < 3; run++) await rewrapSecrets(during);
    expect(await readEncryptionStatus(during)).toMatchObject({ rowsToReseal: 0, rowsWithoutKey: 1 });
  });

  test('a client works through it: variables, a repeated request, and the token of a running job', async () => {
    const client = createClient({ dependenciesOf: worker(both) });
    const old = await transferTokenOf(deps, { id: 'job_1', epoch: 1 });
    expect(await isTransferTokenOf(during, { id: 'job_1', epoch: 1 }, old)).toBe(true);
    expect(await isTransferTokenOf(during, { id: 'job_1', epoch: 2 }, old)).toBe(false);
    expect(await isTransferTokenOf(after, { id: 'job_1', epoch: 1 }, old)).toBe(false);
    for (const _ of ['before the row is sealed again', 'after it']) {
      const repeat = await client('POST', '/api/system/keys', { token: operatorToken, ...create });
      expect([repeat.status, repeat.headers.get('idempotent-replayed')], repeat.text).toEqual([200, 'true']);
      await rewrapSecrets(during);
    }
    const made = await client('POST', '/api/projects', { token, body: { name: 'four' } });
    expect(made.status).toBe(200);
    expect(await left()).toBe(0);
    const { body } = await system('GET', 'encryption', undefined, client);
    expect(body.encryption).toEqual(await readEncryptionStatus(during));
  });
});

describe('a rotation of the operator token', () => {
  const status = async (secrets: object, presented: string) =>
    (await system('GET', 'keys', undefined, createClient({ dependenciesOf: worker(secrets) }), presented))
      .status;

  test('both tokens are accepted while the previous one is set', async () => {
    const rotating = { OPERATOR_TOKEN: newToken, OPERATOR_TOKEN_PREVIOUS: operatorToken };
    expect(await status(rotating, newToken)).toBe(200);
    expect(await status(rotating, operatorToken)).toBe(200);
    expect(await status(rotating, `${newToken}x`)).toBe(401);
    expect(await status({ OPERATOR_TOKEN: newToken }, newToken)).toBe(200);
    expect(await status({ OPERATOR_TOKEN: newToken }, operatorToken)).toBe(401);
  });

  test.each(['', 'short'])('a previous token that is "%s" opens nothing', async (previous) => {
    expect(await status({ OPERATOR_TOKEN_PREVIOUS: previous }, previous)).toBe(401);
    expect(await status({ OPERATOR_TOKEN_PREVIOUS: previous }, operatorToken)).toBe(200);
  });
});

test('a project that is deleted during the rotation opens with the new key after its restore', async () => {
  const call = createClient({ dependenciesOf: () => after });
  const { projects } = (await createClient()('GET', '/api/projects', { token })).body;
  const { id, services } = projects.find(({ name }: Json) => name === 'two');
  expect((await createClient()('DELETE', `/api/projects/${id}`, { token })).status).toBe(200);
  await rewrapSecrets(during);
  expect(await readEncryptionStatus(during)).toMatchObject({ rowsToReseal: 0, rowsWithoutKey: 0 });
  expect((await call('POST', `/api/projects/${id}/restore`, { token })).status).toBe(200);
  const { env: variables } = (await call('GET', `/api/services/${services[0].id}/overview`, { token })).body;
  expect(variables).toMatchObject([{ key: 'A', value: 'two' }]);
});
