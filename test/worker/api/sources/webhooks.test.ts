/** Deployments by pushes: who may make a webhook, what proves a delivery, and what is queued for it. */
import { env } from 'cloudflare:workers';
import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { platform } from '../../../../worker/domain/access/initiator.ts';
import { minuteMs, minuteOf } from '../../../../worker/domain/values/minute-counts.ts';
import { isolateMemory } from '../../../../worker/http/isolate-memory.ts';
import { deployments } from '../../../../worker/store/schema/deployments.ts';
import { gitWebhooks } from '../../../../worker/store/schema/git-webhooks.ts';
import { jobs } from '../../../../worker/store/schema/jobs.ts';
import type { Dependencies } from '../../../../worker/usecases/dependencies.ts';
import { rollbackDeployment } from '../../../../worker/usecases/deployments/rollback-deployment.ts';
import { pruneRecords } from '../../../../worker/usecases/instance/prune-records.ts';
import { transferService } from '../../../../worker/usecases/services/transfer-service.ts';
import { renewWebhook } from '../../../../worker/usecases/sources/renew-webhook.ts';
import {
  bitbucket,
  bitbucketCloudPush,
  bitbucketServerPush,
  type Delivery,
  giteaPush,
  gitHub,
  gitHubPush,
  gitLabPush,
  headSha,
  hmacHex,
  type PushFields,
  standardHeaders,
  zeros,
} from '../../../support/servers/git-deliveries.ts';
import {
  createClient,
  deps,
  insertKey,
  insertProject,
  insertService,
  type Json,
  operatorToken,
} from '../../../support/worker/api.ts';
import { insertDeploymentOf, insertHostedService, rowsOf } from '../../../support/worker/deployment-rows.ts';

const call = createClient();
const otherSha = 'a'.repeat(40);

const token = (await insertKey()).token;

const make = async (serviceId: string, as = token) =>
  (await call('POST', `/api/services/${serviceId}/webhook`, { token: as })).body.webhook;
const read = async (serviceId: string) =>
  (await call('GET', `/api/services/${serviceId}/webhook`, { token })).body.webhook;
const deliver = (serviceId: string, { headers, body }: Delivery) =>
  call('POST', `/api/hooks/git/${serviceId}`, { raw: body, headers });

/** A service with a webhook, and a way to push to it. */
async function scene() {
  const { project, runner, service } = await insertHostedService();
  const { secret } = await make(service.id);
  const push = async (fields: PushFields = {}) =>
    (await deliver(service.id, await gitHubPush(secret, fields))).body;
  return { project, runner, service, secret, push };
}

const deploymentsOf = (serviceId: string) =>
  deps.db.select().from(deployments).where(eq(deployments.serviceId, serviceId));

/** As the runner's reports would have it. */
async function become(deploymentId: string, status: 'building' | 'running' | 'failed', commitSha?: string) {
  const { job } = await rowsOf(deploymentId);
  const state = { building: 'active', running: 'succeeded', failed: 'failed' } as const;
  await deps.db.batch([
    deps.db.update(jobs).set({ state: state[status] }).where(eq(jobs.id, job.id)),
    deps.db
      .update(deployments)
      .set({ status, ...(commitSha === undefined ? {} : { commitSha }) })
      .where(eq(deployments.id, deploymentId)),
  ]);
}

test('the webhook of a service is made, read, renewed and ended; its secret is shown once and sealed at rest', {
  tags: 'slow',
}, async () => {
  const { project, service } = await insertHostedService();
  expect(await read(service.id)).toBeNull();
  const made = await make(service.id);
  expect(made).toEqual({
    url: `https://longshore.test/api/hooks/git/${service.id}`,
    secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    events: ['push'],
  });
  const shown = await read(service.id);
  expect(shown).toEqual({ url: made.url, createdAt: expect.any(String) });
  const row = () => deps.db.select().from(gitWebhooks).where(eq(gitWebhooks.serviceId, service.id));
  expect(JSON.stringify(await row())).not.toContain(made.secret);
  const renewed = await make(service.id);
  expect(renewed.secret).not.toBe(made.secret);
  expect((await deliver(service.id, await gitHubPush(made.secret))).status).toBe(401);
  expect((await deliver(service.id, await gitHubPush(renewed.secret))).status).toBe(200);
  const path = `/api/services/${service.id}/webhook`;
  expect((await call('DELETE', path, { token })).body).toEqual({ ok: true });
  expect((await deliver(service.id, await gitHubPush(renewed.secret))).status).toBe(401);
  expect(await read(service.id)).toBeNull();
  await make(service.id);
  await call('DELETE', `/api/projects/${project.id}`, { token });
  expect(await row()).toEqual([]);
});

