/** Who started each kind of job, for each kind of caller: stored when it starts, and shown after the member or key is gone. */
import { env } from 'cloudflare:workers';
import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { type Initiator, platform } from '../../../../worker/domain/access/initiator.ts';
import { apiKeys } from '../../../../worker/store/schema/api-keys.ts';
import { schedules } from '../../../../worker/store/schema/schedules.ts';
import { services } from '../../../../worker/store/schema/services.ts';
import { startDueCommands } from '../../../../worker/usecases/commands/start-due-commands.ts';
import { createClient, deps, insertKey, type Json, operatorToken } from '../../../support/worker/api.ts';
import { databaseWithBackups } from '../../../support/worker/backup-rows.ts';
import {
  insertDeploymentOf,
  insertHostedService,
  NotingHubs,
} from '../../../support/worker/deployment-rows.ts';
import { insertMember } from '../../../support/worker/members.ts';

const known = { ...deps, hubs: new NotingHubs() };
const call = createClient({ dependenciesOf: () => known });
const run = (sql: string, ...values: string[]) =>
  env.DB.prepare(sql)
    .bind(...values)
    .run();

/** All work ends, so that the next can start. */
const endAll = async () => {
  await run(`update jobs set state = 'succeeded', finished_at = 1 where state in ('queued', 'active')`);
  for (const table of ['backups', 'restores', 'drills', 'imports', 'runs', 'database_upgrades'])
    await run(
      `update ${table} set status = 'succeeded', finished_at = ${deps.now()} where status in ('running', 'queued')`,
    );
  await run(`update deployments set status = 'superseded' where status = 'queued'`);
};
const startersOf = async (kind: string, serviceId: string) =>
  (
    await env.DB.prepare(
      'select started_by as by from jobs where kind = ? and service_id = ? order by rowid desc',
    )
      .bind(kind, serviceId)
      .all<{ by: string }>()
  ).results.map(({ by }) => JSON.parse(by) as Initiator);

const { id: keyId, token: keyToken } = await insertKey({ access: 'write', name: 'ci' });
const deployer = await insertKey({ access: 'deploy', name: 'pipeline' });
const made = await insertKey({
  access: 'deploy',
  name: 'for an hour',
  madeBy: keyId,
  expiresAt: deps.now() + 1e6,
});
const ofKey = await insertKey({
  kind: 'session',
  name: 'Firefox',
  madeBy: keyId,
  expiresAt: deps.now() + 1e6,
});
const ada = await insertMember({ role: 'developer' });
const secondSession = await insertKey({
  ...{ kind: 'session', name: 'Chrome', access: 'write', madeBy: ada.id, expiresAt: deps.now() + 1e6 },
});
const until = deps.now() + 1e6;
const commandLine = await insertKey({
  ...{ kind: 'command-line', name: 'ada-laptop', access: 'write', madeBy: ada.id, expiresAt: until },
});
const ofMember = await insertKey({ name: 'pipeline', access: 'deploy', madeBy: ada.id, expiresAt: until });
const sessionToken = async ({ id, token }: { id: string; token: string }) =>
  `session ${token} ${await deps.fingerprint('session', id)}`;
const member = { type: 'member', id: ada.id, name: 'Ada' };

/** An app with a live version. */
async function app() {
  const { service } = await insertHostedService();
  await deps.db
    .update(services)
    .set({ lastDeployedAt: 1, status: 'active' })
    .where(eq(services.id, service.id));
  const isOver = { finishedAt: 1 };
  const { deployment } = await insertDeploymentOf(service.id, {
    job: { state: 'succeeded', ...isOver },
    deployment: { status: 'running', sealedSnapshot: 'stored', ...isOver },
  });
  return { service, live: deployment.id, path: `/api/services/${service.id}` };
}

