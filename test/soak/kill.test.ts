/**
 * `kill -9` of every program of an instance and of every pair of them, at every phase of a deployment. Each time: the job ends in a
 * true state, the two apps serve on (after Caddy's own death again within 2 s), and nothing is left without an owner.
 * `npm run test:all` kills each program at each moment, `test:everything` also their pairs (105 kills, 10 min).
 * `LONGSHORE_KILL=<moment>` or `<moment>:<program+program>` runs a part.
 */
import { afterAll, beforeAll, describe, test } from 'vitest';
import { type Program, programs } from '../support/instance/instance-processes.ts';
import { type KillScene, killScene, type Moment, moments } from '../support/instance/kill-scene.ts';
import { everything } from '../support/level.ts';

const { LONGSHORE_KILL = '' } = process.env;
const [onlyMoment, onlySet] = LONGSHORE_KILL.split(':');
const sets: Program[][] = programs.flatMap((one, index) => [
  [one],
  ...(everything || onlySet ? programs.slice(index + 1).map((other) => [one, other]) : []),
]);

let scene: KillScene;

beforeAll(async () => {
  scene = await killScene();
});

afterAll(() => scene?.close());

for (const moment of Object.keys(moments) as Moment[]) {
  describe.runIf(!onlyMoment || onlyMoment === moment)(`killed at ${moment}`, () => {
    for (const victims of sets) {
      test.runIf(!onlySet || onlySet === victims.join('+'))(victims.join(' and '), async () => {
        // The table of docs/design/reliability.md is made from these lines.
        process.stdout.write(`${JSON.stringify(await scene.killAt(moment, victims))}\n`);
      });
    }
  });
}
