/** Requests on a database's data that can never work, while the moment is wrong too: the answer is 400, and 409 only for what can work later. */
import { expect, test } from 'vitest';
import { createClient, insertKey } from '../../../support/worker/api.ts';
import { newHost } from '../../../support/worker/host.ts';

const call = createClient();
const { token } = await insertKey();
const host = await newHost();

/** Its host is away, and it was never deployed. */
const idle = (engine: string | null) =>
  host.addService({
    ...(engine === null ? {} : { kind: 'database', repoUrl: 'database', repoFullName: `database:${engine}` }),
    ...{ generatedHostname: null, lastDeployedAt: null, status: 'idle' },
  });

const services = {
  app: await idle(null),
  postgres: await idle('postgres'),
  mysql: await idle('mysql'),
  redis: await idle('redis'),
};

type Asked = [engine: keyof typeof services, method: string, path: string, body?: unknown];
async function refusal([engine, method, path, body]: Asked) {
  const at = `/api/services/${services[engine].id}/database${path}`;
  const sent =
    typeof body === 'string'
      ? { raw: body, headers: { 'content-length': String(body.length) } }
      : { ...(body === undefined ? {} : { body }) };
  const reply = await call(method, at, { token, ...sent });
  return `${reply.status} ${reply.body.code}`;
}

const row = { table: 'public.a', values: { a: 1 } };
const keyed = { ...row, primaryKey: { a: 1 } };
const source = { sourceUrl: 'postgres://a:b@db.example.com/c' };

test.each<[...Asked]>([
  ['app', 'GET', '/tables'],
  ['app', 'GET', '/rows?table=a'],
  ['app', 'POST', '/query', { sql: 'select 1' }],
  ['app', 'POST', '/rows', row],
  ['app', 'PATCH', '/rows', keyed],
  ['app', 'DELETE', '/rows', { table: 'public.a', primaryKey: { a: 1 } }],
  ['app', 'POST', '/backups', { storage: 'disk' }],
  ['app', 'PATCH', '/backups/settings', { dailyEnabled: true }],
  ['app', 'POST', '/import/postgres-url', source],
  ['app', 'POST', '/uploads', { sizeBytes: 10 }],
  ['app', 'PUT', '/import/file', 'x'],
  ['app', 'POST', '/upgrade', { imageRef: 'postgres:17' }],
  ['app', 'POST', '/upgrade/undo'],
  ['postgres', 'GET', '/tables?database=1'],
  ['postgres', 'GET', '/rows?table=a&database=1'],
  ['postgres', 'POST', '/query', { sql: 'select 1', database: 1 }],
  ['postgres', 'PATCH', '/rows', { ...keyed, values: {} }],
  ['postgres', 'DELETE', '/rows', { table: 'public.a', primaryKey: {} }],
  ['postgres', 'POST', '/backups', { storage: 'tape' }],
  ['postgres', 'POST', '/upgrade', { imageRef: 'mysql:9' }],
  ['postgres', 'POST', '/upgrade', { imageRef: 'postgres' }],
  ['redis', 'POST', '/import/postgres-url', source],
  ['postgres', 'POST', '/import/postgres-url', { sourceUrl: 'mysql://a:b@db.example.com/c' }],
  ['mysql', 'PUT', '/import/file?continueOnError=true', 'x'],
])('%s: %s %s can never work, which is 400 although the database is not deployed', async (...asked) => {
  expect(await refusal(asked)).toMatch(/^400 /);
});

test.each<[...Asked]>([
  ['postgres', 'GET', '/tables'],
  ['postgres', 'GET', '/rows?table=a'],
  ['redis', 'POST', '/query', { sql: 'PING', database: 1 }],
  ['postgres', 'POST', '/rows', row],
  ['postgres', 'PATCH', '/rows', keyed],
  ['postgres', 'DELETE', '/rows', { table: 'public.a', primaryKey: { a: 1 } }],
  ['postgres', 'POST', '/backups', { storage: 'disk' }],
  ['postgres', 'POST', '/import/postgres-url', source],
  ['postgres', 'PUT', '/import/file?continueOnError=true', 'x'],
  ['postgres', 'POST', '/upgrade', { imageRef: 'postgres:99' }],
  ['postgres', 'POST', '/upgrade/undo'],
])('%s: %s %s can work once the database is deployed, and is 409 before', async (...asked) => {
  expect(await refusal(asked)).toBe('409 conflict');
});
