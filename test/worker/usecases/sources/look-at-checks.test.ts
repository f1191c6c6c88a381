/** Pushes of services with `waitForChecks`: what each git host says about a commit, and what becomes of the push. */
import { env } from 'cloudflare:workers';
import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { platform } from '../../../../worker/domain/access/initiator.ts';
import type { StatusApi } from '../../../../worker/domain/sources/commit-status/status-apis.ts';
import { ed25519Text } from '../../../../worker/domain/sources/ssh-key.ts';
import { GitHostFailure } from '../../../../worker/gateways/git-host-reads.ts';
import { insertDeployment } from '../../../../worker/store/deployments/deployment-store.ts';
import { auditLog } from '../../../../worker/store/schema/audit.ts';
import { deployments } from '../../../../worker/store/schema/deployments.ts';
import { jobs } from '../../../../worker/store/schema/jobs.ts';
import { lookAtChecks } from '../../../../worker/usecases/sources/look-at-checks.ts';
import { fixedPart } from '../../../support/level.ts';
import type { Reported } from '../../../support/servers/commit-checks-answers.ts';
import { gitHub, headSha } from '../../../support/servers/git-deliveries.ts';
import { deps } from '../../../support/worker/api.ts';
import { checkedService } from '../../../support/worker/checked-service.ts';
import { insertDeploymentOf } from '../../../support/worker/deployment-rows.ts';

const sshKey = ed25519Text(new Uint8Array(32), new Uint8Array(32), { comment: 'test', check: 1 });
const nextSha = 'b'.repeat(40);

/** Words of each host for a check that is open, green and red. */
const words: Record<StatusApi, { open: string; green: string; red: string; kind?: Reported['kind'] }> = {
  github: { open: 'in_progress', green: 'success', red: 'failure', kind: 'run' },
  gitlab: { open: 'running', green: 'success', red: 'failed' },
  gitea: { open: 'pending', green: 'success', red: 'failure' },
  bitbucket: { open: 'INPROGRESS', green: 'SUCCESSFUL', red: 'FAILED' },
};
const apis = Object.keys(words) as StatusApi[];

test.each(apis)(
  '%s: a push is deployed at its commit when its checks are green, and not before',
  async (api) => {
    const { open, green, kind } = words[api];
    const { service, report, look, tell, told } = await checkedService({ api });
    const build = (state: string): Reported => ({ name: 'build', state, ...(kind && { kind }) });
    await report(build(open));
    expect(await service.push()).toMatchObject({
      deployment: null,
      reason: expect.stringContaining('waits for the checks'),
    });
    await tell(0);
    expect([await look(10), await look(25)]).toEqual([0, 1]);
    expect(await service.awaited()).toMatchObject({
      ...{ commitSha: headSha, branch: 'main', state: 'waiting', startedBy: { type: 'push', name: 'octo' } },
      detail: `Waits for the check build (${open}).`,
    });
    expect(await service.deployments()).toEqual([]);
    await report(build(green));
    await look(90);
    expect(await service.deployments()).toEqual([
      expect.objectContaining({ ref: headSha, trigger: 'webhook', status: 'queued' }),
    ]);
    expect(await service.awaited()).toBeNull();
    const [first] = await told();
    expect(first?.state).toBe(
      { github: 'pending', gitlab: 'pending', gitea: 'pending', bitbucket: 'INPROGRESS' }[api],
    );
  },
);

test.each(fixedPart(apis, 2))(
  '%s: a push with a red check is not deployed and told, until the check turns green within the hour',
  async (api) => {
    const { red, green, kind } = words[api];
    const { service, report, look, tell, told } = await checkedService({ api });
    const test = (state: string): Reported => ({ name: 'test', state, ...(kind && { kind }) });
    await report(test(red), { ...test(green), name: 'lint' });
    await service.push();
    await look(60);
    await tell(60);
    const detail = `Not deployed: the check test (${red}).`;
    expect(await service.awaited()).toMatchObject({ state: 'failed', detail });
    expect((await told()).at(-1)?.description).toBe(detail);
    const { results } = await env.DB.prepare(
      "select route from audit_log where route = 'deployment.withheld' and resource_id = ?",
    )
      .bind(service.id)
      .all();
    expect(results).toHaveLength(1);
    await look(300);
    expect(await service.deployments()).toEqual([]);
    await report(test(green));
    await look(1_200);
    expect(await service.deployments()).toHaveLength(1);
  },
);

