/** GitHub Apps, from the button to a deployment and its status, against GitHub's documented API. */
import { env } from 'cloudflare:workers';
import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createDependencies } from '../../../../worker/context.ts';
import { gitCredentialsPerTenant } from '../../../../worker/domain/sources/git-credentials.ts';
import { auditLog } from '../../../../worker/store/schema/audit.ts';
import { deployments } from '../../../../worker/store/schema/deployments.ts';
import { gitHubApps } from '../../../../worker/store/schema/projects.ts';
import { deliverCommitStatuses } from '../../../../worker/usecases/alerts/deliver-commit-statuses.ts';
import { lookAtChecks } from '../../../../worker/usecases/sources/look-at-checks.ts';
import { gitHub, gitHubPush, headSha, type PushFields } from '../../../support/servers/git-deliveries.ts';
import { createClient, deps, insertKey, insertTenant } from '../../../support/worker/api.ts';
import { FakeRunner } from '../../../support/worker/fake-runner.ts';
import { newHost } from '../../../support/worker/host.ts';
import { insertMember } from '../../../support/worker/members.ts';
import { GitHubServer } from '../../../support/worker/servers/github-server.ts';

const call = createClient();
const { token } = await insertKey();
const path = '/api/github-apps';
const privateFetch = globalThis.fetch;
let server: GitHubServer;

// The objects of the Worker make their own dependencies, so GitHub takes the place of the internet.
beforeAll(async () => {
  server = await GitHubServer.start();
  globalThis.fetch = server.fetch;
});
afterAll(() => {
  globalThis.fetch = privateFetch;
});
beforeEach(async () => {
  await env.DB.batch(
    ['github_apps', 'git_credentials', 'commit_statuses'].map((name) =>
      env.DB.prepare(`delete from ${name}`),
    ),
  );
  server.installations.length = 0;
  server.requests.length = 0;
  server.isDown = false;
  server.renamed.clear();
  server.granted.checks = 'read';
  server.reported = [];
});

const begin = async (body: object = {}, by = token) => call('POST', path, { token: by, body });
const stateOf = (setupUrl: string) => new URL(setupUrl).searchParams.get('state') ?? '';
/** Shows the first page, as a browser does. @returns the cookie that the browser keeps */
const opened = async (state: string) =>
  (await call('GET', `/api/github-setup?state=${state}`)).headers.get('set-cookie')?.split(';')[0] ?? '';
const doneBy = (cookie: string, state: string, code: string) =>
  call('GET', `/api/github-setup/done?code=${code}&state=${state}`, { headers: { cookie } });
const done = async (state: string, code: string) => doneBy(await opened(state), state, code);

/** An app whose owner has gone through both pages. */
async function registered(body: object = {}) {
  const { githubApp, setupUrl } = (await begin(body)).body;
  server.codes.add('a180b1a3d263c81bc6441d7b990bae27d4c10679');
  const page = await done(stateOf(setupUrl), 'a180b1a3d263c81bc6441d7b990bae27d4c10679');
  expect(page.status, page.text).toBe(200);
  return githubApp.id as string;
}

async function hosted(fields: object = {}) {
  const machine = await newHost();
  const runner = await FakeRunner.connect(machine.keys);
  const service = await machine.addService({
    ...{
      repoUrl: 'https://github.com/octocat/Hello-World.git',
      repoFullName: 'octocat/Hello-World',
      branch: 'main',
    },
    ...fields,
  });
  return { runner, service };
}

async function push(id: string, fields: PushFields & { repository?: string } = {}) {
  const { body } = await gitHubPush('unused', fields);
  const payload = {
    ...JSON.parse(body),
    repository: { full_name: fields.repository ?? 'octocat/Hello-World' },
  };
  const delivery = await gitHub(server.app.webhookSecret, 'push', JSON.stringify(payload));
  return call('POST', `/api/hooks/github/${id}`, { raw: delivery.body, headers: delivery.headers });
}