test.each([
  ['a key', keyToken, { type: 'key', id: keyId, name: 'ci' }],
  ['a deploy key', deployer.token, { type: 'key', id: deployer.id, name: 'pipeline' }],
  ['a key that a key made', made.token, { type: 'key', id: made.id, name: 'for an hour' }],
  ['a browser that signed in with a key', await sessionToken(ofKey), { type: 'key', id: keyId, name: 'ci' }],
  ['a member', ada.token, member],
  ['a member in another browser', await sessionToken(secondSession), member],
  ['a member on the command line', commandLine.token, member],
  ['a key that a member made', ofMember.token, member],
])('what %s starts names it, in every answer', async (_, token, by) => {
  const { path, live } = await app();
  for (const start of ['/deployments', '/restart']) {
    const { status, body } = await call('POST', `${path}${start}`, { token });
    expect([status, body.deployment.startedBy]).toEqual([200, by]);
    await endAll();
  }
  const rolledBack = await call('POST', `/api/deployments/${live}/rollback`, { token });
  expect(rolledBack.status).toBe(409); // it is live
  const { id } = (await call('GET', `${path}/deployments`, { token })).body.deployments[0];
  for (const [where, of] of [
    [`/api/deployments/${id}`, ({ deployment }: Json) => deployment],
    [`${path}/deployments`, ({ deployments }: Json) => deployments[0]],
    [`${path}/overview`, ({ deployments }: Json) => deployments[0]],
  ] as const)
    expect(of((await call('GET', where, { token })).body)).toMatchObject({ id, startedBy: by });
});

/** A database with a backup, or a service with a volume and one: started by others. */
const database = () => databaseWithBackups();
const started: [string, string, () => Promise<{ serviceId: string; path: string; body?: Json }>][] = [
  ['backup', 'database', async () => ofData(await database(), '/database/backups', { storage: 'disk' })],
  ['restore', 'database', async () => ofBackup('restore', {})],
  ['drill', 'database', async () => ofBackup('prove')],
  [
    'import',
    'database',
    async () =>
      ofData(await database(), '/database/import/postgres-url', {
        ...{ sourceUrl: 'postgres://app:secret@db.example.com/shop', replace: true },
      }),
  ],
  [
    'upgrade',
    'database',
    async () => ofData(await database(), '/database/upgrade', { imageRef: 'postgres:99' }),
  ],
  ['run', 'app', async () => ofApp('/run', { command: 'true' })],
  ['deploy', 'app', async () => ofApp('/restart')],
  [
    'backup',
    'volume',
    async () => {
      const one = await databaseWithBackups({}, { volumes: ['data'] });
      const volumes = (await call('GET', `/api/services/${one.service.id}/volumes`, { token: keyToken }))
        .body;
      return ofData(one, '/volume-backups', { volumeId: volumes.volumes[0].id, storage: 'disk' });
    },
  ],
];
const ofData = async ({ service }: { service: { id: string } }, path: string, body?: Json) => ({
  ...{ serviceId: service.id, path: `/api/services/${service.id}${path}` },
  ...(body === undefined ? {} : { body }),
});
const ofApp = async (path: string, body?: Json) => ofData({ service: (await app()).service }, path, body);
const ofBackup = async (what: string, body?: Json) => {
  const { service } = await database();
  const { body: taken } = await call('POST', `/api/services/${service.id}/database/backups`, {
    ...{ token: keyToken, body: { storage: 'disk' } },
  });
  await endAll();
  return ofData({ service }, `/database/backups/${taken.backup.id}/${what}`, body);
};

test.each(started)('a %s of a %s names the member who started it', async (kind, _, place) => {
  const { serviceId, path, body } = await place();
  const reply = await call('POST', path, { token: ada.token, ...(body === undefined ? {} : { body }) });
  // A restore is answered at its end, which no host reports here.
  expect([200, 504], reply.text).toContain(reply.status);
  expect((await startersOf(kind, serviceId))[0]).toEqual(member);
  await endAll();
});

