/** A host whose runner can't start its parts: it is connected, says why, gets no work, and goes on by itself. */
import { env } from 'cloudflare:workers';
import { beforeEach, expect, test } from 'vitest';
import { events } from '../../../worker/store/schema/events.ts';
import { createClient, deps, insertKey, operatorToken, testFacts } from '../../support/worker/api.ts';
import { FakeRunner } from '../../support/worker/fake-runner.ts';
import { deploy, jobRow, newHost, runnerRow } from '../../support/worker/host.ts';

const call = createClient();
const trouble = 'Port 80 is used by another program: stop it.';
const troubled = { ...testFacts, trouble };
const withoutDocker = { ...testFacts, dockerVersion: null, buildFixes: null, initProcess: null };

beforeEach(async () => {
  await env.DB.batch(['events', 'settings'].map((name) => env.DB.prepare(`delete from ${name}`)));
});

const view = async (id: string) => {
  const { runners } = (await call('GET', '/api/system/runners', { token: operatorToken })).body;
  return runners.find((one: { id: string }) => one.id === id);
};
const connect = (host: Awaited<ReturnType<typeof newHost>>, facts: typeof testFacts) =>
  FakeRunner.connect(host.keys, { forged: { facts } });
const sendFacts = (runner: FakeRunner, facts: typeof testFacts) =>
  runner.send({ v: 1, type: 'facts', facts, sentAt: Date.now() });

test('a host whose runner cannot start says so, keeps its jobs waiting with the reason, and gets them when it works', async () => {
  const host = await newHost();
  const service = await host.addService({ reachable: true });
  const deployment = await deploy(service);
  const runner = await connect(host, troubled);
  const warning = expect.stringContaining(trouble);
  await expect.poll(() => runnerRow(host.runnerId)).toMatchObject({ facts: troubled });
  expect(await view(host.runnerId)).toMatchObject({ connected: true, warning });
  const { token } = await insertKey();
  const shown = await call('GET', `/api/deployments/${deployment.id}`, { token });
  expect(shown.body.deployment).toMatchObject({ status: 'queued', waitsFor: warning });
  expect((await jobRow(deployment.jobId)).state).toBe('queued');

  sendFacts(runner, testFacts);
  expect((await runner.next('start')).job).toBe(deployment.jobId);
  expect(await view(host.runnerId)).toMatchObject({ warning: null });
});

test('a host whose Docker does not answer says so, and gets its jobs', async () => {
  const host = await newHost();
  const deployment = await deploy(await host.addService({ reachable: true }));
  const runner = await connect(host, withoutDocker);
  expect((await runner.next('start')).job).toBe(deployment.jobId);
  const warning = expect.stringContaining('Docker does not answer');
  await expect.poll(() => view(host.runnerId)).toMatchObject({ connected: true, warning });
});

test('a job that a host had before its runner could not start is not sent to it until it works', async () => {
  const host = await newHost();
  const deployment = await deploy(await host.addService());
  const before = await FakeRunner.connect(host.keys);
  await before.next('start');
  const runner = await connect(host, troubled);
  sendFacts(runner, testFacts);
  expect((await runner.next('start')).job).toBe(deployment.jobId);
  expect(await runner.unread()).not.toContain('start');
});

test('an app on a host whose runner cannot start is not shown as reachable', async () => {
  const host = await newHost();
  const service = await host.addService({ reachable: true });
  const runner = await connect(host, troubled);
  const { token } = await insertKey();
  const reachable = async () =>
    (await call('GET', `/api/services/${service.id}`, { token })).body.service.reachable;
  expect(await reachable()).toBe(false);
  sendFacts(runner, testFacts);
  await expect.poll(reachable).toBe(true);
});

test('a trouble of a host raises one event with its sentence, however often it is reported, and one when it ends', async () => {
  const body = { eventWebhook: { url: 'https://hooks.example.com/longshore' } };
  await call('PATCH', '/api/system/settings', { token: operatorToken, body });
  const host = await newHost();
  await connect(host, troubled);
  const runner = await connect(host, troubled);
  sendFacts(runner, { ...troubled, trouble: `${trouble} Still.` });
  sendFacts(runner, testFacts);
  sendFacts(runner, { ...testFacts, memoryMb: 1 });
  await expect.poll(() => runnerRow(host.runnerId)).toMatchObject({ facts: { memoryMb: 1 } });
  const raised = (await deps.db.select().from(events)).filter(
    ({ resourceId }) => resourceId === host.runnerId,
  );
  expect(raised.map(({ type, error }) => [type, error])).toEqual([
    ['host.trouble', trouble],
    ['host.works', null],
  ]);
});