test('the webhook of a service is for services of a repository, and for keys that write', async () => {
  const { project, runner, service } = await insertHostedService();
  const image = await insertService({ projectId: project.id, runnerId: runner.id, kind: 'image' });
  const refused = await call('POST', `/api/services/${image.id}/webhook`, { token });
  expect([refused.status, refused.body.code]).toEqual([400, 'unsupported']);
  const reader = (await insertKey({ access: 'read' })).token;
  expect((await call('POST', `/api/services/${service.id}/webhook`, { token: reader })).status).toBe(403);
});

test('the webhook of a service moves to the other project: the same secret opens with its key', async () => {
  const { service, push } = await scene();
  const target = await insertProject();
  const path = `/api/services/${service.id}/transfer`;
  const { status } = await call('POST', path, { token, body: { targetProjectId: target.id } });
  expect(status).toBe(200);
  expect((await push()).deployment.trigger).toBe('webhook');
});

test('a webhook secret renewed during a transfer moves too, and one sealed during it is refused', async () => {
  const { project, service } = await scene();
  const [target, last] = [await insertProject(), await insertProject()];
  const keyId = (await insertKey()).id;
  const held = { baseAccess: 'write' as const, ownLevels: [], initiator: platform };
  const scope = { keyId, tenantId: 'default', allProjects: true, ...held };
  let renewed = '';
  const renewMeanwhile = meanwhile(async () => {
    renewed = (await make(service.id)).secret;
  });
  await transferService(renewMeanwhile, { service, project }, { scope, targetId: target.id });
  expect((await deliver(service.id, await gitHubPush(renewed))).status).toBe(200);
  const moveMeanwhile = meanwhile(async () => {
    const body = { targetProjectId: last.id };
    await call('POST', `/api/services/${service.id}/transfer`, { token, body });
  });
  await expect(renewWebhook(moveMeanwhile, { service, project: target })).rejects.toThrow('transferred');
  expect((await deliver(service.id, await gitHubPush(renewed))).status, 'as it was').toBe(200);
});

/** Something happens at the moment when a secret is sealed for the first time. */
function meanwhile(happens: () => Promise<void>): Dependencies {
  let isOver = false;
  const seal: Dependencies['envelope']['seal'] = async (...sealing) => {
    const sealed = await deps.envelope.seal(...sealing);
    if (!isOver) {
      isOver = true;
      await happens();
    }
    return sealed;
  };
  return { ...deps, envelope: { ...deps.envelope, seal } };
}

const asForm = { 'content-type': 'application/x-www-form-urlencoded' };

const hosts: Record<string, (secret: string, fields?: PushFields) => Promise<Delivery> | Delivery> = {
  GitHub: gitHubPush,
  'GitHub, as a form': async (secret, fields) => {
    const { headers, body } = await gitHubPush(secret, fields);
    const form = new URLSearchParams({ payload: body }).toString();
    return {
      headers: { ...headers, ...(await gitHub(secret, 'push', form)).headers, ...asForm },
      body: form,
    };
  },
  'GitLab with a secret token': (secret, fields) => {
    const { headers, body } = gitLabPush(fields);
    return { headers: { ...headers, 'x-gitlab-token': secret }, body };
  },
  'GitLab with a secret token, sent by curl -d, which calls JSON a form': (secret, fields) => {
    const { headers, body } = gitLabPush(fields);
    return { headers: { ...headers, ...asForm, 'x-gitlab-token': secret }, body };
  },
  'GitLab with a signing token': async (secret, fields) => {
    const { headers, body } = gitLabPush(fields);
    return { headers: { ...headers, ...(await standardHeaders(secret, body)) }, body };
  },
  Gitea: (secret, fields) => giteaPush(secret, 'gitea', fields),
  Forgejo: (secret, fields) => giteaPush(secret, 'forgejo', fields),
  'Bitbucket Cloud': bitbucketCloudPush,
  'Bitbucket Data Center': bitbucketServerPush,
};

