// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of variables are written like that
/** explain-failure through the API: by rules, and who else may be asked. */
import { eq } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import { deployments } from '../../../../worker/store/schema/deployments.ts';
import { services } from '../../../../worker/store/schema/services.ts';
import { settings } from '../../../../worker/store/schema/settings.ts';
import { deps, insertKey } from '../../../support/worker/api.ts';
import { insertDeploymentOf } from '../../../support/worker/deployment-rows.ts';
import {
  type ExplainBench,
  explainBench,
  fallback,
  missingModule,
  openAi,
} from '../../../support/worker/failed-deployments.ts';

let bench: ExplainBench;

beforeEach(async () => {
  bench = await explainBench();
});

test('a failed deployment is explained with commands for this service, and nothing leaves the platform', async () => {
  await bench.connect(openAi);
  const { explain, service } = await bench.failedDeployment();
  for (const body of [undefined, {}, { providerId: 'builtin' }]) {
    const reply = await explain(body);
    expect([reply.status, reply.body.provider]).toEqual([
      200,
      { id: 'builtin', model: null, fallbackReason: null },
    ]);
    expect(reply.body.askable).toBe(null);
    expect(reply.body.explanation.summary).toBe('Node did not find the package dayjs.');
    expect(reply.body.explanation.commands).toContain('npm install dayjs');
    expect(reply.body.explanation.commands.at(-1)).toContain(
      `https://longshore.test/api/services/${service.id}/deployments`,
    );
  }
  expect(bench.server.requests).toEqual([]);
});

test.each([{ model: 'any' }, { providerId: 'builtin', model: 'any' }])(
  'a model is refused where rules would explain: %j',
  async (body) => {
    const { explain } = await bench.failedDeployment();
    const reply = await explain(body);
    expect([reply.status, reply.body.error]).toEqual([400, expect.stringContaining('"model"')]);
  },
);

test('an empty log is explained too', async () => {
  const { explain } = await bench.failedDeployment([]);
  expect((await explain()).body.explanation.summary).toBe('The app reported an error (exit code 1).');
});

test('the answer has the lines around the error with their numbers, and what serves meanwhile', async () => {
  const lines = [...Array.from({ length: 12 }, (_, index) => `step ${index + 1}`), ...missingModule];
  const { explain, service } = await bench.failedDeployment(lines);
  const { body } = await explain();
  const shown = body.explanation.lines as { number: number; text: string; isError: boolean }[];
  expect(shown.map(({ text }) => text)).toEqual(lines.slice(5));
  expect(shown.map(({ number }) => number)).toEqual(lines.slice(5).map((_, index) => index + 6));
  expect(shown.filter(({ isError }) => isError)).toEqual([
    { number: 14, text: missingModule[1], isError: true },
  ]);
  expect([body.explanation.serving, body.explanation.actions]).toEqual([null, [{ kind: 'deploy' }]]);
  const earlier = await insertDeploymentOf(service.id, {
    job: { state: 'succeeded', runnerId: service.runnerId },
    deployment: { status: 'superseded', imageTag: 'old', sealedSnapshot: 'sealed', createdAt: 1 },
  });
  const back = { kind: 'rollback', deploymentId: earlier.deployment.id };
  expect((await explain()).body.explanation.actions).toEqual([back, { kind: 'deploy' }]);
  const live = await insertDeploymentOf(service.id, {
    job: { state: 'succeeded' },
    deployment: { status: 'running', imageTag: 'new', commitSha: 'f9298c8', finishedAt: 2_000 },
  });
  const serving = { deploymentId: live.deployment.id, commit: 'f9298c8', since: '1970-01-01T00:00:02.000Z' };
  const beside = (await explain()).body.explanation;
  expect([beside.serving, beside.actions]).toEqual([serving, [{ kind: 'deploy' }]]);
  await deps.db.update(services).set({ crashed: true, reachable: false }).where(eq(services.id, service.id));
  const down = (await explain()).body.explanation;
  expect([down.serving, down.actions]).toEqual([null, [back, { kind: 'deploy' }]]);
});

test('a broken reference is found in the current variables', async () => {
  const { explain, service } = await bench.failedDeployment(['boom']);
  await bench.call('POST', `/api/services/${service.id}/env`, {
    token: bench.token,
    body: { key: 'SHOP', value: '${shop.URL}' },
  });
  expect((await explain()).body.explanation.summary).toContain('refers to something that does not exist');
});

test.each([
  ['queued', 'is waiting for its host'],
  ['building', 'is still in progress'],
  ['running', 'succeeded and is live'],
  ['superseded', 'succeeded and was replaced by a later one'],
  ['aborted', 'was aborted'],
] as const)('a deployment that is %s cannot be explained (409)', async (status, reason) => {
  const { deployment, explain } = await bench.failedDeployment();
  await deps.db.update(deployments).set({ status }).where(eq(deployments.id, deployment.id));
  const reply = await explain();
  expect([reply.status, reply.body.code]).toEqual([409, 'conflict']);
  expect(reply.body.error).toBe(`There is no failure to explain: the deployment ${reason}.`);
});

test('the default of the instance is used where the client names none', async () => {
  await bench.connect(openAi);
  await deps.db.insert(settings).values({ name: 'defaultAiProviderId', value: 'openai', updatedAt: 0 });
  const { explain } = await bench.failedDeployment();
  const reply = await explain({ model: 'large-1' });
  expect(reply.body.provider).toEqual({ id: 'openai', model: 'large-1', fallbackReason: null });
  expect(bench.server.last.body.model).toBe('large-1');
  await deps.db.delete(settings);
  await deps.db.insert(settings).values({ name: 'defaultAiProviderId', value: 'gone', updatedAt: 0 });
  expect((await explain()).body.provider).toEqual(fallback(/"gone" is not connected/));
});

test('an unknown provider is 400 and a disabled one 409, both with the available ones', async () => {
  await bench.connect(openAi);
  await bench.connect({ ...openAi, id: 'off', enabled: false });
  const { explain } = await bench.failedDeployment();
  const unknown = await explain({ providerId: 'nobody' });
  expect([unknown.status, unknown.body.error]).toEqual([
    400,
    'The AI provider "nobody" in "providerId" is not connected: use builtin or openai.',
  ]);
  const off = await explain({ providerId: 'off' });
  expect([off.status, off.body.error]).toEqual([
    409,
    'The AI provider "off" in "providerId" is disabled: use builtin or openai.',
  ]);
  expect((await explain({ providerId: 7 })).status).toBe(400);
  expect((await explain({ provider: 'openai' })).status).toBe(400);
});

test.each(['read', 'deploy'] as const)(
  'a key with %s access is explained by rules, and asks no language model',
  async (access) => {
    await bench.connect(openAi);
    await deps.db.insert(settings).values({ name: 'defaultAiProviderId', value: 'openai', updatedAt: 0 });
    const { explain } = await bench.failedDeployment();
    const { token } = await insertKey({ access });
    const reply = await explain({}, token);
    expect([reply.status, reply.body.provider.id, reply.body.askable]).toEqual([200, 'builtin', null]);
    const writer = await explain({ providerId: 'builtin' });
    expect([writer.body.provider.id, writer.body.askable]).toEqual(['builtin', 'openai']);
    const model = await explain({ providerId: 'openai' }, token);
    expect([model.status, model.body.error]).toEqual([403, expect.stringContaining('"providerId"')]);
    expect(bench.server.requests).toEqual([]);
  },
);
