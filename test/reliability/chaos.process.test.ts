/** Random deployments, aborts and faults over two runners; `SEED=n` repeats one that failed. Many more seeds: test/soak. */
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../support/runner/temporary-directory.ts';
import { runChaos } from '../support/simulation/chaos-run.ts';

const seed = Number(process.env.SEED ?? 1);

test('after any run of faults every deployment has ended exactly once, and rows, hubs, hosts and logs agree', async () => {
  const report = await runChaos({ seed, deployments: 12, directory: temporaryDirectory() });
  expect(report.violations, `SEED=${seed} ${JSON.stringify(report)}`).toEqual([]);
}, 120_000);
