/** Two versions of a service beside each other, as the host started them. */
import { env } from 'cloudflare:workers';
import { eq } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import type { HubFrameOf } from '../../../../protocol/frames.ts';
import { logStreamOf } from '../../../../worker/gateways/log-streams.ts';
import { deployments } from '../../../../worker/store/schema/deployments.ts';
import { createClient, deps, insertKey } from '../../../support/worker/api.ts';
import { FakeRunner } from '../../../support/worker/fake-runner.ts';
import { newHost, type TestHost } from '../../../support/worker/host.ts';

const call = createClient();
let host: TestHost;
let runner: FakeRunner;
let service: Awaited<ReturnType<TestHost['addService']>>;

const { token } = await insertKey();
const { token: readToken } = await insertKey({ access: 'read' });

beforeEach(async () => {
  host = await newHost();
  runner = await FakeRunner.connect(host.keys);
  service = await host.addService();
});

const post = (path: string, body?: unknown) =>
  call('POST', path, { token, ...(body === undefined ? {} : { body }) });
const set = (key: string, value: string) => post(`/api/services/${service.id}/env`, { key, value });
const compared = async (deploymentId: string, query = '') => {
  const { status, body } = await call('GET', `/api/deployments/${deploymentId}/comparison${query}`, {
    token: readToken,
  });
  expect(status, JSON.stringify(body)).toBe(200);
  return body.comparison;
};

async function end(start: HubFrameOf<'start'>, facts: object, outcome = 'succeeded') {
  const result =
    outcome === 'succeeded' ? { outcome, facts } : { outcome, facts, code: 'build_failed', message: 'No.' };
  await runner.report(start, { type: 'result', result } as Parameters<FakeRunner['report']>[1]);
}

/** Deploys the service. @param seconds what its phases take @param between lines of its build */
async function ship(commitSha: string, seconds: readonly number[] = [], between: string[] = []) {
  const { body } = await post(`/api/services/${service.id}/deployments`);
  const start = await runner.next('start');
  const [clone, ...rest] = seconds.map(
    (value, index) => `${['clone', 'build', 'start'][index]}: done in ${value.toFixed(1)} s`,
  );
  const said = (line: string) => ({ stream: 'system' as const, at: deps.now(), line });
  const printed = between.map((line) => ({ stream: 'stdout' as const, at: deps.now(), line }));
  const lines = [...(clone ? [said(clone)] : []), ...printed, ...rest.map(said)];
  await logStreamOf(env.LOG_STREAM, body.deployment.id).append(1, lines);
  await end(start, { commitSha, commitMessage: `Change ${commitSha[0]}` });
  return body.deployment.id as string;
}

test('two versions are compared by commit, settings, names of variables and times, without a value of a variable', {
  tags: 'slow',
}, async () => {
  await set('GONE', 'old-secret-value');
  await set('GREETING', 'first-secret-value');
  await set('SAME', 'the same');
  const first = await ship('a'.repeat(40), [1.5, 20]);
  const { body } = await call('GET', `/api/services/${service.id}/overview`, { token });
  const gone = body.env.find(({ key }: { key: string }) => key === 'GONE');
  await call('DELETE', `/api/services/${service.id}/env/${gone.id}`, { token });
  await set('GREETING', 'second-secret-value');
  await set('MORE', 'new-secret-value');
  const patch = { startCommand: 'node other.js', internalPort: 9_000 };
  expect((await call('PATCH', `/api/services/${service.id}`, { token, body: patch })).status).toBe(200);
  const second = await ship('b'.repeat(40), [2, 10.5, 3]);

  const comparison = await compared(second);
  expect(comparison).toMatchObject({
    before: { id: first, commitSha: 'a'.repeat(40), commitMessage: 'Change a' },
    after: { id: second, commitSha: 'b'.repeat(40), commitMessage: 'Change b' },
    isSameImage: false,
    settings: [
      { name: 'startCommand', before: null, after: 'node other.js' },
      { name: 'internalPort', before: String(service.internalPort), after: '9000' },
    ],
    variables: { added: ['MORE'], changed: ['GREETING'], removed: ['GONE'] },
    files: { added: [], changed: [], removed: [] },
    phases: [
      { phase: 'clone', beforeSeconds: 1.5, afterSeconds: 2 },
      { phase: 'build', beforeSeconds: 20, afterSeconds: 10.5 },
      { phase: 'start', beforeSeconds: null, afterSeconds: 3 },
    ],
  });
  expect(JSON.stringify(comparison)).not.toContain('secret-value');
});