test('lists of jobs say who started each, also after the key was revoked and the member removed', async () => {
  const leaving = await insertMember({ role: 'developer' });
  const key = await insertKey({ name: 'old' });
  const { service } = await database();
  const base = `/api/services/${service.id}/database`;
  const send = (path: string, token: string, body?: Json) =>
    call('POST', `${base}${path}`, { token, ...(body === undefined ? {} : { body }) });
  const { backup } = (await send('/backups', leaving.token, { storage: 'disk' })).body;
  const byMember = { type: 'member', id: leaving.id, name: 'Ada' };
  expect(backup.startedBy).toEqual(byMember);
  await endAll();
  await send(`/backups/${backup.id}/restore`, key.token, {});
  await endAll();
  expect((await send(`/backups/${backup.id}/prove`, leaving.token)).body.drill.startedBy).toEqual(byMember);
  await endAll();
  const sourceUrl = 'postgres://app:secret@db.example.com/shop';
  await send('/import/postgres-url', key.token, { sourceUrl, replace: true });
  await endAll();
  expect((await send('/upgrade', leaving.token, { imageRef: 'postgres:99' })).body.upgrade.startedBy).toEqual(
    byMember,
  );
  await endAll();
  await call('DELETE', `/api/system/members/${leaving.id}`, { token: operatorToken });
  await call('DELETE', `/api/system/keys/${key.id}`, { token: operatorToken });
  await run('delete from api_keys where id in (?, ?)', leaving.sessionId, key.id);
  const list = async (path: string) => (await call('GET', `${base}${path}`, { token: keyToken })).body;
  const byKey = { type: 'key', id: key.id, name: 'old' };
  const backups = (await list('/backups')).backups;
  expect(backups.find(({ id }: Json) => id === backup.id)).toMatchObject({
    startedBy: byMember,
    restore: { startedBy: byKey },
    drill: { startedBy: byMember },
  });
  // The safety copies are of the job that needed them.
  expect(backups.map(({ startedBy }: Json) => startedBy.name)).toEqual(['Ada', 'old', 'old', 'Ada']);
  expect((await list('/imports')).imports[0].startedBy).toEqual(byKey);
  expect((await list('/upgrades')).upgrades[0].startedBy).toEqual(byMember);
});

test('a member whose name is an address is named without its domain, since the address must not outlive the member', async () => {
  const joined = await insertMember({ role: 'developer' });
  await deps.db.update(apiKeys).set({ name: 'grace@example.com' }).where(eq(apiKeys.id, joined.id));
  const { path } = await app();
  const { body } = await call('POST', `${path}/restart`, { token: joined.token });
  expect(body.deployment.startedBy).toEqual({ type: 'member', id: joined.id, name: 'grace' });
  await endAll();
});

test('a command names its schedule when it is due, and the person who starts it before that', async () => {
  const { service, path } = await app();
  const { schedule } = (
    await call('POST', `${path}/schedules`, {
      token: keyToken,
      body: { name: 'nightly', cron: '0 3 * * *', command: 'true' },
    })
  ).body;
  const now = await call('POST', `${path}/schedules/${schedule.id}/run`, { token: ada.token });
  expect(now.body.run).toMatchObject({ scheduleId: schedule.id, startedBy: member });
  await endAll();
  await deps.db.update(schedules).set({ checkAt: 1, nextRunAt: 1 }).where(eq(schedules.id, schedule.id));
  await startDueCommands(known);
  await run('delete from schedules where id = ?', schedule.id);
  const { runs } = (await call('GET', `${path}/runs`, { token: keyToken })).body;
  expect(runs[0].startedBy).toEqual({ type: 'schedule', id: schedule.id, name: 'nightly' });
  expect(await startersOf('run', service.id)).toHaveLength(2);
});

test('the deployment of a restored service names the person who restored it, and earlier ones keep theirs', async () => {
  const { service, path } = await app();
  await call('DELETE', path, { token: keyToken });
  const reply = await call('POST', `${path}/restore`, { token: ada.token });
  expect(reply.status, reply.text).toBe(200);
  expect(await startersOf('deploy', service.id)).toEqual([member, platform]);
});