test.each(apis)('%s: a check that stays red is no longer looked at after an hour', async (api) => {
  const { red, kind } = words[api];
  const { service, report, look } = await checkedService({ api });
  await report({ name: 'test', state: red, ...(kind && { kind }) });
  await service.push();
  expect([await look(3_601), await look(7_300)]).toEqual([1, 0]);
  expect(await service.awaited()).toMatchObject({ state: 'over', detail: expect.stringContaining('test') });
  expect(await service.deployments()).toEqual([]);
});

test.each(apis)("%s: Longshore's own statuses are no checks", async (api) => {
  const { service, report, look, tell, told } = await checkedService({ api });
  await report();
  await service.push();
  await tell(0);
  expect(await told()).toHaveLength(1);
  await look(60);
  expect((await service.awaited()).detail).toContain('no checks yet');
  await look(180);
  expect(await service.deployments()).toHaveLength(1);
  const [deployment] = await service.deployments();
  const entries = await deps.db
    .select()
    .from(auditLog)
    .where(eq(auditLog.resourceId, deployment?.id ?? ''));
  expect(entries.map(({ route }) => route)).toEqual(['deployment.checks no_checks']);
});

test.each(fixedPart(apis, 2, 1))(
  '%s: a check on the second page counts, and a commit with too many is not deployed',
  async (api) => {
    const { green, open, kind } = words[api];
    const { service, report, look } = await checkedService({ api });
    const many = (count: number, last: string): Reported[] =>
      Array.from({ length: count }, (_, n) => ({
        ...{ name: `check ${n}`, state: n === count - 1 ? last : green, ...(kind && { kind }) },
      }));
    await report(...many(101, open));
    await service.push();
    await look(60);
    expect((await service.awaited()).detail).toBe(`Waits for the check check 100 (${open}).`);
    await report(...many(api === 'gitea' ? 150 : 300, green));
    await look(120);
    expect(await service.awaited()).toMatchObject({
      state: 'unread',
      detail: expect.stringContaining('more than'),
    });
  },
);

const refusals: [string, string][] = [
  ['expired', '(HTTP 401): it is wrong, has expired or was revoked'],
  ['narrow', 'does not let the token read the checks of the repository (HTTP 403)'],
  ['stranger', 'does not let the token read the checks of the repository (HTTP 404)'],
  ['unknown-commit', 'does not have the commit (HTTP 422)'],
];
test.each(
  fixedPart(
    apis.flatMap((api) => refusals.map(([token, why]) => [api, token, why] as const)),
    5,
  ),
)(
  '%s that refuses the token %s is named as the reason that the push is not deployed',
  async (api, token, why) => {
    const { service, look } = await checkedService({ api, token });
    await service.push();
    await look(60);
    expect(await service.awaited()).toMatchObject({ state: 'unread', detail: expect.stringContaining(why) });
    expect(await service.deployments()).toEqual([]);
  },
);

const limits: [StatusApi, string][] = [
  ...apis.map((api): [StatusApi, string] => [api, 'busy']),
  ['gitlab', 'busy-until'],
  ['github', 'limited'],
  ['gitea', 'maintenance'],
];
test.each(fixedPart(limits, 2))(
  '%s that asks to wait (%s) is asked again after that time, and not before',
  async (api, token) => {
    const { service, look, asked } = await checkedService({ api, token });
    await service.push();
    await look(60);
    const before = asked.length;
    expect([await look(60 + 19 * 60), asked.length]).toEqual([0, before]);
    expect(await look(60 + 21 * 60)).toBe(1);
    expect(await service.awaited()).toMatchObject({
      state: 'waiting',
      detail: expect.stringContaining('HTTP'),
    });
  },
);

test('GitHub: the jobs of a workflow that have not begun keep a commit from being green, empty suites do not', async () => {
  const { service, report, look } = await checkedService({ api: 'github' });
  const suites: Reported[] = [
    { kind: 'suite', name: 'GitHub Actions', state: 'in_progress', runs: 1 },
    { kind: 'suite', name: 'Some App', state: 'queued', runs: 0 },
  ];
  await report({ kind: 'run', name: 'build', state: 'success' }, ...suites);
  await service.push();
  await look(60);
  expect((await service.awaited()).detail).toBe('Waits for the check GitHub Actions (in_progress).');
  await report({ kind: 'run', name: 'build', state: 'success' }, ...suites.slice(1));
  await look(180);
  expect(await service.deployments()).toHaveLength(1);
});

