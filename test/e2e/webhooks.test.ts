/** Deploy on push, end to end: what a git host signs becomes a version that serves, also when the host was away as it came. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Json } from '../support/instance/longshore.ts';
import { type Repository, webApp } from '../support/instance/repository.ts';
import { type SecondRunner, startSecondRunner } from '../support/instance/second-runner.ts';
import { useInstance, useRepositories } from '../support/instance/use-instance.ts';
import {
  bitbucketCloudPush,
  type Delivery,
  giteaPush,
  gitHubPush,
} from '../support/servers/git-deliveries.ts';

const repositories = useRepositories();
const longshore = useInstance();
const { ask } = longshore;
let host: SecondRunner;
let repository: Repository;
let service: Json;
let webhook: Json;

beforeAll(async () => {
  repository = await repositories.add('shop', webApp('v1'));
  // One that can be away while the control plane is there.
  host = await startSecondRunner(longshore);
  const source = { repoUrl: `${repositories.url}/shop`, branch: 'main', runnerId: host.runnerId };
  service = await longshore.newService(await longshore.newProject('Shop'), { name: 'web', ...source });
});

afterAll(() => host?.remove());

/** As the git host sends it: to the address that it was given, with no key. */
async function deliver({ headers, body }: Delivery): Promise<{ status: number; body: Json }> {
  const reply = await fetch(webhook.url, { method: 'POST', headers, body });
  return { status: reply.status, body: await reply.json() };
}

const text = async () => (await (await fetch(service.localUrl)).text()).trim();

async function finished(deployment: Json): Promise<Json> {
  const done = await longshore.finished(deployment.id, service.id);
  expect(done.status, await longshore.log(done.id)).toBe('running');
  return done;
}

test('a signed push is built and served', async () => {
  webhook = (await ask('POST', `/api/services/${service.id}/webhook`)).webhook;
  const sha = await repository.commit(webApp('v2'));
  const { status, body } = await deliver(await gitHubPush(webhook.secret, { sha }));
  expect([status, body]).toEqual([
    200,
    {
      ok: true,
      deployment: expect.objectContaining({ serviceId: service.id, trigger: 'webhook', status: 'queued' }),
      reason: null,
    },
  ]);
  expect(await finished(body.deployment)).toMatchObject({ trigger: 'webhook', commitSha: sha });
  expect(await text()).toBe('v2');
  const again = await deliver(await giteaPush(webhook.secret, 'forgejo', { sha }));
  expect(again.body.deployment.id, 'what is live is not deployed again').toBe(body.deployment.id);
});

test('a push without a valid signature changes nothing', async () => {
  const sha = await repository.commit(webApp('forged'));
  const { status, body } = await deliver(await gitHubPush(`${webhook.secret}x`, { sha }));
  expect([status, body.code]).toEqual([401, 'unauthenticated']);
  const { deployments } = await ask('GET', `/api/services/${service.id}/deployments`);
  expect(deployments).toHaveLength(1);
  expect(await text()).toBe('v2');
});

test('pushes to a host that is away wait as one deployment of the last of them', async () => {
  await host.stop();
  const first = await repository.commit(webApp('v3'));
  const early = await deliver(await gitHubPush(webhook.secret, { sha: first }));
  const sha = await repository.commit(webApp('v4'));
  const late = await deliver(await bitbucketCloudPush(webhook.secret, { sha }));
  expect([early.status, late.status]).toEqual([200, 200]);
  expect(late.body.deployment).toMatchObject({ id: early.body.deployment.id, status: 'queued' });
  expect(await text(), 'the version before goes on serving').toBe('v2');
  await host.start();
  expect((await finished(late.body.deployment)).commitSha).toBe(sha);
  expect(await text()).toBe('v4');
  const { deployments } = await ask('GET', `/api/services/${service.id}/deployments`);
  expect(deployments.map(({ trigger, status }: Json) => [trigger, status])).toEqual([
    ['webhook', 'running'],
    ['webhook', 'superseded'],
  ]);
});

test("the webhook's secret is in no file of the instance in the clear, logs included", async () => {
  const files = await readdir(longshore.dataDirectory, { recursive: true, withFileTypes: true });
  const texts = files
    .filter((file) => file.isFile())
    .map((file) => readFile(join(file.parentPath, file.name), 'latin1'));
  const all = (await Promise.all(texts)).join('\n');
  expect(all, 'the database is among them').toContain('git_webhooks');
  expect(all).not.toContain(webhook.secret.slice('whsec_'.length, -1));
});

test('a removed webhook accepts nothing', async () => {
  await ask('DELETE', `/api/services/${service.id}/webhook`);
  expect((await deliver(await gitHubPush(webhook.secret))).status).toBe(401);
  expect(await ask('GET', `/api/services/${service.id}/webhook`)).toEqual({ webhook: null });
});
