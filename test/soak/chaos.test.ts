/** 200 deployments a seed. `SEED=n` runs that one alone, `SEEDS=n` the first n. */
import { expect, test } from 'vitest';
import { runChaos } from '../reliability/support/chaos-run.ts';
import { temporaryDirectory } from '../runner/support/temporary-directory.ts';

const { SEED, SEEDS = '1' } = process.env;
const seeds =
  SEED === undefined ? Array.from({ length: Number(SEEDS) }, (_, index) => index + 1) : [Number(SEED)];

test.each(seeds)(
  '200 deployments among faults leave nothing open and nothing that differs (SEED=%i)',
  async (seed) => {
    const report = await runChaos({ seed, deployments: 200, directory: temporaryDirectory() });
    process.stdout.write(`${JSON.stringify(report)}\n`);
    expect(report.violations, `SEED=${seed}`).toEqual([]);
  },
);
