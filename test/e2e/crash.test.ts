/** Three of the 105 kills of `test/soak/kill.test.ts`: enough to notice at each `npm test` when recovery is broken. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type KillScene, killScene } from '../support/instance/kill-scene.ts';

let scene: KillScene;

beforeAll(async () => {
  scene = await killScene();
});

afterAll(() => scene?.close());

test('the runner is killed after the new container started: it is removed, the job has failed, both apps serve', async () => {
  expect(await scene.killAt('started', ['runner'])).toMatchObject({ status: 'failed' });
});

test('runner and edge are killed after the switch: the deployment ends as succeeded, no request is lost', async () => {
  expect(await scene.killAt('finish', ['runner', 'edge'])).toMatchObject({ status: 'running' });
});

test("the start's process and Caddy are killed during a build: apps come back, the next start ends the job", async () => {
  await scene.killAt('build', ['start', 'caddy']);
});
