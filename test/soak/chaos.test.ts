/** 200 deployments a seed; the commit chooses one of 14. `SEED=n` runs that one, `SEEDS=n` the first n. */
import { expect, test } from 'vitest';
import { commitShare } from '../support/commit-share.ts';
import { temporaryDirectory } from '../support/runner/temporary-directory.ts';
import { runChaos } from '../support/simulation/chaos-run.ts';

const { SEED, SEEDS = '14' } = process.env;
const firstSeeds = Array.from({ length: Number(SEEDS) }, (_, index) => index + 1);
const chosenSeeds = process.env.SEEDS ? firstSeeds : commitShare(firstSeeds, firstSeeds.length);
const seeds = SEED === undefined ? chosenSeeds : [Number(SEED)];

test.each(seeds)(
  '200 deployments among faults leave nothing open and nothing that differs (SEED=%i)',
  async (seed) => {
    const report = await runChaos({ seed, deployments: 200, directory: temporaryDirectory() });
    process.stdout.write(`${JSON.stringify(report)}\n`);
    expect(report.violations, `SEED=${seed}`).toEqual([]);
  },
);
