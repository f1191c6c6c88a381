/**
 * `kill -9` of the runner at every named point of a backup, a restore and an import, for every engine. Each time: the job ends in a true
 * state, the old or the new data is live and takes writes, and nothing is left without an owner: no file, container, network or volume.
 * `npm run test:all` tries a third of the points of each engine, so that each point is tried with two of the six engines; `test:everything`
 * tries them all (20 min).
 * `LONGSHORE_KILL=<engine>`, `<engine>:<kind>` or `<engine>:<kind>:<point>` runs a part.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CrashPoint } from '../../runner/base/crash-point.ts';
import { engines } from '../../runner/engines/index.ts';
import { type KilledEngine, killedEngines } from '../support/instance/data-engines.ts';
import {
  type DataKillScene,
  type DataKind,
  dataKillScene,
  type KillPoint,
} from '../support/instance/data-kill-scene.ts';
import { everyNth, everything } from '../support/level.ts';

const { LONGSHORE_KILL = '' } = process.env;
const [onlyEngine, onlyKind, ...rest] = LONGSHORE_KILL.split(':');
const onlyPoint = rest.join(':');
const shares = LONGSHORE_KILL || everything ? 1 : 3;

const safety: CrashPoint[] = ['safeguard:begun', 'dump:written', 'verify:begun', 'verify:kept'];
const loading: KillPoint[] = ['load:begun', 'load:halfway', 'load:done', 'prove:begun'];
const exchange: CrashPoint[] = ['switch:begun', 'switch:permitted', 'switch:moved'];
const ofVolumes: CrashPoint[] = [
  'switch:stopped',
  'switch:between',
  'switch:named',
  'switch:started',
  'switch:served',
];
const ofServers: CrashPoint[] = ['switch:closed', 'switch:renamed', 'switch:committed'];
const ends: CrashPoint[] = ['report:journalled', 'report:sent'];

const pointsOf = ({ engine, source }: KilledEngine): Record<DataKind, KillPoint[]> => {
  const isServer = engine === 'postgres' || engine === 'timescale';
  const own = engines[engine].restore === 'volume' ? ofVolumes : isServer ? ofServers : [];
  const exchanged = [...exchange, ...own, ...ends];
  const made: CrashPoint[] = isServer ? ['load:made'] : [];
  const filled: CrashPoint[] = engine === 'mysql' || engine === 'mongodb' ? ['load:filled'] : [];
  return {
    backup: [
      'dump:begun',
      ...(isServer ? (['dump:searched'] as const) : []),
      'dump:written',
      'verify:begun',
      'verify:kept',
      'upload:begun',
      'upload:done',
      ...ends,
    ],
    restore: ['fetch:begun', ...safety, ...made, ...filled, ...loading, ...exchanged],
    import: source ? [...safety, ...made, ...loading, ...exchanged] : [],
  };
};

for (const [place, killed] of Object.values(killedEngines).entries()) {
  const { engine } = killed;
  describe.runIf(!onlyEngine || onlyEngine === engine)(engine, () => {
    let scene: DataKillScene;
    beforeAll(async () => {
      scene = await dataKillScene(killed);
    });
    afterAll(() => scene?.close());

    for (const [kind, points] of Object.entries(pointsOf(killed)) as [DataKind, KillPoint[]][]) {
      describe.runIf(points.length > 0 && (!onlyKind || onlyKind === kind))(kind, () => {
        for (const point of everyNth(points, shares, place)) {
          test.runIf(!onlyPoint || onlyPoint === point)(`killed at ${point}`, async () => {
            const { outcome, wrong } = await scene.killAt(kind, point);
            // The table of docs/design/reliability.md is made from these lines.
            process.stdout.write(`${JSON.stringify({ engine, kind, point, outcome })}\n`);
            expect(wrong).toEqual([]);
          });
        }
      });
    }
  });
}