test('the first deployment has nothing before it, and only its own times', { tags: 'slow' }, async () => {
  const first = await ship('a'.repeat(40), [1]);
  expect(await compared(first)).toMatchObject({
    before: null,
    after: { id: first },
    isSameImage: false,
    settings: null,
    variables: null,
    files: null,
    phases: [{ phase: 'clone', beforeSeconds: null, afterSeconds: 1 }],
  });
});

test('a deployment is compared with the one that was live before, not with one that failed, unless that is asked for', {
  tags: 'slow',
}, async () => {
  const live = await ship('a'.repeat(40));
  const { body } = await post(`/api/services/${service.id}/deployments`);
  await end(await runner.next('start'), { commitSha: 'b'.repeat(40) }, 'failed');
  const failed = body.deployment.id;
  const next = await ship('c'.repeat(40));
  expect((await compared(next)).before.id).toBe(live);
  expect((await compared(failed)).before.id).toBe(live);
  expect(await compared(next, `?with=${failed}`)).toMatchObject({ before: { id: failed, status: 'failed' } });
});

test('a restart and a rollback run the image of an earlier build, and say so', { tags: 'slow' }, async () => {
  const first = await ship('a'.repeat(40));
  const second = await ship('b'.repeat(40));
  await set('MODE', 'quiet');
  await post(`/api/services/${service.id}/restart`);
  await end(await runner.next('start'), {});
  const { body } = await call('GET', `/api/services/${service.id}/deployments`, { token });
  const restarted = body.deployments[0].id;
  expect(await compared(restarted)).toMatchObject({
    before: { id: second },
    isSameImage: true,
    settings: [],
    variables: { added: ['MODE'], changed: [], removed: [] },
  });
  const { body: back } = await post(`/api/deployments/${first}/rollback`);
  await end(await runner.next('start'), {});
  expect((await compared(back.deployment.id)).isSameImage).toBe(false);
  expect((await compared(back.deployment.id, `?with=${first}`)).isSameImage).toBe(true);
});

test('times are found around a build that printed very much', { tags: 'slow' }, async () => {
  const printed = Array.from({ length: 6_000 }, (_, n) => `${n} ${'x'.repeat(80)}`);
  const id = await ship('a'.repeat(40), [1, 200, 2], printed);
  expect((await compared(id)).phases.map((one: { afterSeconds: number }) => one.afterSeconds)).toEqual([
    1, 200, 2,
  ]);
});

test('what is no longer stored is null, and the rest is compared', { tags: 'slow' }, async () => {
  await ship('a'.repeat(40));
  const second = await ship('b'.repeat(40));
  const [{ before }] = [await compared(second)];
  await deps.db.update(deployments).set({ sealedSnapshot: null }).where(eq(deployments.id, before.id));
  expect(await compared(second)).toMatchObject({ settings: null, variables: null, files: null });
  await deps.db.update(deployments).set({ sealedSnapshot: 'broken' }).where(eq(deployments.id, before.id));
  expect(await compared(second)).toMatchObject({ settings: null, variables: null, files: null });
});

test('a deployment is compared only with another one of its own service', { tags: 'slow' }, async () => {
  const id = await ship('a'.repeat(40));
  service = await host.addService();
  const foreign = await ship('b'.repeat(40));
  for (const other of [id, foreign, 'dep_aaaaaaaaaaaaaaaa', 'x']) {
    const { status, body } = await call('GET', `/api/deployments/${id}/comparison?with=${other}`, { token });
    expect([status, body.code], other).toEqual([400, 'invalid_request']);
    expect(body.error).toContain('with');
  }
});