test('a first green check deploys nothing in the first half minute, because others may begin', async () => {
  const { service, report, look } = await checkedService();
  await report({ name: 'license', state: 'success' });
  await service.push();
  await look(25);
  expect((await service.awaited()).detail).toContain('Others may still begin');
  await look(60);
  expect(await service.deployments()).toHaveLength(1);
});

test('a later push takes the place of the one that waits, and a repetition of the earlier one does not return it', async () => {
  const { service, report, look } = await checkedService();
  await report({ name: 'build', state: 'pending' });
  const first = { deliveryId: 'first', pushedAt: 1_790_000_001 };
  await service.push(first);
  await service.push({ sha: nextSha });
  await service.push(first);
  expect(await service.awaited()).toMatchObject({ commitSha: nextSha });
  await report({ name: 'build', state: 'success' });
  await look(60);
  const [deployment, ...others] = await service.deployments();
  expect([deployment?.ref, others]).toEqual([nextSha, []]);
  // Both deliveries have led to this deployment.
  expect((await service.push(first)).deployment?.id).toBe(deployment?.id);
});

test('a push while the deployment of an earlier commit is queued waits for its own checks', async () => {
  const { service, report, look } = await checkedService();
  await report({ name: 'build', state: 'success' });
  await service.push();
  await look(60);
  await report({ name: 'build', state: 'failure' });
  expect((await service.push({ sha: nextSha })).deployment).toBeNull();
  await look(120);
  expect((await service.deployments()).map(({ ref }) => ref)).toEqual([headSha]);
  expect(await service.awaited()).toMatchObject({ commitSha: nextSha, state: 'failed' });
});

test('a deployment that an earlier push queued does not fetch a commit whose checks are open', async () => {
  const { service, report } = await checkedService();
  await report({ name: 'build', state: 'pending' });
  await service.set({ waitForChecks: false });
  await service.push();
  await service.set({ waitForChecks: true });
  await service.push({ sha: nextSha });
  expect((await service.deployments()).map(({ ref }) => ref)).toEqual([headSha]);
});

test('a push that waits when the setting is switched off is deployed at the next look; a red one is not', async () => {
  const waiting = await checkedService();
  await waiting.report({ name: 'build', state: 'pending' });
  await waiting.service.push();
  await waiting.service.set({ waitForChecks: false });
  await waiting.look(60);
  expect((await waiting.service.deployments()).map(({ ref }) => ref)).toEqual([headSha]);
  const red = await checkedService();
  await red.report({ name: 'build', state: 'failure' });
  await red.service.push();
  await red.look(60);
  await red.service.set({ waitForChecks: false });
  await red.look(600);
  expect([await red.service.deployments(), await red.service.awaited()]).toEqual([[], null]);
});

test.each<[string, object]>([
  ['of the branch', {}],
  ['of the same commit', { commitSha: headSha }],
  ['of a tag', { ref: 'v1.4.0' }],
])('a deployment by hand %s ends the push that waits', async (_, body) => {
  const { service, report, look, call, key } = await checkedService();
  await report({ name: 'build', state: 'pending' });
  await service.push({ deliveryId: 'one', pushedAt: 1_790_000_002 });
  const { status } = await call('POST', `${service.path}/deployments`, { token: key, body });
  expect([status, await service.awaited()]).toEqual([200, null]);
  await report({ name: 'build', state: 'success' });
  await look(60);
  expect(await service.deployments()).toHaveLength(1);
  const again = await service.push({ deliveryId: 'one', pushedAt: 1_790_000_002 });
  expect(again.deployment).not.toBeNull();
  expect(await service.deployments()).toHaveLength(1);
});

test('a person decides against a push that waits, and its repetition does not return it', async () => {
  const { service, report, look, call, key } = await checkedService();
  await report({ name: 'build', state: 'success' });
  const push = { deliveryId: 'one', pushedAt: 1_790_000_003 };
  await service.push(push);
  const drop = () => call('DELETE', `${service.path}/awaited-push`, { token: key });
  expect([(await drop()).status, (await drop()).status]).toEqual([200, 409]);
  await service.push(push);
  await look(60);
  expect([await service.awaited(), await service.deployments()]).toEqual([null, []]);
});

