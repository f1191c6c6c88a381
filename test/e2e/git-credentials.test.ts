/** A private repository, end to end: with a credential of its git host that is stored once. */
import { beforeAll, expect, test } from 'vitest';
import type { Json } from '../support/instance/longshore.ts';
import { webApp } from '../support/instance/repository.ts';
import { useInstance, useRepositories } from '../support/instance/use-instance.ts';

const token = 'canary-e2e-credential-41';
const repositories = useRepositories({ password: token });
const longshore = useInstance();
const { ask } = longshore;
let service: Json;
let host: string;

beforeAll(async () => {
  await repositories.add('shop', webApp('private'));
  host = new URL(repositories.url).host;
  service = await longshore.newService(await longshore.newProject('Shop'), {
    name: 'web',
    repoUrl: `${repositories.url}/shop`,
    branch: 'main',
  });
});

async function deployed(): Promise<Json> {
  const { deployment } = await ask('POST', `/api/services/${service.id}/deployments`);
  return await longshore.finished(deployment.id, service.id);
}

test('a private repository is deployed once its host has a credential, and a token that the host refuses is named while the old version serves', async () => {
  const without = await deployed();
  expect(without).toMatchObject({
    failureCode: 'source_failed',
    failureMessage: expect.stringContaining(`or a credential for ${host} (POST /api/git-credentials)`),
  });
  const { gitCredential } = await ask('POST', '/api/git-credentials', { host, token });
  const done = await deployed();
  const log = await longshore.log(done.id);
  expect(done.status, log).toBe('running');
  expect(log).not.toContain(token);
  await ask('PATCH', `/api/git-credentials/${gitCredential.id}`, { token: 'revoked-token' });
  const refused = await deployed();
  expect(refused.failureMessage).toContain(
    `refused the git credential ${gitCredential.id}, which is stored for ${host} and all projects`,
  );
  expect(await longshore.log(refused.id)).not.toContain('revoked-token');
  const { explanation } = await ask('POST', `/api/deployments/${refused.id}/explain-failure`);
  expect(explanation.summary).toBe(`The git host ${host} refused the credential that is stored for it.`);
  expect((await (await fetch(service.localUrl)).text()).trim()).toBe('private');
});
