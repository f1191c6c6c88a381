/**
 * Faults 6 and 7 in real time: the line between a real runner and its control plane is dead for 75 s (a build ends meanwhile; the plan
 * says 5 min, but what counts is that it is longer than the 60 s in which both sides notice) and then for as long as it takes until
 * the control plane gives the job up (10 min and the next sweep; only with `test:everything`, as test/reliability does the same with
 * a clock in its hand).
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DeployedPair, deployedPair } from '../support/instance/deployed-pair.ts';
import { killNine } from '../support/instance/instance-processes.ts';
import type { Json } from '../support/instance/longshore.ts';
import { settled } from '../support/instance/remains.ts';
import { everything } from '../support/level.ts';
import { type ChaosProxy, startChaosProxy } from '../support/servers/chaos-proxy.ts';

const noticedMs = 75_000;
const givenUpMs = 12 * 60_000;
const connectedWithinMs = 30_000;

let pair: DeployedPair;
let line: ChaosProxy;

beforeAll(async () => {
  pair = await deployedPair();
  const settings = join(pair.longshore.dataDirectory, 'runner', 'runner.json');
  const config = JSON.parse(await readFile(settings, 'utf8'));
  line = await startChaosProxy(() => config.url);
  await writeFile(settings, JSON.stringify({ ...config, url: line.url }));
  await killNine(pair.longshore.dataDirectory, ['runner']); // its next life takes the line
  await connected();
});

afterAll(async () => {
  await line?.close();
  await pair?.close();
});

test('6: a build that ends during a partition succeeds after it, with every line', async () => {
  const reached = pair.gateway.hold(/^POST \/build$/, 'before');
  const id = await pair.deploy('subject 1');
  (await reached).release();
  line.blackHole('up', 'down');
  await pause(noticedMs);
  expect((await statusOf(id)).status).toBe('building');
  expect(await pair.answer()).toBe('subject 0');
  line.heal();
  expect((await pair.final(id)).status, await pair.longshore.log(id)).toBe('running');
  expect(await pair.answer()).toBe('subject 1');
  const { body } = await pair.longshore.call('GET', `/api/deployments/${id}/logs`);
  expect(body.logs.map((entry: Json) => entry.id)).toEqual(
    body.logs.map((_: Json, index: number) => index + 1),
  );
  expect(body.logs.map((entry: Json) => entry.line).join('\n')).toContain('making subject 1');
  await tidy();
});

test.runIf(everything)(
  '7: a host that is away for too long loses its job, and its later reports change nothing (12 min)',
  async () => {
    const reached = pair.gateway.hold(/^POST \/build$/, 'before');
    const id = await pair.deploy('subject 2');
    (await reached).release();
    line.refuse(true);
    line.cut();
    const from = performance.now();
    while ((await statusOf(id)).status === 'building' && performance.now() - from < givenUpMs)
      await pause(1_000);
    const given = await statusOf(id);
    expect(given.status).toBe('failed');
    expect(performance.now() - from).toBeGreaterThan(10 * 60_000);
    expect(await pair.answer()).toBe('subject 1');
    line.refuse(false);
    await connected();
    await tidy();
    expect(await statusOf(id)).toEqual(given);
    expect(await pair.answer()).toBe('subject 1');
    const { body } = await pair.longshore.call('GET', `/api/services/${pair.subject.id}/overview`);
    expect(body.service.status).toBe('active');
    expect((await pair.final(await pair.deploy('subject 3'))).status).toBe('running');
  },
);

async function statusOf(deploymentId: string): Promise<Json> {
  const { body } = await pair.longshore.call('GET', `/api/services/${pair.subject.id}/deployments`);
  return body.deployments.find((one: Json) => one.id === deploymentId);
}

async function connected(): Promise<void> {
  const { operatorToken, runnerId, call } = pair.longshore;
  const endsAt = performance.now() + connectedWithinMs;
  while (performance.now() < endsAt) {
    const { body } = await call('GET', '/api/system/runners', undefined, operatorToken);
    const isConnected = body.runners.find((one: Json) => one.id === runnerId)?.connected;
    if (isConnected && line.connections > 0) return;
    await pause(100);
  }
  throw new Error('the runner did not connect again');
}

async function tidy(): Promise<void> {
  const { there, wanted } = await settled(pair.longshore, [pair.neighbour.id, pair.subject.id]);
  expect(there).toEqual(wanted);
}
