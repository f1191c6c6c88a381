import { generateKeyPairSync, sign } from 'node:crypto';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import type { HubFrame } from '../../../protocol/frames.ts';
import { backoffMs } from '../../../runner/base/backoff.ts';
import type { RunnerError } from '../../../runner/base/runner-error.ts';
import { ControlSocket } from '../../../runner/connection/control-socket.ts';
import { type ManualClock, manualClock } from '../../support/runner/manual-clock.ts';
import { silentLogger } from '../../support/runner/silent-logger.ts';
import { startTestHub, type TestHub } from '../../support/runner/test-hub.ts';
import { until } from '../../support/runner/until.ts';
import { testFacts } from '../../support/test-facts.ts';

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const runnerId = 'run_bbbbbbbbbbbbbbbb';

let hub: TestHub;
let clock: ManualClock;
let seen: { frames: HubFrame[]; connected: number; disconnected: number; errors: RunnerError[] };
let random: number;

beforeEach(async () => {
  hub = await startTestHub();
  hub.identityKeys.set(runnerId, String(publicKey.export({ format: 'jwk' }).x));
  clock = manualClock();
  seen = { frames: [], connected: 0, disconnected: 0, errors: [] };
  random = 0.5;
  return () => hub.close();
});

function dial(key = privateKey): ControlSocket {
  const socket = new ControlSocket(
    {
      url: hub.url,
      runnerId,
      bootId: 'boot-1',
      sign: (text) => sign(null, Buffer.from(text), key).toString('base64url'),
      facts: async () => testFacts,
      jobs: () => [{ job: 'job_1', epoch: 3 }],
      clock,
      logger: silentLogger,
      random: () => random,
    },
    {
      connected: () => void seen.connected++,
      disconnected: () => void seen.disconnected++,
      frame: (frame) => void seen.frames.push(frame),
      stopped: (error) => void seen.errors.push(error),
    },
  );
  socket.start();
  onTestFinished(() => socket.close());
  return socket;
}

const connected = (times: number) => until(`connection ${times}`, () => seen.connected === times);
const disconnected = (times: number) => until(`loss ${times}`, () => seen.disconnected === times);

test('the hello answers the challenge of this connection and lists the jobs of the process', async () => {
  dial();
  await connected(1);
  const hello = await hub.received('hello');
  expect(hello).toMatchObject({ runnerId, bootId: 'boot-1', facts: testFacts });
  expect(hello.jobs).toEqual([{ job: 'job_1', epoch: 3 }]);
});

test('a hello with another key is refused, and the hub asks the process to stop', async () => {
  dial(generateKeyPairSync('ed25519').privateKey);
  const [error] = await until('the stop', () => seen.errors.length > 0 && seen.errors);
  expect(error).toMatchObject({ code: 'identity_refused', exitCode: 1 });
  expect(seen.connected).toBe(0);
  expect(clock.waiting).toEqual([]);
});

test('frames pass both ways once the hello was accepted', async () => {
  const socket = dial();
  expect(socket.send({ v: 1, type: 'alive', jobs: [] })).toBe(false);
  await connected(1);
  hub.send({ type: 'watch', job: 'job_1' });
  await until('the frame', () => seen.frames.length === 1);
  expect(seen.frames).toEqual([{ v: 1, type: 'watch', job: 'job_1' }]);
  expect(socket.send({ v: 1, type: 'alive', jobs: [] })).toBe(true);
  await hub.received('alive');
});

test('messages that are not frames are dropped, and the connection stays open', async () => {
  dial();
  await connected(1);
  for (const text of ['', '{', '{"v":1,"type":"unheard-of"}', '{"v":99,"type":"watch","job":"x"}'])
    hub.sendText(text);
  hub.send({ type: 'watch', job: 'job_2' });
  await until('the frame', () => seen.frames.length === 1);
  expect(seen.disconnected).toBe(0);
});

test('a lost connection is dialled again after a random pause that grows with every failure', async () => {
  dial();
  await connected(1);
  const pauses: number[] = [];
  hub.refuseUpgrade = { status: 502, body: '<html>bad gateway</html>' };
  hub.drop();
  await disconnected(1);
  for (let failures = 0; failures < 9; failures++) {
    const [pause = 0] = await until('the pause', () => clock.waiting.length === 1 && clock.waiting);
    pauses.push(pause);
    await clock.advance(pause);
    await until('the dialling', () => clock.waiting.length === 1 && clock.waiting[0] !== pause);
    // A refused upgrade leads to the next pause; the dialling itself has a limit of 30 s.
    await until('the refusal', () => clock.waiting[0] !== 30_000);
  }
  expect(pauses).toEqual([750, 1250, 2250, 4250, 8250, 15_250, 15_250, 15_250, 15_250]);
});

