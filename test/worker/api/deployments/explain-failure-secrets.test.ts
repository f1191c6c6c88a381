// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of variables are written like that
/** No secret of a service reaches an AI provider. */
import { env } from 'cloudflare:workers';
import { eq } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import { gitTokenPlace, snapshotPlace } from '../../../../worker/security/secret-places.ts';
import { deployments } from '../../../../worker/store/schema/deployments.ts';
import { services } from '../../../../worker/store/schema/services.ts';
import { deps } from '../../../support/worker/api.ts';
import { insertDeploymentOf } from '../../../support/worker/deployment-rows.ts';
import {
  type ExplainBench,
  explainBench,
  fallback,
  openAi,
} from '../../../support/worker/failed-deployments.ts';

let bench: ExplainBench;

beforeEach(async () => {
  bench = await explainBench();
});

const secrets = {
  written: 'canary-written-0Aq"&/ü',
  resolved: 'canary-resolved-7788',
  frozen: 'canary-frozen-5566',
  gitToken: 'canary-git-token-3344',
  urlPassword: 'canary-url-pass-1122',
};

test('variables as written, resolved and frozen, the git token, and values that look like secrets reach no provider', async () => {
  await bench.connect(openAi);
  const { project, service, deployment, explain } = await bench.failedDeployment([
    ...Object.values(secrets).flatMap((secret) => [
      `plain ${secret} end`,
      `url https://x.example/?q=${encodeURIComponent(secret)}`,
      `json ${JSON.stringify({ v: secret })}`,
      `base64 ${btoa(String.fromCharCode(...new TextEncoder().encode(`u:${secret}`)))}`,
      `KeyError: '${secret}'`,
    ]),
    // Where a line is cut, a secret must not be left in part.
    `${'x'.repeat(990)}${secrets.resolved}`,
    `${'x'.repeat(395)}${secrets.resolved}`,
    'fatal: could not read from https://me:canary-unknown@git.example.com/x.git',
    'NPM_TOKEN=canary-unknown',
    "Error: Cannot find module 'canary-written-0Aq\"&/ü'",
  ]);
  const set = (key: string, value: string) =>
    bench.call('POST', `/api/services/${service.id}/env`, { token: bench.token, body: { key, value } });
  await set('WRITTEN', secrets.written);
  await set('BASE', secrets.resolved);
  await set('RESOLVED', '${BASE}-tail');
  await set('DATABASE', `postgres://app:${secrets.urlPassword}@db:5432/app`);
  const seal = (place: Parameters<typeof deps.envelope.seal>[2], clear: string) =>
    deps.envelope.seal(project.wrappedDataKey, project.id, place, clear);
  await deps.db
    .update(services)
    .set({ sealedGitToken: await seal(gitTokenPlace(service.id), secrets.gitToken) })
    .where(eq(services.id, service.id));
  await deps.db
    .update(deployments)
    .set({ sealedSnapshot: await seal(snapshotPlace(deployment.id), snapshotWith(secrets.frozen)) })
    .where(eq(deployments.id, deployment.id));

  const reply = await explain({ providerId: 'openai' });
  expect(reply.body.provider).toMatchObject({ id: 'openai', fallbackReason: null });
  const sent = bench.server.last.text;
  expect(sent).toContain('***');
  expect(sent).toContain('base64 ');
  expect(sent).not.toContain('canary');
  for (const before of ['', 'x', 'xx']) {
    expect(sent).not.toContain(btoa(`${before}canary-`).slice(before.length + 1, -4));
  }
});

