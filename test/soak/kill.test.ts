/**
 * `kill -9` of every program of an instance and of every pair of them, at every phase of a deployment. Each time: the job ends in a
 * true state, the two apps serve on (after Caddy's own death again within 2 s), and nothing is left without an owner.
 * Each is tried once more when it fails: the 2 s are missed on a machine that does much else, and see the open row of
 * docs/reliability.md. `LONGSHORE_KILL=<moment>` or `<moment>:<program+program>` runs a part.
 */
import { afterAll, beforeAll, describe, test } from 'vitest';
import { type Program, programs } from './support/instance-processes.ts';
import { type KillScene, killScene, type Moment, moments } from './support/kill-scene.ts';

const sets: Program[][] = programs.flatMap((one, index) => [
  [one],
  ...programs.slice(index + 1).map((other) => [one, other]),
]);
const [onlyMoment, onlySet] = (process.env.LONGSHORE_KILL ?? '').split(':');

let scene: KillScene;

beforeAll(async () => {
  scene = await killScene();
});

afterAll(() => scene?.close());

for (const moment of Object.keys(moments) as Moment[]) {
  describe.runIf(!onlyMoment || onlyMoment === moment)(`killed at ${moment}`, () => {
    for (const victims of sets) {
      test.runIf(!onlySet || onlySet === victims.join('+'))(victims.join(' and '), { retry: 1 }, async () => {
        // The table of docs/reliability.md is made from these lines.
        process.stdout.write(`${JSON.stringify(await scene.killAt(moment, victims))}\n`);
      });
    }
  });
}
