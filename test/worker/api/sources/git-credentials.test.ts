/**
 * Credentials of git hosts: kept, never shown, and sent with the jobs that fetch from their host.
 * @module-tag slow
 */
import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { gitCredentials } from '../../../../worker/store/schema/projects.ts';
import { createClient, deps, insertKey, insertTenant, operatorToken } from '../../../support/worker/api.ts';
import { FakeRunner } from '../../../support/worker/fake-runner.ts';
import { newHost } from '../../../support/worker/host.ts';

const call = createClient();
const { token } = await insertKey();
const path = '/api/git-credentials';
const post = (body: object, by = token) => call('POST', path, { token: by, body });
const remove = (id: string) => call('DELETE', `${path}/${id}`, { token });
const github = { host: 'GitHub.com:443', token: 'hunter2-secret' };

test('a credential is stored sealed, listed without its token, changed and deleted', async () => {
  const { body } = await post(github);
  expect(body.gitCredential).toEqual({
    id: expect.stringMatching(/^gcr_/),
    ...{ host: 'github.com', username: 'x-access-token', projectId: null, commitStatus: null },
    commitStatusFailure: null,
    githubAppId: null,
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
  });
  const { id } = body.gitCredential;
  expect((await call('GET', path, { token })).body).toEqual({ gitCredentials: [body.gitCredential] });
  const [row] = await deps.db.select().from(gitCredentials).where(eq(gitCredentials.id, id));
  expect(JSON.stringify(row)).not.toContain('hunter2');
  const changed = await call('PATCH', `${path}/${id}`, { token, body: { username: 'oauth2' } });
  expect(changed.body.gitCredential).toMatchObject({ id, username: 'oauth2' });
  expect((await remove(id)).body).toEqual({ ok: true });
  expect((await call('GET', path, { token })).body).toEqual({ gitCredentials: [] });
});

test('Bitbucket gets its own name for tokens unless another one is given', async () => {
  const names = [
    await post({ host: 'bitbucket.org', token: 'hunter2' }),
    await post({ host: 'git.example.com:3000', username: 'deployer', token: 'hunter2' }),
  ].map(({ body }) => body.gitCredential);
  expect(names.map(({ username }) => username)).toEqual(['x-token-auth', 'deployer']);
  for (const { id } of names) await remove(id);
});

test('a host has one credential for all projects and one for each project; other tenants have their own and see none of these', async () => {
  const { id: projectId } = (await call('POST', '/api/projects', { token, body: { name: 'Shop' } })).body
    .project;
  const first = await post(github);
  const ofProject = await post({ ...github, projectId });
  expect([first.status, ofProject.status]).toEqual([200, 200]);
  expect((await post(github)).body.error).toBe(
    'There is a credential for github.com of all projects: change it with PATCH, or delete it first.',
  );
  expect((await post({ ...github, projectId })).body.error).toBe(
    'There is a credential for github.com of this project: change it with PATCH, or delete it first.',
  );
  const tenantId = await insertTenant('other');
  const stranger = (await insertKey({ tenantId })).token;
  expect((await call('GET', path, { token: stranger })).body).toEqual({ gitCredentials: [] });
  expect((await post({ ...github, projectId }, stranger)).status).toBe(404);
  expect((await post(github, stranger)).status).toBe(200);
  const { id } = first.body.gitCredential;
  expect((await call('DELETE', `${path}/${id}`, { token: stranger })).status).toBe(404);
  await remove(id);
  await remove(ofProject.body.gitCredential.id);
});

test('a key that is limited to a project sees and stores no credentials', async () => {
  const { id: projectId } = (await call('POST', '/api/projects', { token, body: { name: 'Limited' } })).body
    .project;
  const { gitCredential } = (await post({ ...github, projectId })).body;
  const limited = (await insertKey({ projects: [projectId] })).token;
  expect((await call('GET', path, { token: limited })).status).toBe(403);
  expect((await post({ ...github, projectId }, limited)).status).toBe(403);
  const own = `${path}/${gitCredential.id}`;
  expect((await call('PATCH', own, { token: limited, body: { token: 'other' } })).status).toBe(404);
  expect((await call('DELETE', own, { token: limited })).status).toBe(404);
  await remove(gitCredential.id);
});

test.each([
  [{ host: 'https://github.com' }, '"host" must be the host of a git server'],
  [{ host: 'github.com/team' }, '"host" must be the host of a git server'],
  [{ host: 'github.com:99999' }, '"host" must be the host of a git server'],
  [{ host: 'me@github.com' }, '"host" must be the host of a git server'],
  [{ username: 'a:b' }, '"username" can\'t have ":"'],
  [{ token: '' }, '"token" must not be empty'],
  [{ token: 'a\nb' }, '"token" can\'t have control characters'],
  [{ token: ' ghp_pasted' }, '"token" can\'t begin or end with a space'],
])('a credential is refused with a sentence that names the field: %j', async (wrong, sentence) => {
  const reply = await post({ ...github, ...wrong });
  expect([reply.status, reply.body.error]).toEqual([400, expect.stringContaining(sentence)]);
});