/** As their deliveries name the person; all others are of GitLab. */
const pushers: Record<string, string> = {
  ...{
    GitHub: 'octo',
    'GitHub, as a form': 'octo',
    Gitea: 'octo',
    Forgejo: 'octo',
    'Bitbucket Cloud': 'octo',
  },
  'Bitbucket Data Center': 'admin',
};

test.each(Object.entries(hosts))(
  'a push by %s to the branch is deployed; one to another branch, and its deletion, are not',
  async (name, sent) => {
    const { service, secret } = await scene();
    const ask = async (fields?: PushFields): Promise<Json> => {
      const reply = await deliver(service.id, await sent(secret, fields));
      expect([reply.status, reply.body.ok], reply.text).toEqual([200, true]);
      return reply.body;
    };
    expect(await ask({ branch: 'mainly' })).toMatchObject({
      deployment: null,
      reason: 'The service deploys the branch "main"; this push is to another branch.',
    });
    expect(await ask({ sha: zeros })).toMatchObject({
      deployment: null,
      reason: 'The push deletes the branch "main".',
    });
    expect(await ask()).toMatchObject({
      deployment: {
        ...{ serviceId: service.id, status: 'queued', trigger: 'webhook', commitSha: null },
        startedBy: { type: 'push', id: null, name: pushers[name] ?? 'John Smith' },
      },
      reason: null,
    });
    expect(await deploymentsOf(service.id)).toHaveLength(1);
  },
);

test('a push that a queued deployment covers makes it that of the last person, unless somebody started it by hand', async () => {
  const { service, push } = await scene();
  const first = await push({ details: { pusher: { name: 'ada' } } });
  const second = { details: { pusher: { name: 'grace' } }, deliveryId: 'second', pushedAt: 1 };
  expect((await push(second)).deployment).toMatchObject({
    ...{ id: first.deployment.id, startedBy: { type: 'push', name: 'grace' } },
  });
  await push({ details: { pusher: { name: 'ada' } } });
  // A delivery that is sent again is of its first time.
  expect((await push(second)).deployment.startedBy.name).toBe('ada');
  await become(first.deployment.id, 'running', headSha);
  const byHand = (await call('POST', `/api/services/${service.id}/deployments`, { token })).body.deployment;
  await deps.db.update(deployments).set({ commitSha: otherSha }).where(eq(deployments.id, byHand.id));
  expect((await push({ sha: otherSha })).deployment).toMatchObject({
    id: byHand.id,
    startedBy: { type: 'key' },
  });
});

test.each([{ pusher: null }, { pusher: { name: 7 } }, { pusher: 'octo' }, { pusher: { name: '  ' } }])(
  'a push by GitHub that names nobody readable is deployed: %j',
  async (details) => {
    const { push } = await scene();
    expect((await push({ details })).deployment.startedBy).toEqual({ type: 'push', id: null, name: null });
  },
);

test('the name of a person who pushed is cut to a length for people, and is in the audit log', async () => {
  const { push } = await scene();
  const name = 'x'.repeat(100);
  expect((await push({ details: { pusher: { name: `${name}yz` } } })).deployment.startedBy.name).toBe(name);
  const audit = await call('GET', '/api/system/audit?actor=webhook&limit=1', { token: operatorToken });
  expect(audit.body.entries[0].actedBy).toEqual({ type: 'push', id: null, name });
});

test('a ping, other events and tags are answered with the reason', async () => {
  const { service, secret } = await scene();
  const zen = JSON.stringify({ zen: 'Design for failure.', hook_id: 1, hook: { events: ['push'] } });
  const answers = await Promise.all(
    [
      gitHub(secret, 'ping', zen),
      bitbucket(secret, 'diagnostics:ping', '{"test":true}'),
      gitHub(secret, 'issues', '{"action":"opened"}'),
      gitHubPush(secret, { ref: 'refs/tags/main' }),
      bitbucketCloudPush(secret, { type: 'tag' }),
    ].map(async (delivery) => (await deliver(service.id, await delivery)).body),
  );
  expect(answers.map(({ deployment }) => deployment)).toEqual([null, null, null, null, null]);
  expect(answers.map(({ reason }) => reason.slice(0, 22))).toEqual([
    'The webhook works: pus',
    'The webhook works: pus',
    'Only pushes are deploy',
    'The service deploys th',
    'The service deploys th',
  ]);
  expect(await deploymentsOf(service.id)).toEqual([]);
});

