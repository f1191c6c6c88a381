/** Three of the kills of `test/soak/data-kill.test.ts`: enough to notice at each `npm test` when the recovery of data jobs is broken. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { killedEngines } from '../../../support/instance/data-engines.ts';
import { type DataKillScene, dataKillScene } from '../../../support/instance/data-kill-scene.ts';

let scene: DataKillScene;

beforeAll(async () => {
  scene = await dataKillScene(killedEngines.redis);
});

afterAll(() => scene?.close());

test('a restore killed before it reported its safety copy leaves no file and changes nothing', async () => {
  const ended = await scene.killAt('restore', 'verify:kept');
  expect(ended).toEqual({ outcome: 'failed: runner_restarted', wrong: [] });
});

test('a restore killed while no container has the name brings the old one back', async () => {
  const ended = await scene.killAt('restore', 'switch:between');
  expect(ended).toEqual({ outcome: 'failed: runner_restarted', wrong: [] });
});

test('a restore killed when the new container has the name starts it and has succeeded', async () => {
  const ended = await scene.killAt('restore', 'switch:named');
  expect(ended).toEqual({ outcome: 'succeeded', wrong: [] });
});