test('the page has one button, which posts a manifest with the least permissions to GitHub, and runs no scripts', async () => {
  const { githubApp, setupUrl } = (await begin({ organization: 'acme' })).body;
  expect(githubApp).toMatchObject({ registered: false, name: null, installUrl: null, host: 'github.com' });
  const { text, headers } = await call('GET', setupUrl.replace('https://longshore.test', ''));
  expect(text).toContain(
    `<form method="post" action="https://github.com/organizations/acme/settings/apps/new?state=${stateOf(setupUrl)}">`,
  );
  const [, escaped = ''] = /name="manifest" value="([^"]+)"/.exec(text) ?? [];
  expect(JSON.parse(escaped.replaceAll('&quot;', '"'))).toEqual({
    name: expect.stringMatching(/^Longshore longshore\.test-\w{6}$/),
    url: 'https://longshore.test',
    description: expect.any(String),
    hook_attributes: { url: `https://longshore.test/api/hooks/github/${githubApp.id}`, active: true },
    redirect_url: 'https://longshore.test/api/github-setup/done',
    public: false,
    default_events: ['push', 'check_suite', 'status'],
    default_permissions: { contents: 'read', metadata: 'read', statuses: 'write', checks: 'read' },
  });
  expect(headers.get('content-security-policy')).toContain('form-action https://github.com;');
  expect(text).not.toContain('<script');
});

test('the page names the tenant and the key that have asked, and sets a cookie that comes back from GitHub', async () => {
  const asking = await insertKey({ tenantId: await insertTenant('Strangers & co'), name: 'nightly' });
  const { setupUrl } = (await begin({}, asking.token)).body;
  const { text, headers } = await call('GET', setupUrl.replace('https://longshore.test', ''));
  expect(text).toContain('<strong>Strangers &amp; co</strong>');
  expect(text).toContain('<strong>nightly</strong> of that tenant has asked for it');
  expect(headers.get('set-cookie')).toMatch(
    /^__Host-longshore-github-setup=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=3600; Secure$/,
  );
});

test('only a browser that has shown the page of this registration can finish it', async () => {
  const state = stateOf((await begin()).body.setupUrl);
  const other = await insertKey({ tenantId: await insertTenant('another') });
  const cookieOfOther = await opened(stateOf((await begin({}, other.token)).body.setupUrl));
  server.codes.add('mine');
  for (const cookie of ['', cookieOfOther, '__Host-longshore-github-setup=forged']) {
    const refused = await doneBy(cookie, state, 'mine');
    expect([refused.status, refused.body.code]).toEqual([403, 'forbidden']);
  }
  expect(server.requests).toEqual([]);
  const finished = await done(state, 'mine');
  expect(finished.status, finished.text).toBe(200);
  expect(finished.headers.get('set-cookie')).toContain('Max-Age=0');
});

test('a registration ends with the key that has begun it', async () => {
  const { id, token: own } = await insertKey();
  const state = stateOf((await begin({}, own)).body.setupUrl);
  const cookie = await opened(state);
  server.codes.add('revoked');
  await env.DB.prepare('update api_keys set revoked_at = 1 where id = ?').bind(id).run();
  expect((await call('GET', `/api/github-setup?state=${state}`)).status).toBe(404);
  expect((await doneBy(cookie, state, 'revoked')).status).toBe(404);
});

test('the code of GitHub is exchanged once for secrets, which are stored sealed and never shown', async () => {
  const id = await registered();
  const [row] = await deps.db.select().from(gitHubApps).where(eq(gitHubApps.id, id));
  expect(row).toMatchObject({ appId: '1', slug: 'octoapp', stateHash: null });
  const { body } = await call('GET', path, { token });
  expect(body.githubApps).toMatchObject([
    {
      id,
      registered: true,
      installUrl: 'https://github.com/apps/octoapp/installations/new',
      owner: 'github',
    },
  ]);
  for (const secret of [server.app.webhookSecret, 'PRIVATE KEY', '1726be1638095a19edd134c77bde3aa2ece1e5d8'])
    expect(JSON.stringify([row, body])).not.toContain(secret);
  const entries = await deps.db.select().from(auditLog).where(eq(auditLog.resourceId, id));
  expect(entries.map(({ route, actor }) => [route, actor])).toContainEqual([
    'github app registered',
    'github',
  ]);
});

