/**
 * How a script learns how a deployment ended, and what a queued one waits for.
 * @module-tag slow
 */
import { expect, test } from 'vitest';
import { createClient, insertKey } from '../../../support/worker/api.ts';
import { FakeRunner } from '../../../support/worker/fake-runner.ts';
import { newHost } from '../../../support/worker/host.ts';

const call = createClient();
const { token } = await insertKey();

async function scene() {
  const host = await newHost();
  const service = await host.addService();
  const post = async () =>
    (await call('POST', `/api/services/${service.id}/deployments`, { token })).body.deployment;
  const read = async (id: string, query = '') =>
    (await call('GET', `/api/deployments/${id}${query}`, { token })).body.deployment;
  return { host, service, post, read };
}

const commit = {
  commitMessage: 'Fix the cart',
  commitAuthor: 'Ann',
  branch: 'main',
  commitSha: 'a'.repeat(40),
};
const failure = { code: 'build_failed', message: 'The build failed.' } as const;

test.each([
  [{ outcome: 'succeeded', facts: commit }, 'running', null, null],
  [{ outcome: 'failed', facts: commit, ...failure }, 'failed', failure.code, failure.message],
  [{ outcome: 'aborted', facts: commit }, 'aborted', null, null],
] as const)(
  'a wait and the last event of the log tell the ending: %j',
  async (result, status, code, error) => {
    const { host, post, read } = await scene();
    const runner = await FakeRunner.connect(host.keys);
    const { id } = await post();
    const start = await runner.next('start');
    const waiting = read(id, '?wait=300');
    await runner.report(start, { type: 'result', result });
    const ended = { id, status, failureCode: code, failureMessage: error, waitsFor: null, ...commit };
    expect(await waiting).toMatchObject(ended);
    expect(await read(id)).toMatchObject(ended);
    const { text } = await call('GET', `/api/deployments/${id}/stream`, { token });
    const last = JSON.parse(text.trimEnd().split('data: ').at(-1) ?? '');
    expect(last).toEqual({ ok: status === 'running', closed: true, status, code, error });
  },
);

test('a wait that is over before the deployment answers what it is by then', async () => {
  const { post, read } = await scene();
  const { id } = await post();
  expect(await read(id, '?wait=1')).toMatchObject({ status: 'queued', failureCode: null });
});

test('a deployment says what it waits for: its host, or another job', async () => {
  const { host, service, post, read } = await scene();
  const first = await post();
  expect((await read(first.id)).waitsFor).toMatch(/^Waits for the host "host"\. /);
  const runner = await FakeRunner.connect(host.keys);
  await runner.next('start');
  expect((await read(first.id)).waitsFor).toBeNull();
  const second = await post();
  expect((await read(second.id)).waitsFor).toBe('Waits for another job of this service to end.');
  await runner.disconnect();
  await expect
    .poll(async () => (await read(second.id)).waitsFor)
    .toMatch(/^Waits for the host "host", away since 20/);
  const { body } = await call('GET', `/api/services/${service.id}/deployments`, { token });
  expect(body.deployments[0].waitsFor).toContain('away since');
  // The one that had started says that nobody knows how far it is, until its host is back.
  expect((await read(first.id)).waitsFor).toMatch(
    /away since .* Whether it goes on or has failed is known when/,
  );
  const again = await FakeRunner.connect(host.keys);
  expect((await read(first.id)).waitsFor).toBeNull();
  await again.disconnect();
});

test('the overview warns while the host of a live version is away, and not before there is one', async () => {
  const { host, service, post, read } = await scene();
  const warnings = async () =>
    (await call('GET', `/api/services/${service.id}/overview`, { token })).body.warnings;
  expect(await warnings()).toEqual([]);
  const runner = await FakeRunner.connect(host.keys);
  const { id } = await post();
  await runner.report(await runner.next('start'), {
    type: 'result',
    result: { outcome: 'succeeded', facts: commit },
  });
  expect((await read(id, '?wait=300')).status).toBe('running');
  expect(await warnings()).toEqual([]);
  await runner.disconnect();
  await expect.poll(warnings).toEqual([expect.stringContaining('The host of this service is not connected')]);
});

test('a rollback has the commit of the version that it goes back to', async () => {
  const { host, post, read } = await scene();
  const runner = await FakeRunner.connect(host.keys);
  const old = await post();
  for (let deployed = 0; deployed < 2; deployed++) {
    if (deployed > 0) await post();
    const result = { outcome: 'succeeded', facts: deployed > 0 ? {} : commit } as const;
    await runner.report(await runner.next('start'), { type: 'result', result });
  }
  const { body } = await call('POST', `/api/deployments/${old.id}/rollback`, { token });
  expect(await read(body.deployment.id)).toMatchObject({ commitMessage: 'Fix the cart', branch: 'main' });
});
