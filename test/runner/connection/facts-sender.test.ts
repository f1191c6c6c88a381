import { describe, expect, test } from 'vitest';
import type { RunnerFrame } from '../../../protocol/frames.ts';
import { FactsSender } from '../../../runner/connection/facts-sender.ts';
import { manualClock } from '../../support/runner/manual-clock.ts';
import { silentLogger } from '../../support/runner/silent-logger.ts';
import { startStage } from '../../support/runner/stage.ts';
import { until } from '../../support/runner/until.ts';

const oldDocker = { version: '20.10.24', userNamespaces: false, storageLimits: false };

describe('the facts of the host', () => {
  test('the hello has them, and nothing is sent again while they stay the same', async () => {
    const { hub, pass } = await startStage();
    const { facts } = await hub.received('hello');
    expect(facts).toMatchObject({
      dockerVersion: '27.3.1',
      buildFixes: true,
      isolation: { userNamespaces: true, storageLimits: false },
    });
    await pass(180_000);
    expect(hub.all('facts')).toEqual([]);
  });

  test('a change is reported within a minute, once', async () => {
    const { hub, host, pass } = await startStage();
    host.dockerFacts = async () => oldDocker;
    await pass(60_000);
    const { facts } = await hub.received('facts');
    expect(facts).toMatchObject({ dockerVersion: '20.10.24', buildFixes: false });
    await pass(120_000);
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
    expect(sent).toEqual([{ v: 1, type: 'facts', facts }]);
  });

  test('a Docker that stops answering is reported too', async () => {
    const { hub, host, pass } = await startStage();
    host.dockerFacts = async () => null;
    await pass(60_000);
    expect((await hub.received('facts')).facts).toMatchObject({ dockerVersion: null, buildFixes: null });
  });
});