test('a push is not deployed after the service was stopped, and not after it got another repository or branch', async () => {
  const stopped = await checkedService();
  await stopped.report({ name: 'build', state: 'success' });
  await stopped.service.push();
  await stopped.look(60);
  const [live] = await stopped.service.deployments();
  await deps.db
    .update(jobs)
    .set({ state: 'succeeded' })
    .where(eq(jobs.id, live?.jobId ?? ''));
  await deps.db
    .update(deployments)
    .set({ status: 'running', commitSha: headSha })
    .where(eq(deployments.id, live?.id ?? ''));
  await stopped.service.push({ sha: nextSha });
  await stopped.call('POST', `${stopped.service.path}/stop`, { token: stopped.key });
  await stopped.look(120);
  expect([await stopped.service.awaited(), (await stopped.service.deployments()).length]).toEqual([null, 1]);
  for (const change of [
    { branch: 'next' },
    { repoUrl: 'https://forge.example.com:3000/team/other.git', repoFullName: null },
  ]) {
    const { service, report, look, asked } = await checkedService();
    await report({ name: 'build', state: 'success' });
    await service.push();
    expect((await service.set(change)).status).toBe(200);
    await look(60);
    expect([await service.row(), await service.deployments(), asked]).toEqual([undefined, [], []]);
  }
});

test('a deleted service has no push that waits, and a restored one is looked at again', async () => {
  const { service, report, look, call, key } = await checkedService();
  await report({ name: 'build', state: 'success' });
  await service.push();
  await call('DELETE', service.path, { token: key });
  expect([await service.row(), await look(60)]).toEqual([undefined, 0]);
  await call('POST', `/api/services/${service.id}/restore`, { token: key });
  await look(120);
  expect(await service.deployments()).toHaveLength(1);
});

test('runs that look at the same time, and one that dies, deploy a push once', async () => {
  const { service, report, deps: at, look } = await checkedService();
  await report({ name: 'build', state: 'success' });
  await service.push();
  const dying = { ...at(60), hubs: { ...at(60).hubs, wake: () => Promise.reject(new Error('died')) } };
  await expect(lookAtChecks(dying as never)).rejects.toThrow('died');
  await Promise.all([look(61), look(62), look(200)]);
  expect(await service.deployments()).toHaveLength(1);
});

test('a run that dies before it has read anything is repeated', async () => {
  const { service, report, deps: at, look } = await checkedService();
  await report({ name: 'build', state: 'success' });
  await service.push();
  const dying = { ...at(60), gitHostReads: { get: () => Promise.reject(new Error('died')) } };
  await expect(lookAtChecks(dying as never)).rejects.toThrow('died');
  expect([await look(90), await look(121)]).toEqual([0, 1]);
  expect(await service.deployments()).toHaveLength(1);
});

test('services that wait for the same commit share one look, and each decides for itself', async () => {
  const { service, more, report, look, asked } = await checkedService();
  const [second, other] = [await more(), await more()];
  await report({ name: 'build', state: 'success' });
  await other.set({ waitForChecks: false });
  await service.push();
  await second.push();
  expect((await other.push()).deployment).not.toBeNull();
  expect([await look(60), asked.length]).toEqual([1, 1]);
  expect([await service.deployments(), await second.deployments()].map(({ length }) => length)).toEqual([
    1, 1,
  ]);
});

test('an event of a check brings the look forward', async () => {
  const { service, report, call, look } = await checkedService();
  await report({ name: 'build', state: 'pending' });
  await service.push();
  await look(60);
  await look(240);
  const before = await service.row();
  const { headers, body } = await gitHub(service.secret, 'status', JSON.stringify({ sha: headSha }));
  const reply = await call('POST', `/api/hooks/git/${service.id}`, { raw: body, headers });
  expect([reply.status, reply.body.deployment]).toEqual([200, null]);
  expect((await service.row())?.nextLookAt).toBeLessThan(before?.nextLookAt ?? 0);
});

