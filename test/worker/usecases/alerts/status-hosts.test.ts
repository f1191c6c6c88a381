/** Commit statuses at the APIs of git hosts, which stand beside workerd and refuse as their documentation says. */
import { env } from 'cloudflare:workers';
import { beforeEach, expect, inject, test } from 'vitest';
import { createDependencies } from '../../../../worker/context.ts';
import type { CommitState } from '../../../../worker/domain/sources/commit-status/commit-status.ts';
import type { StatusApi } from '../../../../worker/domain/sources/commit-status/status-apis.ts';
import { createWebhookPosts } from '../../../../worker/gateways/webhook-posts.ts';
import { commitStatuses } from '../../../../worker/store/schema/git-webhooks.ts';
import { deliverCommitStatuses } from '../../../../worker/usecases/alerts/deliver-commit-statuses.ts';
import { createClient, deps, insertKey } from '../../../support/worker/api.ts';
import { newHost } from '../../../support/worker/host.ts';

declare module 'vitest' {
  interface ProvidedContext {
    statusHosts: string;
  }
}

const call = createClient();
const { token: key } = await insertKey();
const machine = await newHost();
const minuteMs = 60_000;
const sha = 'a'.repeat(40);
let count = 0;

const hosts: Record<StatusApi, string> = {
  github: 'github.com',
  gitlab: 'gitlab.com',
  gitea: 'forge.example.com:3000',
  bitbucket: 'bitbucket.org',
};
const origins = (host: string) => [`https://api.${host}`, `https://${host}`];

beforeEach(async () => {
  const tables = ['git_credentials', 'commit_statuses', 'audit_log'];
  await env.DB.batch(tables.map((name) => env.DB.prepare(`delete from ${name}`)));
});

/** A git host with this API, a service of its repository `team/app`, and a credential that reports with this token. */
async function gitHost(api: StatusApi, token = 'good', host = hosts[api]) {
  const base = `${inject('statusHosts')}/${api}/${++count}`;
  const asked: string[] = [];
  const webhookPosts = createWebhookPosts((input, init) => {
    asked.push(String(input));
    const origin = origins(host).find((one) => String(input).startsWith(`${one}/`));
    if (origin === undefined) throw new TypeError(`no such host: ${input}`);
    return fetch(String(input).replace(origin, base), init);
  }, 10_000);
  const service = await machine.addService({ repoUrl: `https://${host}/team/app.git`, repoFullName: '' });
  const { deployment } = (await call('POST', `/api/services/${service.id}/deployments`, { token: key })).body;
  const body = { host, token, commitStatus: api };
  expect((await call('POST', '/api/git-credentials', { token: key, body })).status).toBe(200);
  let version = 0;
  return {
    asked,
    deploymentId: deployment.id as string,
    /** The deployment of a commit comes into this state. */
    async enters(state: CommitState, commitSha = sha) {
      version += 1;
      await deps.db
        .insert(commitStatuses)
        .values({
          ...{ serviceId: service.id, commitSha, deploymentId: deployment.id },
          ...{ state, version, attempts: 0, nextAttemptAt: 0 },
        })
        .onConflictDoUpdate({
          target: [commitStatuses.serviceId, commitStatuses.commitSha],
          set: { state, version, attempts: 0, nextAttemptAt: 0 },
        });
    },
    deliver: (minutes = 0) =>
      deliverCommitStatuses({
        ...createDependencies(env),
        webhookPosts,
        now: () => Date.now() + minutes * minuteMs,
      }),
    taken: async () => (await (await fetch(base)).json()) as { state: string }[],
  };
}

const failureShown = async () =>
  (await call('GET', '/api/git-credentials', { token: key })).body.gitCredentials[0].commitStatusFailure;
const undelivered = async () =>
  (await env.DB.prepare("select 1 from audit_log where route like 'commit_status.undelivered%'").all())
    .results.length;

