// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of variables are written like that
/**
 * Where a variable applies: which jobs of the host get it, and what a change of it waits for.
 * @module-tag slow
 */
import { beforeEach, expect, test } from 'vitest';
import type { HubFrameOf } from '../../../../protocol/frames.ts';
import { createClient, insertKey, insertProject, type Json } from '../../../support/worker/api.ts';
import { FakeRunner } from '../../../support/worker/fake-runner.ts';
import { newHost, type TestHost } from '../../../support/worker/host.ts';

const call = createClient();
const { token } = await insertKey();

let host: TestHost;
let runner: FakeRunner;
let service: Awaited<ReturnType<TestHost['addService']>>;

beforeEach(async () => {
  host = await newHost();
  runner = await FakeRunner.connect(host.keys);
  service = await host.addService();
});

const ask = (method: string, path: string, body?: unknown) =>
  call(method, `/api/services/${service.id}/${path}`, { token, ...(body === undefined ? {} : { body }) });
const set = (env: Json[]) => ask('POST', 'env/bulk', { env });
const overview = async (): Promise<Json> => (await ask('GET', 'overview')).body;
const scopes = async () => (await overview()).env.map(({ key, scope }: Json) => [key, scope]);

/** Starts a job and lets it succeed. @returns the variables that the host got */
async function started(path: string, body?: unknown) {
  await ask('POST', path, body);
  const start: HubFrameOf<'start'> = await runner.next('start');
  const { env, buildOnly, runOnly, secretKeys } = await runner.openBox(start);
  await runner.report(start, { type: 'result', result: { outcome: 'succeeded', facts: {} } });
  return { env, buildOnly, runOnly, secretKeys };
}

const three = [
  { key: 'BOTH', value: 'in both' },
  { key: 'NPM_TOKEN', value: 'for the build', scope: 'build' },
  { key: 'TRACE', value: 'at run time, not ${NPM_TOKEN}', scope: 'run' },
];

test('builds and containers get the variables of their scope, and commands only those of containers', async () => {
  expect((await set(three)).body.env.map(({ scope }: Json) => scope)).toEqual(['both', 'build', 'run']);
  const env = { BOTH: 'in both', TRACE: 'at run time, not for the build' };
  expect(await started('deployments')).toEqual({
    env,
    buildOnly: { NPM_TOKEN: 'for the build' },
    runOnly: ['TRACE'],
    secretKeys: ['NPM_TOKEN', 'TRACE'],
  });
  expect(await started('run', { command: 'env' })).toMatchObject({
    env,
    buildOnly: undefined,
    runOnly: undefined,
  });
});

test('a scope stays until another one is sent, also when a .env file is imported', async () => {
  await set(three);
  const text = 'BOTH=1\nNPM_TOKEN=2\nTRACE=3\n';
  const { body } = await ask('POST', 'env/bulk', { text });
  const chosen = [
    ['BOTH', 'both'],
    ['NPM_TOKEN', 'build'],
    ['TRACE', 'run'],
  ];
  expect(body.env.map(({ key, scope }: Json) => [key, scope])).toEqual(chosen);
  expect(await scopes()).toEqual(chosen);
  await ask('POST', 'env', { key: 'TRACE', value: '3', scope: 'both' });
  expect(await scopes()).toEqual([
    ['BOTH', 'both'],
    ['NPM_TOKEN', 'build'],
    ['TRACE', 'both'],
  ]);
});

test('a changed variable waits for a restart, and one that only builds get for a deployment', async () => {
  await set(three);
  await started('deployments');
  await set(three.map((one) => ({ ...one, value: `${one.key} changed` })));
  const waiting = async () => {
    const { pendingVariables, pendingBuildVariables } = await overview();
    return [pendingVariables, pendingBuildVariables];
  };
  expect(await waiting()).toEqual([['BOTH', 'TRACE'], ['NPM_TOKEN']]);
  // The image is the one of the first deployment.
  expect(await started('restart')).toMatchObject({
    env: { BOTH: 'BOTH changed', TRACE: 'TRACE changed' },
    buildOnly: { NPM_TOKEN: 'for the build' },
  });
  expect(await waiting()).toEqual([[], ['NPM_TOKEN']]);
  await started('deployments');
  expect(await waiting()).toEqual([[], []]);

  const { id } = (await overview()).env.find(({ key }: Json) => key === 'NPM_TOKEN');
  await call('DELETE', `/api/services/${service.id}/env/${id}`, { token });
  expect(await waiting()).toEqual([[], ['NPM_TOKEN']]);
});

test('a variable that stops to reach containers is not rebuilt for, because the build had it', async () => {
  await ask('POST', 'env', { key: 'BOTH', value: 'in both' });
  await started('deployments');
  await ask('POST', 'env', { key: 'BOTH', value: 'in both', scope: 'build' });
  expect(await overview()).toMatchObject({ pendingVariables: ['BOTH'], pendingBuildVariables: [] });
  expect((await started('restart')).env).toEqual({});
  expect(await overview()).toMatchObject({ pendingVariables: [], pendingBuildVariables: [] });
});

test.each([
  ['an image', { repoUrl: 'container-image', imageRef: 'nginx:1.27' }],
  ['a database', { repoUrl: 'database', repoFullName: 'database:postgres' }],
])('%s builds nothing, so a variable only for builds is refused', async (_, kind) => {
  const project = await insertProject();
  const env = [{ key: 'NPM_TOKEN', value: 'x', scope: 'build' }];
  const body = { name: 'Image', runnerId: host.runnerId, ...kind };
  const path = `/api/projects/${project.id}/services`;
  const refused = await call('POST', path, { token, body: { ...body, env } });
  expect([refused.status, refused.body.error]).toEqual([
    400,
    expect.stringMatching(/NPM_TOKEN can't have the "scope" "build".*Leave "scope" out/),
  ]);
  const { id } = (await call('POST', path, { token, body })).body.service;
  const later = await call('POST', `/api/services/${id}/env`, { token, body: env[0] });
  expect([later.status, later.body.error]).toEqual([400, refused.body.error]);
});