test('a state is good for one registration and one hour, and a wrong code changes nothing', async () => {
  const { setupUrl } = (await begin()).body;
  const state = stateOf(setupUrl);
  expect((await done(state, 'wrong')).body).toMatchObject({ code: 'provider_refused' });
  expect((await done('A'.repeat(43), 'wrong')).status).toBe(404);
  await env.DB.prepare('update github_apps set state_expires_at = 1').run();
  server.codes.add('late');
  expect((await done(state, 'late')).status).toBe(404);
  const again = (await begin()).body;
  expect((await done(stateOf(again.setupUrl), 'late')).status).toBe(200);
  expect((await done(stateOf(again.setupUrl), 'late')).status).toBe(404);
});

test('a registration that is replaced while GitHub answers connects nothing, and names the app to delete', async () => {
  const { setupUrl } = (await begin()).body;
  server.codes.add('slow');
  server.beforeConversion = async () => void (await begin());
  const { body } = await done(stateOf(setupUrl), 'slow');
  server.beforeConversion = async () => {};
  expect(body).toMatchObject({
    code: 'conflict',
    error: expect.stringContaining('https://github.com/apps/octoapp'),
  });
  const { githubApps } = (await call('GET', path, { token })).body;
  expect(githubApps).toMatchObject([{ registered: false }]);
  expect((await call('GET', '/api/git-credentials', { token })).body.gitCredentials).toEqual([]);
});

test('a tenant with as many git credentials as it can have gets no app without a credential, and one later', async () => {
  const { setupUrl } = (await begin()).body;
  await deps.db.run(sql`insert into git_credentials (id, tenant_id, host, username, sealed_token, created_at, updated_at)
    with recursive number(at) as (select 1 union all select at + 1 from number where at < ${gitCredentialsPerTenant})
    select 'gcr_full' || at, tenant_id, 'git' || at || '.example.com', 'x', 'x', 0, 0 from number join (select tenant_id from github_apps)`);
  server.codes.add('full');
  const { body } = await done(stateOf(setupUrl), 'full');
  expect(body).toMatchObject({ code: 'conflict', error: expect.stringContaining('100 git credentials') });
  expect((await call('GET', path, { token })).body.githubApps).toMatchObject([{ registered: false }]);
  await deps.db.run(sql`delete from git_credentials where id = 'gcr_full1'`);
  server.codes.add('room');
  expect((await done(stateOf(setupUrl), 'room')).status).toBe(200);
  const { gitCredentials } = (await call('GET', '/api/git-credentials?limit=200', { token })).body;
  expect(gitCredentials.filter((one: { githubAppId: string | null }) => one.githubAppId)).toHaveLength(1);
});

test('a tenant has one app or credential for a host; strangers and keys of single projects see none of it', async () => {
  const id = await registered();
  expect((await begin()).body).toMatchObject({ code: 'conflict' });
  const stranger = (await insertKey({ tenantId: await insertTenant('other') })).token;
  const limited = (await insertKey({ projects: [] })).token;
  expect((await call('GET', path, { token: stranger })).body.githubApps).toEqual([]);
  expect((await call('GET', `${path}/${id}/installations`, { token: stranger })).status).toBe(404);
  expect((await call('DELETE', `${path}/${id}`, { token: stranger })).status).toBe(404);
  expect((await begin({}, limited)).status).toBe(403);
  const { gitCredentials } = (await call('GET', '/api/git-credentials', { token })).body;
  expect(gitCredentials).toMatchObject([{ host: 'github.com', commitStatus: 'github', githubAppId: id }]);
  const credential = `/api/git-credentials/${gitCredentials[0].id}`;
  for (const [method, body] of [['DELETE'], ['PATCH', { token: 'x' }]] as const)
    expect((await call(method, credential, { token, body })).body).toMatchObject({ code: 'conflict' });
});

