/** Crashes of the live version and failed commands are explained through the API. */
import { env } from 'cloudflare:workers';
import { eq } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import { logStreamOf } from '../../../../worker/gateways/log-streams.ts';
import { runs } from '../../../../worker/store/schema/runs.ts';
import { services } from '../../../../worker/store/schema/services.ts';
import { deps } from '../../../support/worker/api.ts';
import { type ExplainBench, explainBench, openAi } from '../../../support/worker/failed-deployments.ts';

let bench: ExplainBench;

beforeEach(async () => {
  bench = await explainBench();
});

const builtin = { id: 'builtin', model: null, fallbackReason: null };

test('a crash is explained from the last lines of the container, with a restart after a change of variables', async () => {
  const { service, explain } = await bench.failedDeployment();
  const trouble = {
    sentence: 'The container ended with exit code 1. Docker restarts it with growing pauses.',
    crash: { at: 1, exitCode: 1, outOfMemory: false },
    lastLines: ['booting', "KeyError: 'API_TOKEN'"],
  };
  const ask = (body?: unknown) =>
    bench.call('POST', `/api/services/${service.id}/explain-crash`, { token: bench.token, body });
  const isExplainable = async () => {
    const path = `/api/services/${service.id}/overview`;
    return (await bench.call('GET', path, { token: bench.token })).body.crashExplainable;
  };
  const before = await ask();
  expect(await isExplainable()).toBe(false);
  expect([before.status, before.body.code]).toEqual([409, 'conflict']);
  // A full database runs, and its warning says all.
  const full = { sentence: 'All 100 connections of this database are in use.', lastLines: [] };
  await deps.db.update(services).set({ trouble: full }).where(eq(services.id, service.id));
  expect([await isExplainable(), (await ask()).status]).toEqual([false, 409]);
  await deps.db.update(services).set({ trouble, crashed: true }).where(eq(services.id, service.id));
  expect(await isExplainable()).toBe(true);
  const { status, body } = await ask({ providerId: 'builtin' });
  expect([status, body.provider, body.explanation.summary]).toEqual([
    200,
    builtin,
    'The variable API_TOKEN is not set.',
  ]);
  expect(body.explanation.commands.at(-1)).toMatch(/\/restart$/);
  // The deployment's own failure is another question.
  expect((await explain()).body.explanation.summary).toBe('Node did not find the package dayjs.');
});

test('a failed command is explained from its own log and is run again, others are refused', async () => {
  const { service } = await bench.failedDeployment();
  const { deployment } = await bench.failedDeployment();
  const run = await insertRun(service.id, deployment.jobId);
  const ask = () =>
    bench.call('POST', `/api/services/${service.id}/runs/${run}/explain-failure`, { token: bench.token });
  const { status, body } = await ask();
  expect([status, body.provider, body.explanation.summary]).toEqual([
    200,
    builtin,
    'The command could not connect to 127.0.0.1:5432.',
  ]);
  expect(body.explanation.commands.at(-1)).toContain(`-d '{"command":"npm run report"}'`);
  await deps.db.update(runs).set({ status: 'succeeded' }).where(eq(runs.id, run));
  expect((await ask()).body).toMatchObject({
    code: 'conflict',
    error: 'There is no failure to explain: the command succeeded.',
  });
});

test('a model gets what failed, and no value of a variable', async () => {
  await bench.connect(openAi);
  const { service } = await bench.failedDeployment();
  const body = { key: 'SECRET_KEY', value: 'canary-of-the-crash' };
  await bench.call('POST', `/api/services/${service.id}/env`, { token: bench.token, body });
  const trouble = { sentence: 'The container ended with exit code 1.', lastLines: [`boom ${body.value}`] };
  await deps.db.update(services).set({ trouble }).where(eq(services.id, service.id));
  const path = `/api/services/${service.id}/explain-crash`;
  const reply = await bench.call('POST', path, { token: bench.token, body: { providerId: 'openai' } });
  expect(reply.body.provider).toMatchObject({ id: 'openai', fallbackReason: null });
  const sent = bench.server.last.text;
  expect(sent).toContain('crash');
  expect(sent).not.toContain('canary');
});

test('a model gets no line of a secret file, as it is now or as the live version has it, and a public one as it is', async () => {
  await bench.connect(openAi);
  const { service } = await bench.failedDeployment();
  const put = (path: string, content: string, secret: boolean) =>
    bench.call('PUT', `/api/services/${service.id}/files`, {
      token: bench.token,
      body: { path, content, secret },
    });
  const secret = await put('/etc/app/s.txt', 'first=1\r\nbad: canary-of-a-file\n  canary-indented', true);
  expect([secret.status, secret.text]).toEqual([200, expect.anything()]);
  expect((await put('/etc/app/public.txt', 'a public line', false)).status).toBe(200);
  const lastLines = [
    'Error: bad config line: bad: canary-of-a-file',
    'Error: canary-indented is not allowed',
    'Error: a public line',
  ];
  const trouble = { sentence: 'The container ended with exit code 1.', lastLines };
  await deps.db.update(services).set({ trouble }).where(eq(services.id, service.id));
  const path = `/api/services/${service.id}/explain-crash`;
  const ask = () => bench.call('POST', path, { token: bench.token, body: { providerId: 'openai' } });
  expect((await ask()).body.provider).toMatchObject({ id: 'openai', fallbackReason: null });
  const sent = bench.server.last.text;
  expect(sent).toContain('a public line');
  expect(sent).not.toContain('canary');
});

test('if the secret files of a service can not be opened, no model gets its log', async () => {
  await bench.connect(openAi);
  const { service } = await bench.failedDeployment();
  const trouble = { sentence: 'The container ended with exit code 1.', lastLines: ['boom canary'] };
  await deps.db.update(services).set({ trouble }).where(eq(services.id, service.id));
  await env.DB.prepare('insert into service_files values (?, ?, 0)').bind(service.id, 'not sealed').run();
  const path = `/api/services/${service.id}/explain-crash`;
  const body = { providerId: 'openai' };
  const reply = await bench.call('POST', path, { token: bench.token, body });
  expect([reply.status, reply.body.provider.fallbackReason]).toEqual([
    200,
    expect.stringContaining("can't be decrypted"),
  ]);
  expect(JSON.stringify(bench.server.requests.map(({ text }) => text))).not.toContain('canary');
});

async function insertRun(serviceId: string, jobId: string): Promise<string> {
  const id = deps.newId('run');
  await deps.db.insert(runs).values({
    ...{ id, serviceId, jobId, command: 'npm run report', timeLimitSeconds: 60, status: 'failed' },
    ...{ exitCode: 1, error: 'The command ended with exit code 1.', createdAt: 1, finishedAt: deps.now() },
  });
  await env.DB.prepare(
    "update jobs set failure_code = 'run_failed', failure_message = 'The command ended with exit code 1.', phase = 'run' where id = ?",
  )
    .bind(jobId)
    .run();
  const lines = ['Error: connect ECONNREFUSED 127.0.0.1:5432'].map((line) => ({
    ...{ stream: 'stderr' as const, at: Date.now(), line },
  }));
  await logStreamOf(env.LOG_STREAM, id).append(1, lines);
  return id;
}