test('a signed delivery that makes no sense is 400 with a clear reason', async () => {
  const { service, secret } = await scene();
  const errors = await Promise.all(
    [
      gitHub(secret, 'push', '{"ref":'),
      gitHub(secret, 'push', '{"ref":"refs/heads/main"}'),
      gitHub(secret, 'push', `{"ref":"refs/heads/main","after":"${'g'.repeat(40)}"}`),
      { headers: { 'x-gitlab-token': secret }, body: '{}' },
    ].map(async (delivery) => (await deliver(service.id, await delivery)).body.error),
  );
  expect(errors).toEqual([
    'The body is not JSON: send one JSON object.',
    'The field "after" is missing.',
    'The field "after" must be a commit id.',
    expect.stringContaining('The header that names the event is missing'),
  ]);
});

test('pushes that follow each other share the deployment that waits; one that is running is followed by another', async () => {
  const { service, push } = await scene();
  const first = await push({ sha: headSha });
  const second = await push({ sha: otherSha });
  expect(second.deployment.id).toBe(first.deployment.id);
  expect(second.reason).toContain('already includes this push');
  await become(first.deployment.id, 'building');
  const third = await push({ sha: 'b'.repeat(40) });
  expect(third.deployment.id).not.toBe(first.deployment.id);
  expect(await deploymentsOf(service.id)).toHaveLength(2);
});

test('simultaneous pushes queue one deployment', async () => {
  const { service, push } = await scene();
  const shas = Array.from({ length: 8 }, (_, n) => `${n}`.repeat(40).replace(/^0/, 'f'));
  const answers = await Promise.all(shas.map((sha) => push({ sha })));
  expect(new Set(answers.map(({ deployment }) => deployment.id)).size).toBe(1);
  expect(await deploymentsOf(service.id)).toHaveLength(1);
});

test('a delivery that is repeated finds its deployment, whatever its state is, and says what to do', async () => {
  const { service, push } = await scene();
  const first = await push({ pushedAt: 1 });
  const shared = await push({ pushedAt: 2, sha: otherSha });
  await become(first.deployment.id, 'failed');
  const repeat = await push({ pushedAt: 1 });
  expect(repeat.deployment).toMatchObject({ id: first.deployment.id, status: 'failed' });
  expect(repeat.reason).toBe(
    'This push was received before, and its deployment failed. A push is deployed once: deploy the service again (POST /api/services/:serviceId/deployments), or push another commit.',
  );
  expect((await push({ pushedAt: 2, sha: otherSha })).deployment.id).toBe(shared.deployment.id);
  expect(await deploymentsOf(service.id)).toHaveLength(1);
  const again = await push({ pushedAt: 3 });
  expect(again.deployment, 'a new push after a failure').toMatchObject({ status: 'queued' });
  expect(await deploymentsOf(service.id)).toHaveLength(2);
});

// The secret token signs nothing: who has recorded it can send whatever they like.
test.each(Object.entries(hosts).filter(([name]) => !name.startsWith('GitLab with a secret token')))(
  'a delivery of %s that somebody recorded deploys nothing more, whatever is changed in its headers',
  async (_, sent) => {
    const { service, secret } = await scene();
    const recorded = await sent(secret, { pushedAt: 1 });
    const { deployment } = (await deliver(service.id, recorded)).body;
    await become(deployment.id, 'failed');
    const ids = ['x-github-delivery', 'x-gitea-delivery', 'x-forgejo-delivery', 'idempotency-key'];
    const fresh = [...ids, 'x-request-uuid', 'x-request-id'].map((name) => [name, crypto.randomUUID()]);
    const { 'x-github-event': event, ...others } = recorded.headers;
    const replays = [
      { ...recorded.headers, ...Object.fromEntries(fresh) },
      ...(event === undefined
        ? []
        : [{ ...others, ...Object.fromEntries(fresh), 'x-gitlab-event': 'Push Hook' }]),
    ];
    for (const headers of replays) {
      const reply = await deliver(service.id, { headers, body: recorded.body });
      expect(reply.body.deployment.id).toBe(deployment.id);
    }
    expect(await deploymentsOf(service.id)).toHaveLength(1);
  },
);