test('a thousand pushes of many tenants that wait are claimed a few at a time, and the oldest first', async () => {
  const { service, look, asked, report, deps: at } = await checkedService();
  await report({ name: 'build', state: 'pending' });
  await service.push();
  const now = at(60).now();
  await env.DB.prepare(`insert into services (id, project_id, runner_id, name, slug, kind, repo_url, branch, build_method, runtime_mode, internal_port,
      host_port, database_public_enabled, postgres_logical_replication_enabled, status, reachable, suggested_keys, created_at, updated_at, push_settings)
    select 'svc_' || value, project_id, runner_id, name, 'many-' || value, kind, repo_url, branch, build_method, runtime_mode, internal_port,
      50000 + value, 0, 0, status, 0, '[]', 0, 0, push_settings from services, (with recursive n(value) as (select 1 union all select value + 1 from n where value < 1000) select value from n)
    where id = ?`)
    .bind(service.id)
    .run();
  await env.DB.prepare(`insert into awaited_pushes select 'svc_' || value, 'd' || value, printf('%040x', value), null, repo_url, branch, started_by, 'waiting', null, '[]',
      ? + value, null, 0, ? + value from awaited_pushes, (with recursive n(value) as (select 1 union all select value + 1 from n where value < 1000) select value from n)
    where service_id = ?`)
    .bind(now - 3_000_000, now - 2_000_000, service.id)
    .run();
  expect(await look(60)).toBe(6);
  expect(asked).toHaveLength(6);
  const { results } = await env.DB.prepare(
    'select service_id as id from awaited_pushes where looks > 0 order by created_at',
  ).all();
  expect(results.map(({ id }) => id)).toEqual(['svc_1', 'svc_2', 'svc_3', 'svc_4', 'svc_5', 'svc_6']);
  await env.DB.prepare("delete from services where id like 'svc_%' and slug like 'many-%'").run();
});

test('a service without a credential of its git host reads checks with its own token, and a deploy key reads none', async () => {
  const { service, report, look } = await checkedService({ api: 'gitlab' });
  await service.set({ gitToken: 'good' });
  await env.DB.prepare('delete from git_credentials').run();
  await report({ name: 'build', state: 'running' });
  await service.push();
  await look(60);
  expect((await service.awaited()).detail).toBe('Waits for the check build (running).');
  await service.set({ gitToken: sshKey });
  await look(240);
  expect((await service.awaited()).detail).toContain('deploy key');
  await service.set({ gitToken: null });
  await look(900);
  expect((await service.awaited()).detail).toContain('There is no token for gitlab.com');
});

test.each<[string, object, string]>([
  [
    'an unknown host',
    { repoUrl: 'https://git.nobody.example/team/app.git' },
    'no token for git.nobody.example',
  ],
  [
    'a host whose API is not known',
    { repoUrl: 'https://git.nobody.example/team/app.git', gitToken: 'x' },
    'not known which API',
  ],
  ['a deploy key', { repoUrl: 'git@gitlab.com:team/app.git', gitToken: sshKey }, 'no token for gitlab.com'],
  [
    'a path without an owner',
    { repoUrl: 'https://gitlab.com/app.git', gitToken: 'x' },
    'no "<owner>/<repo>"',
  ],
])('the setting is refused for %s, because nothing could read the checks', async (_, source, why) => {
  const { service, call, key, project } = await checkedService();
  const body = { waitForChecks: true, repoFullName: null, ...source };
  const changed = await service.set(body);
  expect([changed.status, changed.body.error]).toEqual([409, expect.stringContaining(why)]);
  const path = `/api/projects/${project.id}/services`;
  const created = await call('POST', path, { token: key, body: { ...body, name: 'new' } });
  expect([created.status, created.body.error]).toEqual([409, expect.stringContaining(why)]);
});