test('installations and repositories are listed as GitHub has them, page by page', async () => {
  const id = await registered();
  const names = Array.from({ length: 130 }, (_, at) => `repo-${at}`);
  const { id: installationId } = server.install('acme', names);
  expect((await call('GET', `${path}/${id}/installations`, { token })).body.installations).toEqual([
    {
      ...{ id: installationId, account: 'acme', repositories: 'selected', suspended: false },
      settingsUrl: 'https://github.com/organizations/acme/settings/installations/1',
    },
  ]);
  const page = (number: number) =>
    call('GET', `${path}/${id}/repositories?installationId=${installationId}&page=${number}`, { token });
  const [first, second] = [(await page(1)).body, (await page(2)).body];
  expect([first.repositories.length, first.nextPage, second.repositories.length, second.nextPage]).toEqual([
    100,
    2,
    30,
    null,
  ]);
  expect(second.repositories[29]).toEqual({
    ...{ fullName: 'acme/repo-129', url: 'https://github.com/acme/repo-129.git', private: true },
    ...{ archived: false, defaultBranch: 'master' },
  });
  expect((await call('GET', `${path}/${id}/repositories`, { token })).body.repositories).toHaveLength(100);
  expect(server.requests.filter((one) => one.endsWith('access_tokens'))).toHaveLength(1);
  server.isDown = true;
  expect((await page(1)).body).toMatchObject({ code: 'unavailable' });
});

test('a push deploys each service of its repository and branch, whatever its URL, and no other', async () => {
  const id = await registered();
  const { service } = await hosted();
  const { service: bySsh } = await hosted({ repoUrl: 'git@github.com:octocat/hello-world.git' });
  await hosted({ branch: 'next' });
  await hosted({ repoUrl: 'https://git.example.com/octocat/Hello-World.git' });
  const { status, body } = await push(id);
  expect([status, body.reason]).toEqual([200, null]);
  const started = body.deployments.map(({ serviceId }: { serviceId: string }) => serviceId);
  expect(started.toSorted()).toEqual([service.id, bySsh.id].toSorted());
  expect((await push(id, { branch: 'none' })).body).toMatchObject({
    deployments: [],
    reason: expect.stringContaining('No service'),
  });
  expect((await push(id, { repository: 'octocat/other' })).body.deployments).toEqual([]);
  const form = new URLSearchParams({ payload: '{"ref":"refs/tags/v1"}' });
  const named = await gitHub(server.app.webhookSecret, 'push', String(form));
  const asForm = await call('POST', `/api/hooks/github/${id}`, { raw: named.body, headers: named.headers });
  expect(asForm.body.error).toContain('"after"');
  const [row] = await deps.db.select().from(deployments).where(eq(deployments.serviceId, service.id));
  expect(row).toMatchObject({ trigger: 'webhook' });
});

test('a push deploys the services that watch a path it changed, and none if its newest commit says so', async () => {
  const id = await registered();
  const repository = 'octocat/monorepo';
  const repoUrl = `https://github.com/${repository}.git`;
  const { service: web } = await hosted({ repoUrl });
  const { service: api } = await hosted({ repoUrl });
  for (const [service, watchPaths] of [
    [web, ['apps/web/']],
    [api, ['apps/api/']],
  ] as const)
    await call('PATCH', `/api/services/${service.id}`, { token, body: { watchPaths } });
  const { body } = await push(id, { repository, changed: [['apps/api/a.ts'], ['readme.md']] });
  const of = (serviceId: string) =>
    body.deployments.find((one: { serviceId: string }) => one.serviceId === serviceId);
  expect(of(api.id)).toMatchObject({ deploymentId: expect.any(String), reason: null });
  expect(of(web.id)).toMatchObject({ deploymentId: null, reason: expect.stringContaining('"watchPaths"') });
  const skipped = (await push(id, { repository, message: 'Typo [skip ci]', changed: [['apps/api/a.ts']] }))
    .body;
  expect(skipped).toMatchObject({ deployments: [], reason: expect.stringContaining('[skip ci]') });
});