test('a commit that is being deployed or live is not deployed again, but one that was left is', async () => {
  const { service, push } = await scene();
  const first = await push({ sha: headSha });
  await become(first.deployment.id, 'building');
  expect((await push({ sha: headSha })).deployment.id).toBe(first.deployment.id);
  await become(first.deployment.id, 'running', headSha);
  expect((await push({ sha: headSha })).deployment.id).toBe(first.deployment.id);
  const second = await push({ sha: otherSha });
  await become(second.deployment.id, 'running', otherSha);
  const back = await push({ sha: headSha });
  expect([first.deployment.id, second.deployment.id]).not.toContain(back.deployment.id);
  expect(await deploymentsOf(service.id)).toHaveLength(3);
});

test('a push after a rollback is deployed', async () => {
  const { runner, service, push } = await scene();
  const past = await insertDeploymentOf(service.id, {
    job: { state: 'succeeded', runnerId: runner.id },
    deployment: { status: 'superseded', sealedSnapshot: 'sealed' },
  });
  const first = await push({ sha: headSha });
  await rollbackDeployment(deps, { ...past, service });
  const second = await push({ sha: otherSha });
  expect(second.deployment.id).not.toBe(first.deployment.id);
  expect((await push({ sha: 'c'.repeat(40) })).deployment.id).toBe(second.deployment.id);
});

test('a manual deployment that waits is not taken for one of a push: aborting it must not lose the push', async () => {
  const { service, push } = await scene();
  const manual = await insertDeploymentOf(service.id);
  expect((await push()).deployment.id).not.toBe(manual.deployment.id);
});

test('deliveries without an id are recognized by their commit', async () => {
  const { service, secret } = await scene();
  const send = async (sha: string) => {
    const { headers, body } = gitLabPush({ sha });
    const delivery = { headers: { ...headers, 'x-gitlab-token': secret }, body };
    return (await deliver(service.id, delivery)).body.deployment.id;
  };
  const first = await send(headSha);
  await become(first, 'running', headSha);
  expect(await send(headSha)).toBe(first);
  expect(await send(otherSha)).not.toBe(first);
});

