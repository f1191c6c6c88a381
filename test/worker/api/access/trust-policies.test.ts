/** Trust policies of a project: created, listed, changed and deleted; what an exchange needs besides the rules. */
import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { apiKeys } from '../../../../worker/store/schema/api-keys.ts';
import { trustPolicies } from '../../../../worker/store/schema/trust-policies.ts';
import { pruneRecords } from '../../../../worker/usecases/instance/prune-records.ts';
import { deleteProject } from '../../../../worker/usecases/projects/delete-project.ts';
import { deps, insertKey, insertProject } from '../../../support/worker/api.ts';
import { insertMember } from '../../../support/worker/members.ts';
import { useTrust } from '../../../support/worker/trust.ts';

const { call, aProject } = await useTrust();

test('a policy is listed with its rules, its default audience and who created it', async () => {
  const { project, token, policy } = await aProject({ tags: ['v*'] });
  const listed = await call('GET', `/api/projects/${project.id}/trust-policies`, { token });
  expect(listed.body.trustPolicies).toEqual([policy]);
  expect(policy).toMatchObject({
    ...{
      provider: 'github',
      repository: 'octo-org/shop',
      branches: ['main'],
      tags: ['v*'],
      environment: null,
    },
    ...{ audience: 'https://longshore.test', repositoryId: null, ownerId: null, access: 'deploy' },
    ...{ createdBy: { type: 'key', name: 'test' }, lastUsedAt: null },
  });
});

test('a change keeps omitted rules, and what could never be right is refused (400)', async () => {
  const { policy, token } = await aProject({ environment: 'production' });
  const patch = (body: object) => call('PATCH', `/api/trust-policies/${policy.id}`, { token, body });
  const { body } = await patch({ access: 'read', branches: [] });
  expect(body.trustPolicy).toMatchObject({ access: 'read', branches: [], environment: 'production' });
  const refused = await patch({ environment: null });
  expect([refused.status, refused.body.error]).toEqual([400, expect.stringContaining('"branches"')]);
  expect((await patch({})).status).toBe(400);
  expect((await patch({ repository: 'octo-org/other' })).status).toBe(400);
});

test('a project has at most 20 policies (409), and a refused one leaves nothing behind', async () => {
  const { project, token, trust } = await aProject();
  for (let n = 1; n < 20; n++) await trust({ repository: `octo-org/shop${n}` });
  const body = { provider: 'github', repository: 'octo-org/more', branches: ['main'] };
  const refused = await call('POST', `/api/projects/${project.id}/trust-policies`, { token, body });
  expect([refused.status, refused.body.code]).toEqual([409, 'quota_exceeded']);
  const left = await deps.db.select().from(apiKeys).where(eq(apiKeys.name, 'github octo-org/more'));
  expect(left).toEqual([]);
});

test('a policy stays while its project can be restored, and goes with it for ever', async () => {
  const { project, policy } = await aProject();
  const rows = () => deps.db.select().from(trustPolicies).where(eq(trustPolicies.id, policy.id));
  await deleteProject(deps, project.id);
  await pruneRecords(deps);
  expect(await rows()).toHaveLength(1);
  await deps.db.run(`delete from deletions where resource_id = '${project.id}'`);
  await pruneRecords(deps);
  expect(await rows()).toEqual([]);
  expect(await deps.db.select().from(apiKeys).where(eq(apiKeys.id, policy.id))).toEqual([]);
});

test('a browser of an owner creates, changes and deletes policies; other members and other logins of an owner do not', async () => {
  const project = await insertProject();
  const [owner, developer] = [await insertMember(), await insertMember({ role: 'developer' })];
  const own = { access: 'destroy', madeBy: owner.id, expiresAt: deps.now() + 3_600_000 } as const;
  const path = `/api/projects/${project.id}/trust-policies`;
  const body = { provider: 'github', repository: 'octo-org/shop', branches: ['main'] };
  const others = {
    'another member': developer.token,
    'a command line of the owner': (await insertKey({ ...own, kind: 'command-line' })).token,
    'a key of the owner': (await insertKey(own)).token,
    'a browser of a key': await browserOf((await insertKey({ access: 'destroy' })).id),
  };
  const { body: made } = await call('POST', path, { token: owner.token, body });
  expect(made.trustPolicy.createdBy).toEqual({ type: 'member', id: owner.id, name: 'Ada' });
  const one = `/api/trust-policies/${made.trustPolicy.id}`;
  for (const [who, token] of Object.entries(others)) {
    const replies = [
      await call('POST', path, { token, body }),
      await call('PATCH', one, { token, body: { access: 'read' } }),
    ];
    for (const { status, body: refusal } of replies)
      expect([who, status, refusal.error]).toEqual([
        who,
        403,
        expect.stringContaining('browser of a member'),
      ]);
  }
  const changed = await call('PATCH', one, { token: owner.token, body: { access: 'read' } });
  expect(changed.body.trustPolicy.access).toBe('read');
  expect((await call('DELETE', one, { token: owner.token })).status).toBe(200);
});

/** A browser that signed in with the key. */
async function browserOf(keyId: string) {
  const expiresAt = deps.now() + 3_600_000;
  const { id, token } = await insertKey({ access: 'destroy', kind: 'session', madeBy: keyId, expiresAt });
  return `session ${token} ${await deps.fingerprint('session', id)}`;
}