test('a push through the app waits for the checks, which a token reads that can do nothing else', {
  tags: 'slow',
}, async () => {
  const id = await registered();
  server.install('octocat', ['Hello-World']);
  const { service } = await hosted({ repoUrl: 'git@github.com:octocat/Hello-World.git' });
  const path = `/api/services/${service.id}`;
  expect((await call('PATCH', path, { token, body: { waitForChecks: true } })).status).toBe(200);
  server.reported = [{ kind: 'run', name: 'build', state: 'queued' }];
  const { body } = await push(id);
  const of = (one: { serviceId: string }) => one.serviceId === service.id;
  expect(body.deployments.find(of)).toMatchObject({
    deploymentId: null,
    reason: expect.stringContaining('waits for the checks'),
  });
  const awaited = async () => (await call('GET', `${path}/awaited-push`, { token })).body.awaitedPush;
  const look = (seconds: number) =>
    lookAtChecks({ ...createDependencies(env), now: () => Date.now() + seconds * 1000 });
  await look(30);
  expect((await awaited()).detail).toBe('Waits for the check build (queued).');
  expect([...server.tokens.values()].at(-1)).toMatchObject({
    ...{ permissions: { checks: 'read', statuses: 'read' }, repositories: ['octocat/Hello-World'] },
  });
  server.reported = [{ kind: 'run', name: 'build', state: 'success' }];
  await env.DB.prepare(
    'update awaited_pushes set created_at = created_at - 60000, looked_at = looked_at - 60000',
  ).run();
  const suite = JSON.stringify({ action: 'completed', check_suite: { head_sha: headSha } });
  const delivery = await gitHub(server.app.webhookSecret, 'check_suite', suite);
  await call('POST', `/api/hooks/github/${id}`, { raw: delivery.body, headers: delivery.headers });
  await expect.poll(awaited).toBeNull();
  const rows = await deps.db.select().from(deployments).where(eq(deployments.serviceId, service.id));
  expect(rows).toMatchObject([{ ref: headSha, trigger: 'webhook', status: 'queued' }]);
});

test('an app without the permission to read checks says which one to grant', { tags: 'slow' }, async () => {
  const id = await registered();
  server.install('octocat', ['Hello-World']);
  delete server.granted.checks;
  const { service } = await hosted();
  const path = `/api/services/${service.id}`;
  await call('PATCH', path, { token, body: { waitForChecks: true } });
  createDependencies(env).gitHubTokens.forget(id);
  await push(id);
  await lookAtChecks({ ...createDependencies(env), now: () => Date.now() + 60_000 });
  expect((await call('GET', `${path}/awaited-push`, { token })).body.awaitedPush).toMatchObject({
    ...{ state: 'unread', detail: expect.stringContaining('"Checks: read-only"') },
  });
});

test('a push to more services than it deploys says so, and is cheap enough for the limits of the platform', {
  tags: 'slow',
}, async () => {
  const id = await registered();
  const machine = await newHost();
  const repository = {
    repoUrl: 'https://github.com/octocat/many.git',
    repoFullName: 'octocat/many',
    branch: 'main',
  };
  for (let n = 0; n <= 40; n++) await machine.addService(repository);
  const { prepare, batch } = env.DB;
  let calls = 0;
  const spied = {
    prepare: (query: string) => prepare.call(env.DB, query),
    batch: (statements: D1PreparedStatement[]) => {
      calls += 1;
      return batch.call(env.DB, statements);
    },
  };
  Object.assign(env.DB, spied);
  const { body } = await push(id, { repository: 'octocat/many' });
  Object.assign(env.DB, { prepare, batch });
  expect(body.deployments).toHaveLength(40);
  expect(body.deployments.every(({ deploymentId }: { deploymentId: string }) => deploymentId)).toBe(true);
  expect(body.reason).toContain('40');
  expect(calls).toBeLessThan(50);
});

