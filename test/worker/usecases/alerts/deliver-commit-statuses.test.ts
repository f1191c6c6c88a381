/** Commit statuses: the newest state of a commit reaches its git host, which is a receiver beside workerd. */
import { env } from 'cloudflare:workers';
import { eq } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import { createDependencies } from '../../../../worker/context.ts';
import { createWebhookPosts } from '../../../../worker/gateways/webhook-posts.ts';
import { auditLog } from '../../../../worker/store/schema/audit.ts';
import { commitStatuses, gitWebhookDeliveries } from '../../../../worker/store/schema/git-webhooks.ts';
import { deliverCommitStatuses } from '../../../../worker/usecases/alerts/deliver-commit-statuses.ts';
import { createClient, deps, insertKey } from '../../../support/worker/api.ts';
import { FakeRunner } from '../../../support/worker/fake-runner.ts';
import { newHost } from '../../../support/worker/host.ts';
import { receivedAt, receiverUrl } from '../../../support/worker/servers/webhook-receiver.ts';

const call = createClient();
const { token } = await insertKey();
const minuteMs = 60_000;
const sha = 'a'.repeat(40);
const host = 'git.example.com';
const statusPath = (commit: string) => `/api/v1/repos/team/app/statuses/${commit}`;

beforeEach(async () => {
  const tables = ['git_credentials', 'commit_statuses', 'audit_log'];
  await env.DB.batch(tables.map((name) => env.DB.prepare(`delete from ${name}`)));
});

/** A git host whose API is a receiver of this test alone. */
function gitHost(behaviour?: string) {
  const base = receiverUrl(behaviour);
  const posts = createWebhookPosts(
    (input, init) => fetch(String(input).replace(`https://${host}`, base), init),
    10_000,
  );
  const deliver = (minutes = 1) =>
    deliverCommitStatuses({
      ...createDependencies(env),
      webhookPosts: posts,
      now: () => Date.now() + minutes * minuteMs,
    });
  const statuses = async (commit = sha) => {
    const got = await receivedAt(`${base}${statusPath(commit)}`);
    return got.map(({ body, headers }) => ({ ...JSON.parse(body), authorization: headers.authorization }));
  };
  return { deliver, statuses };
}

const newCredential = async (more: object = { commitStatus: 'gitea' }) =>
  (await call('POST', '/api/git-credentials', { token, body: { host, token: 'hunter2', ...more } })).body
    .gitCredential;
const shown = async () => (await call('GET', '/api/git-credentials', { token })).body.gitCredentials[0];
const waiting = () => deps.db.select().from(commitStatuses);

async function pushed() {
  const machine = await newHost();
  const runner = await FakeRunner.connect(machine.keys);
  const service = await machine.addService({ repoUrl: `https://${host}/team/app.git`, repoFullName: '' });
  const deploy = async () => {
    const { body } = await call('POST', `/api/services/${service.id}/deployments`, { token });
    const start = await runner.next('start');
    const phase = (facts: object) =>
      runner.report(start, { type: 'phase', phase: 'build', facts: { commitSha: sha, ...facts } } as never);
    const end = (result: object) => runner.report(start, { type: 'result', result } as never);
    return { id: body.deployment.id as string, phase, end };
  };
  return { service, deploy };
}

test('a commit is pending while it is built, and then succeeds with the address of its service', {
  tags: 'slow',
}, async () => {
  const git = gitHost();
  await newCredential();
  const { deploy } = await pushed();
  const { phase, end } = await deploy();
  await phase({});
  expect(await git.deliver()).toBe(1);
  await end({ outcome: 'succeeded', facts: { commitSha: sha } });
  expect(await git.deliver(2)).toBe(1);
  const context = expect.stringMatching(/^longshore\/[a-z0-9-]+\/[a-z0-9-]+$/);
  expect(await git.statuses()).toEqual([
    expect.objectContaining({ state: 'pending', context, authorization: 'token hunter2' }),
    expect.objectContaining({ state: 'success', context, target_url: expect.stringMatching(/^http/) }),
  ]);
  expect([await waiting(), await git.deliver(3)]).toEqual([[], 0]);
});

test('a commit that fails tells the reason, and only its newest state is sent', {
  tags: 'slow',
}, async () => {
  const git = gitHost();
  await newCredential();
  const { deploy } = await pushed();
  const { phase, end } = await deploy();
  await phase({});
  await end({
    outcome: 'failed',
    code: 'build_failed',
    message: 'npm install failed.',
    facts: { commitSha: sha },
  });
  await git.deliver();
  expect(await git.statuses()).toMatchObject([{ state: 'failure', description: 'npm install failed.' }]);
});

test('a pushed commit is pending while its deployment waits, and ends when a newer one is deployed in its place', {
  tags: 'slow',
}, async () => {
  const git = gitHost();
  await newCredential();
  const { service, deploy } = await pushed();
  const { id: deploymentId, end } = await deploy();
  const commitSha = 'b'.repeat(40);
  const delivery = { serviceId: service.id, deliveryId: 'one', commitSha, deploymentId, createdAt: 0 };
  await deps.db.insert(gitWebhookDeliveries).values(delivery);
  await git.deliver();
  await end({ outcome: 'succeeded', facts: { commitSha: sha } });
  await git.deliver(2);
  expect(await git.statuses()).toMatchObject([{ state: 'success' }]);
  expect(await git.statuses(commitSha)).toMatchObject([
    { state: 'pending' },
    { state: 'error', description: 'A newer commit was deployed in its place.' },
  ]);
});

test('without a credential that asks for them there are no statuses', { tags: 'slow' }, async () => {
  await newCredential({ commitStatus: null });
  const { deploy } = await pushed();
  const { end } = await deploy();
  await end({ outcome: 'succeeded', facts: { commitSha: sha } });
  expect(await waiting()).toEqual([]);
});

test('a git host that refuses is not asked again, and the credential says why until it is changed', {
  tags: 'slow',
}, async () => {
  const git = gitHost('status/403');
  const { id } = await newCredential();
  const { deploy } = await pushed();
  const { id: deploymentId, end } = await deploy();
  await end({ outcome: 'succeeded', facts: { commitSha: sha } });
  expect([await git.deliver(), await git.deliver(60)]).toEqual([1, 0]);
  expect((await shown()).commitStatusFailure).toBe(
    'git.example.com does not let the token write commit statuses of the repository (HTTP 403).',
  );
  const entries = await deps.db.select().from(auditLog).where(eq(auditLog.resourceId, deploymentId));
  expect(entries.map(({ route }) => route)).toContain('commit_status.undelivered running');
  await call('PATCH', `/api/git-credentials/${id}`, { token, body: { commitStatus: 'gitea' } });
  expect((await shown()).commitStatusFailure).toBeNull();
});

test('a git host that is away gets the state when it is back', { tags: 'slow' }, async () => {
  const away = gitHost('status/502');
  const back = gitHost();
  await newCredential();
  const { deploy } = await pushed();
  const { end } = await deploy();
  await end({ outcome: 'succeeded', facts: { commitSha: sha } });
  await away.deliver();
  expect([await back.deliver(1), await back.deliver(3)]).toEqual([0, 1]);
  expect(await back.statuses()).toMatchObject([{ state: 'success' }]);
});
