/** A service that waits for checks, at a git host that stands beside workerd (support/servers/status-hosts). */
import { env } from 'cloudflare:workers';
import { eq } from 'drizzle-orm';
import { expect, inject } from 'vitest';
import { createDependencies } from '../../../worker/context.ts';
import type { StatusApi } from '../../../worker/domain/sources/commit-status/status-apis.ts';
import { createGitHostReads } from '../../../worker/gateways/git-host-reads.ts';
import { createWebhookPosts } from '../../../worker/gateways/webhook-posts.ts';
import { deployments } from '../../../worker/store/schema/deployments.ts';
import { awaitedPushes } from '../../../worker/store/schema/git-webhooks.ts';
import { deliverCommitStatuses } from '../../../worker/usecases/alerts/deliver-commit-statuses.ts';
import type { Dependencies } from '../../../worker/usecases/dependencies.ts';
import { lookAtChecks } from '../../../worker/usecases/sources/look-at-checks.ts';
import type { Reported } from '../servers/commit-checks-answers.ts';
import { gitHubPush, type PushFields } from '../servers/git-deliveries.ts';
import { createClient, deps, insertKey, insertProject, insertRunner, insertService } from './api.ts';

declare module 'vitest' {
  interface ProvidedContext {
    statusHosts: string;
  }
}

const hostsOf: Record<StatusApi, string> = {
  github: 'github.com',
  gitlab: 'gitlab.com',
  gitea: 'forge.example.com:3000',
  bitbucket: 'bitbucket.org',
};

const call = createClient();
const { token: key } = await insertKey();
let count = 0;

export interface Scene {
  api?: StatusApi;
  /** What the git host gets: `good`, or one that it refuses (status-hosts). */
  token?: string;
  host?: string;
  repoUrl?: string;
}

/** @returns the service with its webhook, and the minutes of its cron */
export async function checkedService({
  api = 'gitea',
  token = 'good',
  host = hostsOf[api],
  repoUrl,
}: Scene = {}) {
  await env.DB.batch(
    ['awaited_pushes', 'git_credentials', 'commit_statuses', 'events'].map((name) =>
      env.DB.prepare(`delete from ${name}`),
    ),
  );
  const project = await insertProject();
  const runner = await insertRunner();
  const url = repoUrl ?? `https://${host}/team/app.git`;
  const base = `${inject('statusHosts')}/${api}/checks-${++count}`;
  const asked: string[] = [];
  const beside = (input: RequestInfo | URL, init?: RequestInit) => {
    const { pathname, search, host: name } = new URL(String(input));
    if (name !== host && name !== `api.${host}`) throw new TypeError(`no such host: ${input}`);
    if (init?.method === 'GET') asked.push(String(input));
    return fetch(`${base}${pathname}${search}`, init);
  };
  const credential = { host, token, commitStatus: api };
  expect((await call('POST', '/api/git-credentials', { token: key, body: credential })).status).toBe(200);
  const at = (seconds: number): Dependencies => ({
    ...createDependencies(env),
    ...{ gitHostReads: createGitHostReads(beside, 10_000), webhookPosts: createWebhookPosts(beside, 10_000) },
    now: () => Date.now() + seconds * 1000,
  });
  const more = async () => {
    const service = await insertService({
      ...{ projectId: project.id, runnerId: runner.id, repoUrl: url, repoFullName: null },
    });
    const path = `/api/services/${service.id}`;
    const set = await call('PATCH', path, { token: key, body: { waitForChecks: true } });
    expect([set.status, set.body.service?.waitForChecks], set.text).toEqual([200, true]);
    const { secret } = (await call('POST', `${path}/webhook`, { token: key })).body.webhook;
    return {
      id: service.id,
      path,
      secret,
      async push(fields: PushFields = {}) {
        const { headers, body } = await gitHubPush(secret, fields);
        const reply = await call('POST', `/api/hooks/git/${service.id}`, { raw: body, headers });
        expect(reply.status, reply.text).toBe(200);
        return reply.body as { deployment: { id: string } | null; reason: string | null };
      },
      deployments: () =>
        deps.db
          .select()
          .from(deployments)
          .where(eq(deployments.serviceId, service.id))
          .orderBy(deployments.createdAt),
      awaited: async () => (await call('GET', `${path}/awaited-push`, { token: key })).body.awaitedPush,
      row: async () =>
        (await deps.db.select().from(awaitedPushes).where(eq(awaitedPushes.serviceId, service.id)))[0],
      set: (body: object) => call('PATCH', path, { token: key, body }),
    };
  };
  const first = await more();
  return {
    ...{ call, key, project, runner, asked, more, deps: at },
    service: first,
    /** CI reports these checks. */
    report: (...checks: Reported[]) => fetch(base, { method: 'PUT', body: JSON.stringify(checks) }),
    /** Runs the cron this many seconds after now. */
    look: (seconds: number) => lookAtChecks(at(seconds)),
    tell: (seconds: number) => deliverCommitStatuses(at(seconds)),
    /** Statuses that Longshore has sent. */
    told: async () => (await (await fetch(base)).json()) as { state: string; description: string }[],
  };
}