test('a delivery without the signature of the app is refused, and one that is sent again deploys nothing', async () => {
  const id = await registered();
  const { service } = await hosted();
  const forged = await gitHub('wrong', 'push', '{}');
  const refused = await call('POST', `/api/hooks/github/${id}`, {
    raw: forged.body,
    headers: forged.headers,
  });
  const absent = await call('POST', '/api/hooks/github/gha_absent', {
    raw: forged.body,
    headers: forged.headers,
  });
  expect([refused.status, refused.body.error]).toEqual([401, absent.body.error]);
  const pushedAt = 5;
  const [first, again] = [await push(id, { pushedAt }), await push(id, { pushedAt })];
  // Services of other tests have the same repository.
  const own = ({ body }: typeof first) =>
    body.deployments.find(({ serviceId }: { serviceId: string }) => serviceId === service.id);
  expect(own(again).deploymentId).toBe(own(first).deploymentId);
  expect(own(again).reason).toContain('already');
  await call('PATCH', `${path}/${id}`, { token, body: { deployOnPush: false } });
  expect((await push(id)).body.deployments).toEqual([]);
});

test('a deployment fetches with a token that reads its repository only, which serves again while it is valid', {
  tags: 'slow',
}, async () => {
  await registered();
  server.install('octocat', ['Hello-World', 'library']);
  const { runner, service } = await hosted();
  const deploy = async () => {
    await call('POST', `/api/services/${service.id}/deployments`, { token });
    const start = await runner.next('start');
    const { gitCredential } = await runner.openBox(start);
    await runner.report(start, {
      type: 'result',
      result: { outcome: 'succeeded', facts: { commitSha: headSha } },
    });
    return gitCredential;
  };
  const credential = await deploy();
  expect(credential).toMatchObject({ host: 'github.com', username: 'x-access-token' });
  const issued = server.tokens.get(credential?.token ?? '');
  expect(issued).toMatchObject({ permissions: { contents: 'read' }, repositories: ['octocat/Hello-World'] });
  expect((await deploy())?.token).toBe(credential?.token);
  await call('POST', `/api/services/${service.id}/env`, {
    token,
    body: { key: 'GIT_SUBMODULES', value: 'true' },
  });
  const wide = server.tokens.get((await deploy())?.token ?? '');
  expect(wide).toMatchObject({ permissions: { contents: 'read' }, repositories: undefined });
});

test('GitHub gets the state of a commit by a token that can write statuses only', {
  tags: 'slow',
}, async () => {
  const id = await registered();
  server.install('octocat', ['Hello-World']);
  await hosted();
  await push(id);
  // As cron does it; the receiver of the status is the same stand-in.
  await deliverCommitStatuses({ ...createDependencies(env), now: () => Date.now() + 60_000 });
  expect(server.statuses).toContainEqual({
    repository: 'octocat/Hello-World',
    sha: headSha,
    state: 'pending',
  });
  const purposes = [...server.tokens.values()].map(({ permissions }) => permissions);
  expect(purposes).toContainEqual({ statuses: 'write' });
});

test('an app whose commit status is switched off tells GitHub nothing', { tags: 'slow' }, async () => {
  const id = await registered();
  server.install('octocat', ['Hello-World']);
  const { body } = await call('PATCH', `${path}/${id}`, { token, body: { commitStatus: false } });
  expect(body.githubApp.commitStatus).toBe(false);
  await hosted();
  server.statuses.length = 0;
  await push(id);
  await deliverCommitStatuses({ ...createDependencies(env), now: () => Date.now() + 60_000 });
  expect(server.statuses).toEqual([]);
});

test("a service's own token goes before the app", { tags: 'slow' }, async () => {
  await registered();
  server.install('octocat', ['Hello-World']);
  const { runner, service } = await hosted();
  const patched = await call('PATCH', `/api/services/${service.id}`, {
    token,
    body: { gitToken: 'own-token' },
  });
  expect(patched.status, patched.text).toBe(200);
  await call('POST', `/api/services/${service.id}/deployments`, { token });
  const { gitToken, gitCredential } = await runner.openBox(await runner.next('start'));
  expect([gitToken, gitCredential]).toEqual(['own-token', undefined]);
});

