/** 200 deployments a seed: 2 seeds with `npm run test:all`, 14 with `test:everything`. `SEED=n` runs that one, `SEEDS=n` the first n. */
import { expect, test } from 'vitest';
import { byLevel } from '../support/level.ts';
import { temporaryDirectory } from '../support/runner/temporary-directory.ts';
import { runChaos } from '../support/simulation/chaos-run.ts';

const { SEED, SEEDS = byLevel({ test: 1, all: 2, everything: 14 }) } = process.env;
const firstSeeds = Array.from({ length: Number(SEEDS) }, (_, index) => index + 1);
const seeds = SEED === undefined ? firstSeeds : [Number(SEED)];

test.each(seeds)(
  '200 deployments among faults leave nothing open and nothing that differs (SEED=%i)',
  async (seed) => {
    const report = await runChaos({ seed, deployments: 200, directory: temporaryDirectory() });
    process.stdout.write(`${JSON.stringify(report)}\n`);
    expect(report.violations, `SEED=${seed}`).toEqual([]);
  },
);
