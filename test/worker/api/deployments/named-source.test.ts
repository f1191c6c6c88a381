/** What a request for a deployment says about its source: a commit, a tag, a branch; or the commit of a folder and a message. */
import { expect, test } from 'vitest';
import { gitHubPush } from '../../../support/servers/git-deliveries.ts';
import { createClient, insertKey, type Json } from '../../../support/worker/api.ts';
import { FakeRunner } from '../../../support/worker/fake-runner.ts';
import { newHost } from '../../../support/worker/host.ts';

const call = createClient();
const { token } = await insertKey();
const sha = '9b2c1f0e4d6a8b7c5d3e1f2a4b6c8d0e1f3a5b7c';

const host = await newHost();
const runner = await FakeRunner.connect(host.keys);

const deployed = (service: { id: string }, body: Json) =>
  call('POST', `/api/services/${service.id}/deployments`, { token, body });

async function end() {
  const start = await runner.nextDeployment();
  const imageTag = `longshore-${start.spec.serviceId}-${start.spec.deploymentId}`;
  await runner.report(start, { type: 'result', result: { outcome: 'succeeded', facts: { imageTag } } });
  return start.spec;
}

test.each([
  [{ ref: 'v1.4.0' }, 'v1.4.0'],
  [{ ref: 'refs/heads/side' }, 'refs/heads/side'],
  [{ ref: sha }, sha],
  [{ commitSha: sha }, sha],
])(
  'a deployment of %j fetches exactly that, and the next one the branch of the service',
  async (body, ref) => {
    const service = await host.addService({ branch: 'main' });
    const { status, body: reply } = await deployed(service, body);
    expect([status, reply.deployment]).toMatchObject([200, { ref, commitSha: null, trigger: 'manual' }]);
    expect((await end()).source).toMatchObject({ type: 'git', branch: ref, isRef: true });
    expect(
      (await call('GET', `/api/deployments/${reply.deployment.id}`, { token })).body.deployment.ref,
    ).toBe(ref);
    const { pendingSettings } = (await call('GET', `/api/services/${service.id}/overview`, { token })).body;
    expect(pendingSettings).toEqual([
      { name: 'branch', before: ref, after: 'main', appliedBy: 'deployment' },
    ]);
    expect((await deployed(service, {})).body.deployment.ref).toBeNull();
    const { source } = await end();
    expect([source, 'isRef' in source]).toEqual([expect.objectContaining({ branch: 'main' }), false]);
  },
);

test.each([
  [{ ref: '--upload-pack=id' }, '"ref" must be a commit id'],
  [{ ref: '-f' }, '"ref"'],
  [{ ref: '+main' }, '"ref"'],
  [{ ref: 'a:b' }, '"ref"'],
  [{ ref: '' }, '"ref"'],
  [{ commitSha: 'abc1234' }, '"commitSha" must be a commit id of 40 or 64'],
  [{ ref: 'v1', commitSha: sha }, 'only one of'],
  [{ commitMessage: 'hello' }, '"commitMessage" is not for services with a repository'],
])('a service with a repository refuses %j', async (body, sentence) => {
  const service = await host.addService();
  const reply = await deployed(service, body);
  expect([reply.status, reply.body.error]).toEqual([400, expect.stringContaining(sentence)]);
  const { deployments } = (await call('GET', `/api/services/${service.id}/deployments`, { token })).body;
  expect(deployments).toEqual([]);
});

test.each([
  ['image', { ref: 'v1' }, '"ref" is only for'],
  ['image', { commitSha: sha }, '"commitSha" is only for'],
  ['upload', { ref: 'v1' }, '"ref" is only for'],
  ['database', { commitMessage: 'a' }, '"commitMessage" is not for databases'],
  ['upload', { commitMessage: 'two\nlines' }, '"commitMessage" must be one line'],
] as const)('a service of the kind %s refuses %j', async (kind, body, sentence) => {
  const service = await host.addService({ kind });
  const reply = await deployed(service, body);
  expect([reply.status, reply.body.error]).toEqual([400, expect.stringContaining(sentence)]);
});

test('a folder carries the commit that it comes from, also in a rollback; a push of that commit is still deployed', async () => {
  const service = await host.addService({ kind: 'upload', repoUrl: 'upload', repoFullName: null });
  const path = `/api/services/${service.id}`;
  const send = async (letter: string, commit: Json) => {
    const body = { sizeBytes: 5, checksum: `sha256:${letter.repeat(64)}` };
    const { upload } = (await call('POST', `${path}/uploads`, { token, body })).body;
    await call('PUT', `${path}/uploads/${upload.id}?part=1`, {
      ...{ token, raw: 'bytes', headers: { 'content-length': '5' } },
    });
    const { deployment } = (await deployed(service, { uploadId: upload.id, ...commit })).body;
    await end();
    return deployment;
  };
  const head = 'c'.repeat(40);
  const first = await send('a', { commitSha: sha, commitMessage: 'Fix the cart' });
  expect(first).toMatchObject({ commitSha: sha, commitMessage: 'Fix the cart', ref: null });
  await send('b', { commitSha: head, commitMessage: 'Later' });
  const back = (await call('POST', `/api/deployments/${first.id}/rollback`, { token })).body.deployment;
  await end();
  const shown = (await call('GET', `/api/deployments/${back.id}`, { token })).body.deployment;
  expect(shown).toMatchObject({ commitMessage: 'Fix the cart', sourceDigest: `sha256:${'a'.repeat(64)}` });

  await send('c', { commitSha: head });
  await call('PATCH', path, { token, body: { repoUrl: 'https://git.example/me/shop', branch: 'main' } });
  const { webhook } = (await call('POST', `${path}/webhook`, { token })).body;
  const { headers, body } = await gitHubPush(webhook.secret, { sha: head });
  const pushed = await call('POST', `/api/hooks/git/${service.id}`, { raw: body, headers });
  expect(pushed.body).toMatchObject({ deployment: { trigger: 'webhook' }, reason: null });
});

test('a push after a deployment of a ref is deployed after it, although an earlier push still waits', async () => {
  const away = await newHost();
  const service = await away.addService({ branch: 'main' });
  const { webhook } = (await call('POST', `/api/services/${service.id}/webhook`, { token })).body;
  const push = async (sha: string) => {
    const { headers, body } = await gitHubPush(webhook.secret, { sha });
    return (await call('POST', `/api/hooks/git/${service.id}`, { raw: body, headers })).body.deployment.id;
  };
  const first = await push('a'.repeat(40));
  expect(await push('b'.repeat(40))).toBe(first);
  const pinned = (await deployed(service, { ref: 'v1.4.0' })).body.deployment.id;
  const last = await push('c'.repeat(40));
  expect(new Set([first, pinned, last]).size).toBe(3);
});