test('an app that is not installed for a repository gives no token, and one that GitHub refuses, or a renamed repository, says what to do', {
  tags: 'slow',
}, async () => {
  const id = await registered();
  const { runner, service } = await hosted();
  await call('POST', `/api/services/${service.id}/deployments`, { token });
  const start = await runner.next('start');
  expect((await runner.openBox(start)).gitCredential).toBeUndefined();
  await runner.report(start, { type: 'result', result: { outcome: 'succeeded', facts: {} } });
  await env.DB.prepare("update github_apps set app_id = '2' where id = ?").bind(id).run();
  const { deployment } = (await call('POST', `/api/services/${service.id}/deployments`, { token })).body;
  await expect
    .poll(async () => (await call('GET', `/api/deployments/${deployment.id}`, { token })).body.deployment)
    .toMatchObject({ status: 'failed', failureMessage: expect.stringContaining('Delete the app here') });
  await env.DB.prepare("update github_apps set app_id = '1' where id = ?").bind(id).run();
  server.renamed.add('octocat/Hello-World');
  const renamed = (await call('POST', `/api/services/${service.id}/deployments`, { token })).body.deployment;
  await expect
    .poll(async () => (await call('GET', `/api/deployments/${renamed.id}`, { token })).body.deployment)
    .toMatchObject({ status: 'failed', failureMessage: expect.stringContaining('was renamed or moved') });
});

test('a removed app is uninstalled, and its private key and its credential are gone', async () => {
  const id = await registered();
  server.install('acme', ['shop']);
  const { body } = await call('DELETE', `${path}/${id}`, { token });
  expect(body.detail).toContain('https://github.com/apps/octoapp');
  expect(server.installations).toEqual([]);
  expect((await call('GET', path, { token })).body.githubApps).toEqual([]);
  expect((await call('GET', '/api/git-credentials', { token })).body.gitCredentials).toEqual([]);
});

test.each(['an owner', 'a key'])(
  'the browser of %s registers an app, and only while its session lasts',
  async (of) => {
    const browser = async (): Promise<{ token: string; sessionId: string }> => {
      if (of === 'an owner') return insertMember();
      const { keyId } = (await call('GET', '/api/keys', { token })).body;
      const maker = keyId ?? (await insertKey()).id;
      const session = await insertKey({ kind: 'session', madeBy: maker, expiresAt: deps.now() + 60_000 });
      const proof = await deps.fingerprint('session', session.id);
      return { sessionId: session.id, token: `session ${session.token} ${proof}` };
    };
    const first = await browser();
    const { setupUrl } = (await begin({}, first.token)).body;
    server.codes.add('b280b1a3d263c81bc6441d7b990bae27d4c10679');
    const page = await done(stateOf(setupUrl), 'b280b1a3d263c81bc6441d7b990bae27d4c10679');
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('href="/credentials"')]);
    await env.DB.batch([env.DB.prepare('delete from github_apps')]);
    for (const end of ['revoked_at', 'expires_at']) {
      const { token: session, sessionId } = await browser();
      const state = stateOf((await begin({}, session)).body.setupUrl);
      const cookie = await opened(state);
      await env.DB.prepare(`update api_keys set ${end} = 1 where id = ?`).bind(sessionId).run();
      server.codes.add('c380b1a3d263c81bc6441d7b990bae27d4c10679');
      const late = await doneBy(cookie, state, 'c380b1a3d263c81bc6441d7b990bae27d4c10679');
      expect([end, late.status, late.body.error]).toEqual([end, 404, expect.stringContaining('has ended')]);
    }
  },
);

test('the browser of a member who is no owner, and a key made by another, register no app', async () => {
  const { token: developer } = await insertMember({ role: 'developer' });
  const made = await insertKey({ madeBy: (await insertKey()).id });
  for (const by of [developer, made.token]) {
    const reply = await begin({}, by);
    expect([reply.status, reply.body.error]).toEqual([403, expect.stringContaining('an owner')]);
  }
});
