/** A host whose runner is older than `minimumRunner`: it is connected and says why, gets no work but its upgrade, and works after that. */
import { runInDurableObject } from 'cloudflare:test';
import { expect, test } from 'vitest';
import { runnerPaths } from '../../../protocol/enrolment.ts';
import helloOf020 from '../../fixtures/hello-0.2.0.json';
import { createClient, insertKey, operatorToken, testFacts } from '../../support/worker/api.ts';
import {
  enrolRequest,
  FakeRunner,
  hubOf,
  newRunnerKeys,
  setHubClock,
} from '../../support/worker/fake-runner.ts';
import { deploy, jobRow, newHost, runnerRow } from '../../support/worker/host.ts';

const call = createClient();
const operator = (method: string, path: string, body?: object) =>
  call(method, path, { token: operatorToken, body });
const tooOld = { ...testFacts, version: '0.1.9', takesUpgrades: true };
const why =
  'Its runner has the version 0.1.9, and this control plane works with 0.2.0 and newer: upgrade the host (docs/operate/upgrades.md).';

const view = async (runnerId: string) =>
  (await operator('GET', '/api/system/runners')).body.runners.find(
    ({ id }: { id: string }) => id === runnerId,
  );
const connect = (host: Awaited<ReturnType<typeof newHost>>, facts = tooOld) =>
  FakeRunner.connect(host.keys, { forged: { facts } });

test.each(['0.1.9', 'unknown'])('a runner of the version %s is not enrolled', async (version) => {
  const { token } = (await operator('POST', '/api/system/runners', {})).body;
  const body = { ...enrolRequest(token, await newRunnerKeys()), facts: { ...testFacts, version } };
  const refused = await call('POST', runnerPaths.enrol, { body });
  expect([refused.status, refused.body.error]).toEqual([
    409,
    `This runner has the version ${version}, and this control plane works with 0.2.0 and newer: install the release of this control plane (docs/operate/hosts.md).`,
  ]);
  const enrolled = await call('POST', runnerPaths.enrol, { body: { ...body, facts: testFacts } });
  expect(enrolled.status).toBe(200);
});

test.each(['0.2.0', '0.2.0-rc.1', '0.3.0'])('a runner of the version %s works', async (version) => {
  const host = await newHost();
  const { jobId } = await deploy(await host.addService());
  const runner = await FakeRunner.open(host.keys);
  await runner.sayHello({ forged: { facts: { ...testFacts, version } } });
  expect(await runner.next('welcome')).toMatchObject({ upgradeNeeded: null, alertRules: [] });
  expect((await runner.next('start')).job).toBe(jobId);
  expect((await view(host.runnerId)).warning).toBeNull();
});

test('a runner that is too old is told why, and gets neither jobs nor questions until it is upgraded', async () => {
  const host = await newHost();
  const service = await host.addService({ reachable: true });
  const { jobId, id } = await deploy(service);
  const runner = await FakeRunner.open(host.keys);
  await runner.sayHello({ forged: { facts: tooOld } });
  const { upgradeNeeded, alertRules, logDrains } = await runner.next('welcome');
  expect([upgradeNeeded, alertRules, logDrains]).toEqual([why, null, null]);
  expect(await view(host.runnerId)).toMatchObject({
    connected: true,
    warning: `This host does no work: ${why} Jobs wait until then.`,
  });
  const { token } = await insertKey();
  const { deployment } = (await call('GET', `/api/deployments/${id}`, { token })).body;
  expect(deployment).toMatchObject({ status: 'queued', waitsFor: expect.stringContaining(why) });
  const metrics = await call('GET', `/api/services/${service.id}/metrics`, { token });
  expect([metrics.status, metrics.body.error]).toEqual([503, expect.stringContaining(why)]);
  runner.send({ v: 1, type: 'facts', facts: { ...tooOld, memoryMb: 1 }, sentAt: Date.now() });
  await expect.poll(() => runnerRow(host.runnerId)).toMatchObject({ facts: { memoryMb: 1, trouble: why } });
  expect(await runner.unread()).toEqual([]);

  const upgrading = operator('POST', `/api/system/runners/${host.runnerId}/upgrade`);
  const { id: asked, ask } = await runner.next('request');
  expect(ask).toEqual({ op: 'upgrade' });
  runner.send({ v: 1, type: 'response', id: asked, outcome: { ok: true, value: { started: true } } });
  expect((await upgrading).body).toEqual({ started: true });
  const upgraded = await connect(host, testFacts);
  expect((await upgraded.next('start')).job).toBe(jobId);
  expect((await view(host.runnerId)).warning).toBeNull();
});

test('a job that runs while the control plane is updated goes on to its end, can be aborted, and is not asked for', async () => {
  const host = await newHost();
  const { jobId, id } = await deploy(await host.addService());
  const { epoch } = await (await connect(host, testFacts)).next('start');
  const attempt = { job: jobId, epoch };
  const runner = await FakeRunner.connect(host.keys, { forged: { facts: tooOld, jobs: [attempt] } });
  const { token } = await insertKey();
  await call('POST', `/api/deployments/${id}/abort`, { token });
  expect(await runner.next('abort')).toMatchObject(attempt);
  // It has not mentioned the job for long: the hub neither asks nor waits.
  await setHubClock(host.runnerId, Date.now() + 70_000, { pinged: true });
  expect(await runner.unread()).toEqual([]);
  const alarm = await runInDurableObject(hubOf(host.runnerId), (_, ctx) => ctx.storage.getAlarm());
  expect(alarm).toBeNull();
  await runner.report(attempt, { type: 'result', result: { outcome: 'aborted', facts: {} } });
  expect((await jobRow(jobId)).state).toBe('aborted');
});

test('the hello of the oldest release is read', async () => {
  const host = await newHost();
  const runner = await FakeRunner.open(host.keys);
  const { runnerId: _, nonce: _nonce, audience: _audience, signature: _signature, ...hello } = helloOf020;
  await runner.sayHello({ bootId: hello.bootId, forged: hello as object });
  expect((await runner.next('welcome')).runnerId).toBe(host.runnerId);
});