/** Deploys a service and answers what its host got. */
async function deployed(repoUrl: string, more: object = {}) {
  const host = await newHost();
  const runner = await FakeRunner.connect(host.keys);
  const service = await host.addService({ repoUrl, repoFullName: '', ...more });
  const deploy = async (place = `services/${service.id}/deployments`) => {
    const { body } = await call('POST', `/api/${place}`, { token });
    const start = await runner.next('start');
    const box = await runner.openBox(start);
    await runner.report(start, { type: 'result', result: { outcome: 'succeeded', facts: {} } });
    return { id: body.deployment.id, box };
  };
  return { service, deploy };
}

test("a deployment brings the credential of its repository's host and no other, the project's own first, and none once it is deleted", async () => {
  const { service, deploy } = await deployed('https://git.example.com/team/app.git');
  const all = (await post({ host: 'git.example.com', token: 'of-all' })).body.gitCredential;
  const other = (await post({ host: 'git.example.com:8443', token: 'of-another-port' })).body.gitCredential;
  const first = await deploy();
  expect(first.box.gitCredential).toEqual({
    ...{ id: all.id, host: 'git.example.com', username: 'x-access-token', token: 'of-all', ofProject: false },
  });
  expect(JSON.stringify(first.box)).not.toContain('of-another-port');
  const { projectId } = service;
  const own = (await post({ host: 'git.example.com', token: 'of-one', projectId })).body.gitCredential;
  expect((await deploy()).box.gitCredential).toMatchObject({ token: 'of-one', ofProject: true });
  expect((await deploy(`deployments/${first.id}/rollback`)).box.gitCredential).toBeUndefined();
  await call('PATCH', `/api/services/${service.id}`, { token, body: { gitToken: 'its-own' } });
  const { box } = await deploy();
  expect([box.gitToken, box.gitCredential]).toEqual(['its-own', undefined]);
  await call('PATCH', `/api/services/${service.id}`, { token, body: { gitToken: null } });
  for (const { id } of [all, other, own]) await remove(id);
  expect((await deploy()).box.gitCredential).toBeUndefined();
});

test.each([
  'git@git.example.com:team/app.git',
  'http://git.example.com/team/app.git',
  'https://git.example.com.evil.example/app.git',
])('the credential of git.example.com is not sent for %s', async (repoUrl) => {
  const { gitCredential } = (await post({ host: 'git.example.com', token: 'hunter2' })).body;
  const { deploy } = await deployed(repoUrl);
  expect((await deploy()).box.gitCredential).toBeUndefined();
  await remove(gitCredential.id);
});

test('a credential whose token is lost ends the deployment with the way out', async () => {
  const { gitCredential } = (await post({ host: 'git.example.com', token: 'hunter2' })).body;
  const { id } = gitCredential;
  await deps.db.update(gitCredentials).set({ sealedToken: 'v1.broken' }).where(eq(gitCredentials.id, id));
  const host = await newHost();
  await FakeRunner.connect(host.keys);
  const service = await host.addService({ repoUrl: 'https://git.example.com/a/b', repoFullName: '' });
  const { deployment } = (await call('POST', `/api/services/${service.id}/deployments`, { token })).body;
  const ended = await call('GET', `/api/deployments/${deployment.id}?wait=10`, { token });
  expect(ended.body.deployment.failureMessage).toBe(
    `The git credential for git.example.com can't be decrypted: store its token again (PATCH /api/git-credentials/${id}).`,
  );
  await remove(id);
});

test("a deleted project takes its credentials along and brings them back, and a deleted tenant's are gone", async () => {
  const { id: projectId } = (await call('POST', '/api/projects', { token, body: { name: 'Gone' } })).body
    .project;
  const { gitCredential } = (await post({ ...github, projectId })).body;
  await call('DELETE', `/api/projects/${projectId}`, { token });
  expect((await call('GET', path, { token })).body).toEqual({ gitCredentials: [] });
  expect((await call('POST', `/api/projects/${projectId}/restore`, { token })).status).toBe(200);
  expect((await call('GET', path, { token })).body).toEqual({ gitCredentials: [gitCredential] });
  await remove(gitCredential.id);
  const tenantId = await insertTenant('leaving');
  const { token: own, id } = await insertKey({ tenantId });
  await post(github, own);
  await call('DELETE', `/api/system/keys/${id}`, { token: operatorToken });
  const left = await call('DELETE', `/api/system/tenants/${tenantId}`, { token: operatorToken });
  expect(left.status).toBe(200);
  expect(await deps.db.select().from(gitCredentials).where(eq(gitCredentials.tenantId, tenantId))).toEqual(
    [],
  );
});