test('the contents of secret files as an earlier version had them, and single values in them, reach no provider', async () => {
  await bench.connect(openAi);
  const { project, service, deployment, explain } = await bench.failedDeployment([
    'Error: bad line: password = "canary-of-now"',
    'refused: canary-of-now',
    'refused: canary-of-then, canary-of-live',
    'a public line',
  ]);
  const fileOf = (content: string, secret = true) => ({ path: '/etc/app.ini', content, secret });
  const sealedIn = (id: string, content: string) =>
    deps.envelope.seal(
      project.wrappedDataKey,
      project.id,
      snapshotPlace(id),
      snapshotWith('frozen', [
        { ...fileOf(content), mode: 0o444 },
        { ...fileOf('a public line', false), path: '/etc/public.txt', mode: 0o444 },
      ]),
    );
  await deps.db
    .update(deployments)
    .set({ sealedSnapshot: await sealedIn(deployment.id, 'key: canary-of-then;') })
    .where(eq(deployments.id, deployment.id));
  const { deployment: live } = await insertDeploymentOf(service.id, {
    job: { state: 'succeeded' },
    deployment: { status: 'running', createdAt: 1 },
  });
  await deps.db
    .update(deployments)
    .set({ sealedSnapshot: await sealedIn(live.id, '  "key": "canary-of-live",\n') })
    .where(eq(deployments.id, live.id));
  const put = await bench.call('PUT', `/api/services/${service.id}/files`, {
    token: bench.token,
    body: fileOf('[app]\npassword = "canary-of-now"\n'),
  });
  expect([put.status, put.body.error]).toEqual([200, undefined]);
  const reply = await explain({ providerId: 'openai' });
  expect(reply.body.provider).toMatchObject({ id: 'openai', fallbackReason: null });
  expect(bench.server.last.text).toContain('a public line');
  expect(bench.server.last.text).not.toContain('canary');
});

test('the logins at registries and git hosts reach no provider, and one that cannot be opened keeps the log here', async () => {
  await bench.connect(openAi);
  const login = btoa('robot:canary-of-registry');
  const { explain } = await bench.failedDeployment([
    'denied: canary-of-registry',
    `"auth": "${login}"`,
    'fatal: canary-of-git',
  ]);
  const registry = { host: 'registry.example.com', username: 'robot', password: 'canary-of-registry' };
  const git = { host: 'git.example.com', token: 'canary-of-git' };
  for (const [path, body] of [
    ['/api/registries', registry],
    ['/api/git-credentials', git],
  ] as const)
    expect((await bench.call('POST', path, { token: bench.token, body })).status).toBe(200);
  expect((await explain({ providerId: 'openai' })).body.provider.fallbackReason).toBeNull();
  expect(bench.server.last.text).not.toContain('canary');
  expect(bench.server.last.text).not.toContain(login.slice(8, -4));
  for (const change of [
    "update registries set sealed_password = 'v1.AAAA.AAAA'",
    "update git_credentials set sealed_token = 'v1.AAAA.AAAA'",
  ]) {
    const { length } = bench.server.requests;
    await env.DB.prepare(change).run();
    expect((await explain({ providerId: 'openai' })).body.provider).toEqual(fallback(/can't be decrypted/));
    expect(bench.server.requests).toHaveLength(length);
    await env.DB.prepare(`delete from ${change.split(' ')[1]}`).run();
  }
});

test('the log of a deployment whose secrets are no longer stored goes to no provider', async () => {
  await bench.connect(openAi);
  const { service, explain } = await bench.failedDeployment();
  await insertDeploymentOf(service.id, {
    job: { state: 'succeeded' },
    deployment: { status: 'running', createdAt: Date.now() + 1_000 },
  });
  expect((await explain({ providerId: 'openai' })).body.provider).toEqual(fallback(/no longer stored/));
  expect(bench.server.requests).toEqual([]);
});

test('a secret that cannot be opened cannot be masked, so nothing is sent', async () => {
  await bench.connect(openAi);
  const { explain, deployment } = await bench.failedDeployment();
  await deps.db
    .update(deployments)
    .set({ sealedSnapshot: 'v1.AAAA.AAAA' })
    .where(eq(deployments.id, deployment.id));
  expect((await explain({ providerId: 'openai' })).body.provider).toEqual(fallback(/can't be decrypted/));
  expect(bench.server.requests).toEqual([]);
});

function snapshotWith(value: string, files: object[] = []): string {
  const spec = {
    kind: 'deploy',
    projectId: 'prj_0123456789abcdef',
    serviceId: 'svc_0123456789abcdef',
    deploymentId: 'dep_0123456789abcdef',
    serviceSlug: 'web',
    source: { type: 'image', imageRef: 'web:1' },
    build: {
      method: 'auto',
      dockerfilePath: null,
      installCommand: null,
      buildCommand: null,
      startCommand: null,
      staticOutput: null,
    },
    runtimeMode: 'web',
    internalPort: 8080,
    hostPort: 41000,
    hostnames: [],
    healthCheckPath: null,
    memoryLimitMb: null,
    cpuLimit: null,
    warnings: [],
    keptDeployments: [],
  };
  return JSON.stringify({ spec, env: { FROZEN: value }, files });
}