test('a lost connection of a large fleet is dialled again within the time that the hub gave, later ones as usual', async () => {
  hub.reconnectWithinMs = 60_000;
  dial();
  await connected(1);
  hub.refuseUpgrade = { status: 502, body: '' };
  hub.drop();
  await disconnected(1);
  expect(clock.waiting).toEqual([30_000]);
  await clock.advance(30_000);
  await until('the next pause', () => clock.waiting[0] === 1250);
});

test('a lost connection never comes back sooner than after 0.5 s or later than after 30 s', () => {
  const limits = { minMs: 500, maxMs: 30_000 };
  for (const attempt of [0, 1, 5, 50, 5_000]) {
    expect(backoffMs(attempt, limits, 0)).toBe(500);
    expect(backoffMs(attempt, limits, 0.999_999)).toBeLessThanOrEqual(30_000);
  }
});

test('a lost connection that had been stable for 10 s starts from the shortest pause again', async () => {
  dial();
  for (let times = 1; times <= 4; times++) {
    await connected(times);
    hub.drop();
    await disconnected(times);
    await clock.advance(clock.waiting[0] ?? 0);
  }
  await connected(5);
  await clock.advance(10_000);
  hub.drop();
  await disconnected(5);
  expect(clock.waiting).toEqual([750]);
});

test('a silent lost connection is noticed within 30 s', async () => {
  dial();
  await connected(1);
  await clock.advance(10_000);
  await until('the ping', () => hub.pings === 1);
  const from = clock.now();
  hub.silent = true;
  while (seen.disconnected === 0 && clock.now() - from < 120_000) await clock.advance(1_000);
  expect(clock.now() - from).toBeLessThanOrEqual(30_000);
  hub.silent = false;
  await clock.advance(750);
  await connected(2);
});

test('a lost connection is not suspected as long as the hub answers', async () => {
  dial();
  await connected(1);
  for (let pings = 1; pings <= 10; pings++) {
    await clock.advance(10_000);
    await until('the ping', () => hub.pings === pings);
    hub.send({ type: 'watch', job: `job_${pings}` });
    await until('the answer', () => seen.frames.length === pings);
  }
  expect(seen.disconnected).toBe(0);
});

test('a lost connection that never brings a welcome is given up', async () => {
  hub.silent = true;
  dial();
  await until('the socket', () => hub.connections === 1);
  await clock.advance(30_000);
  hub.silent = false;
  await clock.advance(750);
  await connected(1);
});

test.each([
  [4003, 'revoked', 78, 'was revoked: enrol the host again'],
  [4009, 'replaced', 78, 'the reason'],
  [4001, 'identity_refused', 1, 'the reason'],
])('the end for good is close code %i: %s', async (closeCode, code, exitCode, said) => {
  dial();
  await connected(1);
  hub.drop(closeCode, 'the reason');
  const [error] = await until('the stop', () => seen.errors.length > 0 && seen.errors);
  expect(error).toMatchObject({ code, exitCode });
  expect(error?.message).toContain(said);
  expect(clock.waiting).toEqual([]);
});

test.each([1000, 1001, 1012, 1013, 4008])('the end for good is not close code %i', async (closeCode) => {
  dial();
  await connected(1);
  hub.drop(closeCode);
  await disconnected(1);
  expect(seen.errors).toEqual([]);
  await clock.advance(750);
  await connected(2);
});

test.each([401, 404])(
  'the end for good is the control plane answering %i with its own sentence',
  async (status) => {
    hub.refuseUpgrade = { status, body: JSON.stringify({ error: 'This runner was revoked.', code: 'x' }) };
    dial();
    const [error] = await until('the stop', () => seen.errors.length > 0 && seen.errors);
    expect(error?.message).toContain('This runner was revoked.');
  },
);

test.each([401, 404])("the end for good is not a gateway's page with status %i", async (status) => {
  hub.refuseUpgrade = { status, body: '<html></html>' };
  dial();
  await until('the pause', () => clock.waiting[0] === 750);
  hub.refuseUpgrade = undefined;
  await clock.advance(750);
  await connected(1);
  expect(seen.errors).toEqual([]);
});

test('the end for good asked for by the process during the handshake stays, whatever still arrives', async () => {
  const socket = dial();
  hub.onHello = () => void socket.close();
  await until('the close', () => hub.closed === 1);
  expect(seen.connected).toBe(0);
});

test('the end for good asked for by the process itself causes no event and no dialling', async () => {
  const socket = dial();
  await connected(1);
  await socket.close();
  expect(clock.waiting).toEqual([]);
  expect(seen.disconnected).toBe(0);
});