test('an unverified delivery is 401 with one body, whether the signature, the webhook or the service is missing', async () => {
  const { service, secret } = await scene();
  const { service: bare } = await insertHostedService();
  const good = await gitHubPush(secret);
  const unsigned = { ...good.headers };
  delete unsigned['x-hub-signature-256'];
  const ask = (id: string, headers: Record<string, string>, body = good.body) =>
    deliver(id, { headers: { ...headers, 'x-request-id': 'same' }, body });
  const replies = await Promise.all([
    ask(service.id, unsigned),
    ask(service.id, { ...good.headers, 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` }),
    ask(service.id, good.headers, `${good.body} `),
    ask(service.id, { ...unsigned, 'x-gitlab-token': '' }),
    ask(service.id, { ...unsigned, authorization: `Bearer ${token}` }),
    ask(service.id, good.headers, 'not json'),
    ask(bare.id, good.headers),
    ask('svc_absent', good.headers),
    ask('svc_absent', unsigned),
  ]);
  expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 401));
  expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
  expect(await deploymentsOf(service.id)).toEqual([]);
});

test('an unverified delivery is refused when it was signed for another service, or long ago', async () => {
  const [one, other] = [await scene(), await scene()];
  expect((await deliver(other.service.id, await gitHubPush(one.secret))).status).toBe(401);
  const { headers, body } = gitLabPush();
  const signedAt = async (at: number) =>
    deliver(one.service.id, {
      headers: { ...headers, ...(await standardHeaders(one.secret, body, { at })) },
      body,
    });
  expect((await signedAt(Date.now() - 6 * minuteMs)).status).toBe(401);
  expect((await signedAt(Date.now() + 6 * minuteMs)).status).toBe(401);
  expect((await signedAt(Date.now() - 4 * minuteMs)).status).toBe(200);
});

test('an unverified delivery counts as a failed sign-in of its address, and delays no other that comes from there', {
  tags: 'slow',
}, async () => {
  const { service, secret } = await scene();
  let now = (minuteOf(Date.now()) + 5) * minuteMs;
  const client = createClient({
    dependenciesOf: () => ({ ...deps, now: () => now }),
    memory: isolateMemory({ signInGatherMs: 0 }),
  });
  const ask = async (id: string, as: string, address: string) => {
    const { headers, body } = await gitHubPush(as);
    return client('POST', `/api/hooks/git/${id}`, {
      raw: body,
      headers: { ...headers, 'cf-connecting-ip': address },
    });
  };
  const statuses: number[] = [];
  for (let n = 0; n < 62; n++) statuses.push((await ask('svc_absent', 'wrong', '192.0.2.1')).status);
  expect(statuses.slice(58)).toEqual([401, 401, 429, 429]);
  expect((await ask(service.id, secret, '192.0.2.1')).status, 'the address of a git host').toBe(200);
  const guess = { token: (await insertKey()).token, headers: { 'cf-connecting-ip': '192.0.2.1' } };
  expect((await client('GET', '/api/projects', guess)).status, 'counted with those of keys').toBe(429);
  now += minuteMs;
  expect((await ask('svc_absent', 'wrong', '192.0.2.1')).status).toBe(401);
});

test('a delivery is read up to 1 MB until one was verified with the secret, then up to 5 MB, counted while it streams', async () => {
  const { service, secret, push } = await scene();
  const endless = () =>
    new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(64 * 1024).fill(32)),
    });
  const { headers, body } = await gitHubPush(secret);
  const flood = async () => {
    const { status, body: reply } = await call('POST', `/api/hooks/git/${service.id}`, {
      ...{ raw: endless(), headers },
    });
    return [status, reply.error];
  };
  expect(await flood()).toEqual([413, expect.stringContaining('1024 KB')]);
  expect((await push()).ok).toBe(true);
  expect(await flood()).toEqual([413, expect.stringContaining('5120 KB')]);
  const large = `${body}${' '.repeat(3_000_000)}`;
  const signed = { ...headers, 'x-hub-signature-256': `sha256=${await hmacHex(secret, large)}` };
  expect((await deliver(service.id, { headers: signed, body: large })).status).toBe(200);
  const renewed = await make(service.id);
  const again = await gitHubPush(renewed.secret);
  const { status } = await call('POST', `/api/hooks/git/${service.id}`, {
    ...{ raw: endless(), headers: again.headers },
  });
  expect(status).toBe(413);
});

test('a service has 60 accepted deliveries a minute; others are not held up by them', {
  tags: 'slow',
}, async () => {
  const now = (minuteOf(Date.now()) + 9) * minuteMs;
  const client = createClient({ dependenciesOf: () => ({ ...deps, now: () => now }) });
  const [busy, quiet] = [await scene(), await scene()];
  const ask = async ({ service, secret }: typeof busy) => {
    const { headers, body } = await gitHub(secret, 'ping', '{}');
    return (await client('POST', `/api/hooks/git/${service.id}`, { raw: body, headers })).status;
  };
  for (let n = 0; n < 60; n++) expect(await ask(busy)).toBe(200);
  expect([await ask(busy), await ask(quiet)]).toEqual([429, 200]);
});

test('accepted deliveries are in the audit log, with the tenant and without what they hold', async () => {
  const { service, secret, push } = await scene();
  await push();
  await deliver(service.id, await gitHubPush('wrong'));
  const { results } = await env.DB.prepare(
    "select * from audit_log where resource_id = ? and actor = 'webhook'",
  )
    .bind(service.id)
    .all();
  expect(results).toEqual([
    expect.objectContaining({
      tenant_id: 'default',
      route: 'POST /api/hooks/git/:serviceId',
      status: 200,
    }),
  ]);
  expect(JSON.stringify(results)).not.toContain(secret);
});

test('deliveries are forgotten after a week', async () => {
  const { service, push } = await scene();
  await push();
  const known = async () =>
    env.DB.prepare('select count(*) as n from git_webhook_deliveries where service_id = ?')
      .bind(service.id)
      .first('n');
  const dayMs = 86_400_000;
  await pruneRecords({ ...deps, now: () => Date.now() + 6 * dayMs });
  expect(await known()).toBe(1);
  await pruneRecords({ ...deps, now: () => Date.now() + 8 * dayMs });
  expect(await known()).toBe(0);
});

test('a push for a revoked host is 409 with that reason', async () => {
  const { runner, service, secret } = await scene();
  await env.DB.prepare('update runners set revoked_at = 1 where id = ?').bind(runner.id).run();
  const reply = await deliver(service.id, await gitHubPush(secret));
  expect([reply.status, reply.body.code]).toEqual([409, 'no_runner']);
  expect(await deploymentsOf(service.id)).toEqual([]);
});
