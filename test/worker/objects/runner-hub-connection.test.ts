import { evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { expect, test } from 'vitest';
import { closeCodes } from '../../../protocol/enrolment.ts';
import { findBootIds } from '../../../worker/store/hosts/runner-process-store.ts';
import { createClient, deps, operatorToken } from '../../support/worker/api.ts';
import { setHubStore, storeThatIsDown } from '../../support/worker/d1/failing-store.ts';
import {
  enrolRunner,
  FakeRunner,
  hubOf,
  newRunnerKeys,
  origin,
  setHubClock,
} from '../../support/worker/fake-runner.ts';
import { runnerRow } from '../../support/worker/host.ts';

const client = createClient();

test('an enrolled runner that signs the challenge is welcomed and shown as connected', async () => {
  const keys = await enrolRunner();
  const runner = await FakeRunner.open(keys);
  const hello = await runner.sayHello();
  expect(hello.audience).toBe(origin);
  expect(await runner.next('welcome')).toMatchObject({
    ...{ runnerId: keys.runnerId, drained: false, reconnectWithinMs: 1_000 },
  });
  expect(await hubOf(keys.runnerId).isConnected()).toBe(true);
  const { body } = await client('GET', '/api/system/runners', { token: operatorToken });
  expect(body.runners).toContainEqual(expect.objectContaining({ id: keys.runnerId, connected: true }));
});

test('a hello signed with another key is closed with 4001', async () => {
  const keys = await enrolRunner();
  const { identity } = await newRunnerKeys();
  const runner = await FakeRunner.open({ ...keys, identity });
  await runner.sayHello();
  expect((await runner.closed).code).toBe(closeCodes.unauthenticated);
  expect(await hubOf(keys.runnerId).isConnected()).toBe(false);
});

test.each([
  ['audience', { audience: 'https://other.example' }],
  ['nonce', { nonce: 'AAAA' }],
  ['runner id', { runnerId: 'run_0000000000000000' }],
  ['boot id', { bootId: 'another' }],
])('a hello whose %s is not what was signed is closed with 4001', async (_, forged) => {
  const runner = await FakeRunner.open(await enrolRunner());
  await runner.sayHello({ forged });
  expect((await runner.closed).code).toBe(closeCodes.unauthenticated);
});

test('a recorded hello does not open a second socket', async () => {
  const keys = await enrolRunner();
  const first = await FakeRunner.open(keys);
  const recorded = await first.sayHello();
  await first.next('welcome');
  const second = await FakeRunner.open(keys);
  second.send(recorded);
  expect((await second.closed).code).toBe(closeCodes.unauthenticated);
  expect(await hubOf(keys.runnerId).isConnected()).toBe(true);
});

test('any other frame before the hello is closed with 4001', async () => {
  const runner = await FakeRunner.open(await enrolRunner());
  runner.alive();
  expect((await runner.closed).code).toBe(closeCodes.unauthenticated);
});

test('a silent socket is closed after 10 s with a code that lets a slow runner try again', async () => {
  const keys = await enrolRunner();
  const silent = await FakeRunner.open(keys);
  await setHubClock(keys.runnerId, Date.now() + 10_001);
  await runInDurableObject(hubOf(keys.runnerId), (hub) => hub.wake(keys.runnerId));
  expect((await silent.closed).code).toBe(closeCodes.silent);
});

test('of two processes the one that came later stays', async () => {
  const keys = await enrolRunner();
  const early = await FakeRunner.connect(keys, { bootId: 'early' });
  const late = await FakeRunner.connect(keys, { bootId: 'a-late-one' });
  expect((await early.closed).code).toBe(closeCodes.replaced);
  const again = await FakeRunner.open(keys);
  await again.sayHello({ bootId: 'early' });
  expect((await again.closed).code).toBe(closeCodes.replaced);
  expect(await late.askSwitch({ job: 'job_0000000000000000', epoch: 1 })).toBe(false);
  expect((await runnerRow(keys.runnerId)).connectedAt).not.toBeNull();
});

const warningOf = async ({ runnerId }: { runnerId: string }) => {
  const { body } = await client('GET', '/api/system/runners', { token: operatorToken });
  return body.runners.find(({ id }: { id: string }) => id === runnerId).warning;
};

test('an earlier process that answers its end is on another machine, which the operator is told for a day', async () => {
  const keys = await enrolRunner();
  const early = await FakeRunner.connect(keys, { bootId: 'early' });
  expect(await warningOf(keys)).toBeNull();
  await FakeRunner.connect(keys, { bootId: 'late' });
  await early.closed;
  await expect.poll(() => warningOf(keys)).toMatch(/^Two machines have connected as this host/);
});

test('an earlier process that says hello beside a later one is on another machine, and the operator is told', async () => {
  const keys = await enrolRunner();
  const early = await FakeRunner.connect(keys, { bootId: 'early' });
  await early.disconnect();
  await FakeRunner.connect(keys, { bootId: 'late' });
  expect(await warningOf(keys)).toBeNull();
  const again = await FakeRunner.open(keys);
  await again.sayHello({ bootId: 'early' });
  await again.closed;
  expect(await warningOf(keys)).toContain('Two machines');
});

test('the later process comes back although the earlier one has connected in between, and the hub lost its memory', async () => {
  const keys = await enrolRunner();
  await FakeRunner.connect(keys, { bootId: 'early' });
  const late = await FakeRunner.connect(keys, { bootId: 'late' });
  await late.disconnect();
  const early = await FakeRunner.connect(keys, { bootId: 'early' });
  await evictDurableObject(hubOf(keys.runnerId), { webSockets: 'hibernate' });
  await FakeRunner.connect(keys, { bootId: 'late' });
  expect((await early.closed).code).toBe(closeCodes.replaced);
});

test('a host keeps the ids of its last eight processes', async () => {
  const keys = await enrolRunner();
  for (let boot = 1; boot <= 10; boot++) {
    const runner = await FakeRunner.connect(keys, { bootId: `boot-${boot}` });
    await runner.disconnect();
  }
  expect(await findBootIds(deps.db, keys.runnerId)).toEqual(
    [10, 9, 8, 7, 6, 5, 4, 3].map((boot) => `boot-${boot}`),
  );
});

test.each([
  [10, 'The clock of this host is 10 minutes ahead'],
  [-1, 'The clock of this host is 1 minute behind'],
  [0, null],
])(
  'a clock that is %i minutes ahead is a warning in the list of hosts, until facts say that it was set',
  async (minutes, warning) => {
    const keys = await enrolRunner();
    const at = Date.now();
    await setHubClock(keys.runnerId, at);
    const runner = await FakeRunner.connect(keys, { sentAt: at + minutes * 60_000 });
    const shown = async () => {
      const { body } = await client('GET', '/api/system/runners', { token: operatorToken });
      const [host] = body.runners.filter(({ id }: { id: string }) => id === keys.runnerId);
      return host.warning as string | null;
    };
    if (warning) expect(await shown()).toContain(warning);
    else expect(String(await shown())).not.toContain('The clock of this host');
    const { facts } = await runnerRow(keys.runnerId);
    runner.send({ v: 1, type: 'facts', facts, sentAt: at - 20 * 60_000 });
    await expect.poll(shown).toContain('20 minutes behind');
    runner.send({ v: 1, type: 'facts', facts, sentAt: at + 20_000 });
    await expect.poll(async () => String(await shown())).not.toContain('The clock of this host');
  },
);

test('a process that reconnects is not stopped by the end of its own old socket', async () => {
  const keys = await enrolRunner();
  const before = await FakeRunner.connect(keys);
  await FakeRunner.connect(keys);
  expect((await before.closed).code).toBe(1000);
});

test('an ended connection is recorded, and nothing waits for its answers', async () => {
  const keys = await enrolRunner();
  const runner = await FakeRunner.connect(keys);
  const asked = hubOf(keys.runnerId).request(
    keys.runnerId,
    { op: 'probe-route', hostname: 'a.localhost' },
    60_000,
  );
  await runner.next('request');
  await runner.disconnect();
  expect(await asked).toMatchObject({ ok: false, code: 'timeout' });
  await expect
    .poll(() => runnerRow(keys.runnerId))
    .toMatchObject({ connectedAt: null, disconnectedAt: expect.any(Number) });
  expect(await hubOf(keys.runnerId).isConnected()).toBe(false);
});

test('an answer reaches the one who asked, and a late one is dropped', async () => {
  const keys = await enrolRunner();
  const runner = await FakeRunner.connect(keys);
  const asked = hubOf(keys.runnerId).request(
    keys.runnerId,
    { op: 'probe-route', hostname: 'a.localhost' },
    60_000,
  );
  const { id } = await runner.next('request');
  runner.send({ v: 1, type: 'response', id, outcome: { ok: true, value: { status: 200 } } });
  expect(await asked).toEqual({ ok: true, value: { status: 200 } });
  const late = hubOf(keys.runnerId).request(keys.runnerId, { op: 'probe-route', hostname: 'a.localhost' }, 1);
  expect(await late).toMatchObject({ ok: false, code: 'timeout' });
});

test('an answer without a value reaches the one who asked: JSON has no undefined', async () => {
  const keys = await enrolRunner();
  const runner = await FakeRunner.connect(keys);
  const asked = hubOf(keys.runnerId).request(
    keys.runnerId,
    { op: 'probe-route', hostname: 'a.localhost' },
    5_000,
  );
  const { id } = await runner.next('request');
  runner.send({ v: 1, type: 'response', id, outcome: { ok: true } });
  expect(await asked).toEqual({ ok: true });
});

test('nothing is asked without a connection, or over one without pings', async () => {
  const keys = await enrolRunner();
  const ask = () =>
    hubOf(keys.runnerId).request(keys.runnerId, { op: 'probe-route', hostname: 'a.localhost' }, 60_000);
  expect(await ask()).toMatchObject({ ok: false, code: 'runner_offline' });
  const runner = await FakeRunner.connect(keys);
  await setHubClock(keys.runnerId, Date.now() + 31_000);
  expect(await ask()).toMatchObject({ ok: false, code: 'runner_offline' });
  expect(runner.unreadNow).toEqual([]);
});

test('a connection without pings counts as none', async () => {
  const keys = await enrolRunner();
  const runner = await FakeRunner.connect(keys);
  await setHubClock(keys.runnerId, Date.now() + 29_000);
  expect(await hubOf(keys.runnerId).isConnected()).toBe(true);
  await setHubClock(keys.runnerId, Date.now() + 31_000);
  expect(await hubOf(keys.runnerId).isConnected()).toBe(false);
  expect((await runner.closed).code).toBe(closeCodes.silent);
  await expect
    .poll(() => runnerRow(keys.runnerId))
    .toMatchObject({ connectedAt: null, disconnectedAt: expect.any(Number) });
});

test('an idle connected hub sleeps and keeps nothing: no alarm, no row, and it wakes with its session', async () => {
  const keys = await enrolRunner();
  const runner = await FakeRunner.connect(keys);
  expect(await runner.unread()).toEqual([]);
  await runInDurableObject(hubOf(keys.runnerId), async (_, ctx) => {
    expect(await ctx.storage.getAlarm()).toBeNull();
    expect((await ctx.storage.list()).size).toBe(0);
  });
  await evictDurableObject(hubOf(keys.runnerId), { webSockets: 'hibernate' });
  expect(await hubOf(keys.runnerId).isConnected()).toBe(true);
  expect(await runner.askSwitch({ job: 'job_0000000000000000', epoch: 1 })).toBe(false);
});

test('a revoked runner is closed with 4003 and not let in again', async () => {
  const keys = await enrolRunner();
  const runner = await FakeRunner.connect(keys);
  const reply = await client('DELETE', `/api/system/runners/${keys.runnerId}`, { token: operatorToken });
  expect(reply.body).toEqual({ ok: true });
  expect((await runner.closed).code).toBe(closeCodes.revoked);
  await expect(FakeRunner.open(keys)).rejects.toThrow('401');
});

test('a runner that is revoked between connect and hello is closed with 4003', async () => {
  const keys = await enrolRunner();
  const runner = await FakeRunner.open(keys);
  await client('DELETE', `/api/system/runners/${keys.runnerId}`, { token: operatorToken });
  await runner.sayHello();
  expect((await runner.closed).code).toBe(closeCodes.revoked);
});

test('an unknown runner gets 404, a plain request 400', async () => {
  const keys = await newRunnerKeys();
  await expect(FakeRunner.open({ ...keys, runnerId: 'run_0000000000000000' })).rejects.toThrow('404');
  expect((await client('GET', '/api/runner/connect?runner=run_0000000000000000')).status).toBe(400);
});

test('a stranger who knows a runner id holds few sockets open, and the runner stays and gets in again', async () => {
  const keys = await enrolRunner();
  const runner = await FakeRunner.connect(keys);
  const first = await FakeRunner.open(keys);
  for (let count = 0; count < 40; count++) await FakeRunner.open(keys);
  expect((await first.closed).code).toBe(closeCodes.silent);
  expect(await runner.askSwitch({ job: 'job_0000000000000000', epoch: 1 })).toBe(false);
  await runner.disconnect();
  const again = await FakeRunner.connect(keys);
  expect(await again.askSwitch({ job: 'job_0000000000000000', epoch: 1 })).toBe(false);
});

test('a large frame of a stranger is not parsed', async () => {
  const runner = await FakeRunner.open(await enrolRunner());
  runner.send({ v: 1, type: 'hello', jobs: 'x'.repeat(300_000) } as never);
  expect((await runner.closed).code).toBe(closeCodes.unauthenticated);
});

test('a hello that is sent twice on one socket does no harm', async () => {
  const keys = await enrolRunner();
  const runner = await FakeRunner.open(keys);
  const hello = await runner.sayHello();
  runner.send(hello);
  await runner.next('welcome');
  runner.send(hello);
  expect(await runner.askSwitch({ job: 'job_0000000000000000', epoch: 1 })).toBe(false);
});

test('a runner is turned away to try again while the store is down, and let in afterwards', async () => {
  const keys = await enrolRunner();
  const early = await FakeRunner.open(keys);
  const down = await FakeRunner.open(keys);
  await setHubStore(keys.runnerId, storeThatIsDown());
  await down.sayHello();
  expect((await down.closed).code).toBe(1013);
  await setHubStore(keys.runnerId, deps.db);
  await early.sayHello();
  expect(await early.next('welcome')).toMatchObject({ runnerId: keys.runnerId });
});
