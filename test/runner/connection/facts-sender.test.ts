import { expect, test } from 'vitest';
import type { RunnerFrame } from '../../../protocol/frames.ts';
import { FactsSender } from '../../../runner/connection/facts-sender.ts';
import { manualClock } from '../../support/runner/manual-clock.ts';
import { silentLogger } from '../../support/runner/silent-logger.ts';
import { startStage } from '../../support/runner/stage.ts';
import { until } from '../../support/runner/until.ts';

const oldDocker = {
  version: '20.10.24',
  runcVersion: '1.1.5',
  initProcess: false,
  appArmor: null,
  userNamespaces: false,
  storageLimits: false,
};

/** A daemon on its stage, and Docker in the test's hands. */
async function startFacts() {
  const docker: { facts: typeof oldDocker | null; asked: number } = {
    facts: {
      version: '27.3.1',
      runcVersion: '1.3.3',
      initProcess: true,
      appArmor: null,
      userNamespaces: true,
      storageLimits: false,
    },
    asked: 0,
  };
  const dockerFacts = async () => {
    docker.asked += 1;
    return docker.facts;
  };
  const stage = await startStage({ host: { dockerFacts } });
  /** Minutes pass until Docker was asked so often again, and one more. */
  const looks = async (count: number) => {
    const before = docker.asked;
    await until('the looks', async () => {
      await stage.pass(60_000);
      return docker.asked >= before + count + 1;
    });
  };
  return { ...stage, docker, looks };
}

test('the hello has them, and nothing is sent again while they stay the same', {
  tags: 'slow',
}, async () => {
  const { hub, looks } = await startFacts();
  const { facts } = await hub.received('hello');
  expect(facts).toMatchObject({
    dockerVersion: '27.3.1',
    buildFixes: true,
    runcVersion: '1.3.3',
    runcFixes: true,
    isolation: { userNamespaces: true, storageLimits: false },
  });
  await looks(3);
  expect(hub.all('facts')).toEqual([]);
});

test('a change is reported, once', { tags: 'slow' }, async () => {
  const { hub, docker, looks } = await startFacts();
  docker.facts = oldDocker;
  await looks(1);
  const { facts } = await hub.received('facts');
  expect(facts).toMatchObject({
    dockerVersion: '20.10.24',
    buildFixes: false,
    runcVersion: '1.1.5',
    runcFixes: false,
  });
  await looks(2);
  expect(hub.all('facts')).toHaveLength(1);
});

test('a Docker that was too slow for the hello is asked again at once, and with more patience', async () => {
  const { facts } = await (await startStage()).hub.received('hello');
  const sent: RunnerFrame[] = [];
  const sender = new FactsSender({
    measure: async (dockerLimitMs) => (dockerLimitMs < 10_000 ? { ...facts, dockerVersion: null } : facts),
    send: (frame) => sent.push(frame) > 0,
    clock: manualClock(),
    logger: silentLogger,
  });
  expect((await sender.hello()).dockerVersion).toBeNull();
  sender.connected();
  await until('the facts', () => sent.length > 0);
  sender.stop();
  expect(sent).toEqual([{ v: 1, type: 'facts', facts, sentAt: expect.any(Number) }]);
});

test('a Docker that stops answering is reported too', { tags: 'slow' }, async () => {
  const { hub, docker, looks } = await startFacts();
  docker.facts = null;
  await looks(1);
  expect((await hub.received('facts')).facts).toMatchObject({
    dockerVersion: null,
    buildFixes: null,
    runcFixes: null,
  });
});

test.each([
  ['behind', 600_000],
  ['ahead', -600_000],
])('a clock that jumps %s is reported once, with the new time, and its drift is not', async (_, backMs) => {
  const { facts } = await (await startStage()).hub.received('hello');
  const sent: RunnerFrame[] = [];
  const clock = manualClock();
  const sender = new FactsSender({
    measure: async () => facts,
    send: (frame) => sent.push(frame) > 0,
    clock,
    logger: silentLogger,
  });
  await sender.hello();
  sender.connected();
  await clock.advance(120_000);
  clock.setBack(1_000);
  await clock.advance(120_000);
  expect(sent).toEqual([]);
  clock.setBack(backMs);
  await clock.advance(180_000);
  sender.stop();
  expect(sent).toMatchObject([{ type: 'facts' }]);
  const [frame] = sent;
  const late = clock.now() - (frame?.type === 'facts' ? frame.sentAt : 0);
  expect(late).toBeGreaterThanOrEqual(0);
  expect(late).toBeLessThanOrEqual(180_000);
});