test('Gitea below a path of its host is asked below that path', async () => {
  const { service, report, look, asked } = await checkedService({
    repoUrl: 'https://forge.example.com:3000/sub/team/app.git',
  });
  await report({ name: 'build', state: 'success' });
  await service.push();
  await look(60);
  expect(asked[0]).toMatch(/^https:\/\/forge\.example\.com:3000\/sub\/api\/v1\/repos\/team\/app\/commits\//);
  expect(await service.deployments()).toHaveLength(1);
});

test('GitHub Enterprise Server is asked at its own API', async () => {
  const { service, report, look, asked } = await checkedService({ api: 'github', host: 'ghe.example.com' });
  await report({ name: 'build', state: 'success' });
  await service.push();
  await look(60);
  expect(asked.every((url) => url.startsWith('https://ghe.example.com/api/v3/repos/team/app/commits/'))).toBe(
    true,
  );
  expect(await service.deployments()).toHaveLength(1);
});

test.each([
  ['another form', async () => ({ status: 200, body: { statuses: 'none' }, waitMs: null })],
  ['no JSON', async () => ({ status: 200, body: undefined, waitMs: null })],
  ['a redirect', async () => ({ status: 302, body: undefined, waitMs: null })],
  ['nothing', () => Promise.reject(new GitHostFailure('forge.example.com:3000 could not be reached.'))],
])('an answer of %s deploys nothing', async (_, get) => {
  const { service, deps: at } = await checkedService();
  await service.push();
  await lookAtChecks({ ...at(60), gitHostReads: { get } });
  expect((await service.awaited()).detail).toContain('forge.example.com:3000');
  await lookAtChecks({ ...at(3_700), gitHostReads: { get } });
  expect(await service.awaited()).toMatchObject({ state: 'over' });
  expect(await service.deployments()).toEqual([]);
});

test('a private address is not asked, unless the operator allows it', async () => {
  const { service, look, asked } = await checkedService();
  await env.DB.prepare("update services set repo_url = 'https://10.0.0.7/team/app.git' where id = ?")
    .bind(service.id)
    .run();
  await env.DB.prepare("update git_credentials set host = '10.0.0.7'").run();
  await env.DB.prepare('update git_webhooks set repo_url = null where service_id = ?').bind(service.id).run();
  await service.push();
  await look(60);
  expect(await service.awaited()).toMatchObject({
    state: 'unread',
    detail: expect.stringContaining('private address'),
  });
  expect(asked).toEqual([]);
});

test('a push whose host was revoked meanwhile is given up with the way out', async () => {
  const { service, report, look, runner } = await checkedService();
  await report({ name: 'build', state: 'success' });
  await service.push();
  await env.DB.prepare('update runners set revoked_at = 1 where id = ?').bind(runner.id).run();
  await look(60);
  expect(await service.awaited()).toMatchObject({
    state: 'over',
    detail: expect.stringContaining('revoked'),
  });
});

test('a push after the setting was switched off is deployed, although a deployment bound to another commit is queued', async () => {
  const { service, report, look } = await checkedService();
  await report({ name: 'build', state: 'success' });
  const first = { deliveryId: 'first', pushedAt: 1_790_000_004 };
  await service.push(first);
  await service.push({ sha: nextSha });
  await look(60);
  await env.DB.prepare('update deployments set created_at = created_at - 120000 where service_id = ?')
    .bind(service.id)
    .run();
  await service.set({ waitForChecks: false });
  // Back to the earlier commit, which the queued deployment does not fetch.
  expect((await service.push({ pushedAt: 1_790_000_005 })).reason).toBeNull();
  expect((await service.deployments()).map(({ ref }) => ref)).toEqual([nextSha, null]);
});

test('a rollback is a decision against the push that waits', async () => {
  const { service, report, look, runner } = await checkedService();
  const { deployment: before } = await insertDeploymentOf(service.id, {
    job: { state: 'succeeded' },
    deployment: { status: 'superseded', sealedSnapshot: 'sealed' },
  });
  await report({ name: 'build', state: 'success' });
  await service.push();
  const rollback = await insertDeployment(deps.db, {
    ...{
      id: 'dep_back',
      jobId: 'job_back',
      serviceId: service.id,
      trigger: 'rollback',
      sourceDeploymentId: before.id,
    },
    ...{ startedBy: platform, createdAt: deps.now() },
  });
  expect(rollback).toBe(runner.id);
  await look(60);
  expect([await service.awaited(), (await service.row())?.state]).toEqual([null, 'dropped']);
  expect(await service.deployments()).toHaveLength(2);
});

test('an event of a check does not shorten a wait that the git host requested', async () => {
  const { service, call, look } = await checkedService({ token: 'busy' });
  await service.push();
  await look(60);
  const before = (await service.row())?.nextLookAt;
  const { headers, body } = await gitHub(service.secret, 'status', JSON.stringify({ sha: headSha }));
  await call('POST', `/api/hooks/git/${service.id}`, { raw: body, headers });
  expect((await service.row())?.nextLookAt).toBe(before);
});