test.each<[StatusApi, string, string[]]>([
  ['github', 'github.com', ['pending', 'pending', 'success', 'failure', 'error', 'error']],
  ['github', 'ghe.example.com', ['pending', 'pending', 'success', 'failure', 'error', 'error']],
  ['github', 'acme.ghe.com', ['pending', 'pending', 'success', 'failure', 'error', 'error']],
  ['gitlab', 'gitlab.example.com', ['pending', 'running', 'success', 'failed', 'canceled', 'canceled']],
  ['gitea', 'forge.example.com:3000', ['pending', 'pending', 'success', 'failure', 'error', 'error']],
  ['bitbucket', 'bitbucket.org', ['INPROGRESS', 'INPROGRESS', 'SUCCESSFUL', 'FAILED', 'STOPPED', 'STOPPED']],
])('%s at %s takes each state', { tags: 'slow' }, async (api, host, states) => {
  const git = await gitHost(api, 'good', host);
  for (const state of ['queued', 'building', 'running', 'failed', 'aborted', 'replaced'] as const) {
    await git.enters(state);
    await git.deliver();
  }
  expect((await git.taken()).map(({ state }) => state)).toEqual(states);
  expect([await failureShown(), await undelivered()]).toEqual([null, 0]);
  if (host === 'acme.ghe.com') expect(git.asked[0]).toMatch(/^https:\/\/api\.acme\.ghe\.com\/repos\//);
});

test('GitLab is not blamed for a status that it has already, or that it can not go back to', {
  tags: 'slow',
}, async () => {
  const git = await gitHost('gitlab');
  for (const state of ['building', 'building', 'queued', 'running', 'queued', 'failed'] as const) {
    await git.enters(state);
    await git.deliver();
    expect([state, await failureShown(), await undelivered()]).toEqual([state, null, 0]);
  }
  const states = (await git.taken()).map(({ state }) => state);
  expect(states).toEqual(['running', 'success', 'pending', 'failed']);
});

const apis = Object.keys(hosts) as StatusApi[];
const refusals: [string, string][] = [
  ['expired', 'refused the token (HTTP 401): it is wrong, has expired or was revoked.'],
  ['narrow', 'does not let the token write commit statuses of the repository (HTTP 403).'],
  ['stranger', 'does not let the token write commit statuses of the repository (HTTP 404).'],
  ['unknown-commit', 'does not take the status (HTTP 422): it does not have the commit,'],
];
test.each(apis.flatMap((api) => refusals.map(([token, why]) => [api, token, why] as const)))(
  '%s that refuses the token %s is not asked again, and the credential says why',
  { tags: 'slow' },
  async (api, token, why) => {
    const git = await gitHost(api, token);
    await git.enters('running');
    expect([await git.deliver(), await git.deliver(60)]).toEqual([1, 0]);
    expect(await failureShown()).toContain(`${hosts[api]} ${why}`);
    expect([await undelivered(), git.asked.length]).toEqual([1, 1]);
  },
);

const limits: [StatusApi, string][] = [
  ...apis.map((api): [StatusApi, string] => [api, 'busy']),
  ['gitlab', 'busy-until'],
  ['github', 'limited'],
  ['gitea', 'maintenance'],
];
test.each(limits)(
  '%s that asks to wait (%s) is asked again after that time, and not before',
  {
    tags: 'slow',
  },
  async (api, token) => {
    const git = await gitHost(api, token);
    await git.enters('running');
    // It asks for 20 minutes; without that the second attempt is a minute later.
    expect([await git.deliver(), await git.deliver(19), await git.deliver(21)]).toEqual([1, 0, 1]);
    expect([await undelivered(), git.asked.length]).toEqual([0, 2]);
  },
);

test("GitHub's limit that only its words tell is no refusal", { tags: 'slow' }, async () => {
  const git = await gitHost('github', 'secondary');
  await git.enters('running');
  expect([await git.deliver(), await git.deliver(2)]).toEqual([1, 1]);
  expect(await undelivered()).toBe(0);
});

test('a push to many services is told in a few minutes, ten a minute, and nothing is lost', {
  tags: 'slow',
}, async () => {
  const git = await gitHost('github');
  for (let n = 0; n < 40; n++) await git.enters('running', n.toString(16).padStart(40, '0'));
  const sent = [];
  for (let minute = 0; minute < 5; minute++) sent.push(await git.deliver(minute));
  expect(sent).toEqual([10, 10, 10, 10, 0]);
  expect(await git.taken()).toHaveLength(40);
});
