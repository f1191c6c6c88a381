/**
 * What Longshore adds to a deployment: POST to the first 200 from the new version, minus the same clone, build and run done by hand
 * through the Docker API. Rounds of both take turns, each with a change in the app's one file; base image and other layers are cached.
 */

import { setTimeout as pause } from 'node:timers/promises';
import { webApp } from '../support/instance/repository.ts';
import { type BenchInstance, withInstance } from './support/bench-instance.ts';
import { byHand } from './support/by-hand.ts';
import { firstAnswer } from './support/first-answer.ts';
import { median, round, spread } from './support/numbers.ts';
import { type BenchReport, say } from './support/report.ts';

const goalMs = 400;
/** The old version drains and goes; not to be paid by the next round. */
const settleMs = 2_500;
/** In each version's text: no layer with it is in the cache of an earlier run. */
const run = Date.now();

export function benchDeploy(rounds: number): Promise<BenchReport> {
  return withInstance(async (instance) => {
    const ours = await ownDeployments(instance);
    const hand = await byHand(instance);
    try {
      await ours.round(`ours 0 of ${run}`);
      await hand.round(`hand 0 of ${run}`);
      const times = { ours: [] as number[], hand: [] as number[] };
      const phases: Record<string, number>[] = [];
      const steps: Record<string, number>[] = [];
      for (let index = 1; index <= rounds; index++) {
        const inTurn = [
          async () => {
            const { ms, marks } = await ours.round(`ours ${index} of ${run}`);
            times.ours.push(ms);
            phases.push(marks);
          },
          async () => {
            const { ms, marks } = await hand.round(`hand ${index} of ${run}`);
            times.hand.push(ms);
            steps.push(marks);
          },
        ];
        for (const turn of index % 2 ? inTurn : inTurn.reverse()) {
          await turn();
          await pause(settleMs);
        }
        say(
          `round ${index}: Longshore ${times.ours.at(-1)?.toFixed(0)} ms, by hand ${times.hand.at(-1)?.toFixed(0)} ms`,
        );
      }
      return report(times, phases, steps);
    } finally {
      await hand.end();
    }
  });
}

function report(
  times: { ours: number[]; hand: number[] },
  phases: Record<string, number>[],
  steps: Record<string, number>[],
): BenchReport {
  const overheadMs = median(times.ours) - median(times.hand);
  return {
    figures: [
      {
        name: 'overhead of a deployment (medians)',
        goal: `<= ${goalMs} ms`,
        seen: round(overheadMs, 0),
        met: overheadMs <= goalMs,
        comparedTo: `git clone, Docker API build and run of the same app by hand: ${median(times.hand).toFixed(0)} ms; Longshore: ${median(times.ours).toFixed(0)} ms`,
      },
    ],
    details: {
      oursMs: spread(times.ours),
      handMs: spread(times.hand),
      oursMsFromPost: medians(phases),
      handMsFromStart: medians(steps),
    },
  };
}

function medians(rows: Record<string, number>[]): Record<string, number> {
  const names = Object.keys(rows[0] ?? {});
  return Object.fromEntries(names.map((name) => [name, round(median(rows.map((row) => row[name] ?? 0)), 0)]));
}

async function ownDeployments(instance: BenchInstance) {
  const { longshore } = instance;
  const repository = await instance.repository('ours', webApp('none'));
  const service = await instance.service(repository);
  return {
    async round(version: string) {
      await repository.commit(webApp(version));
      const startedAt = Date.now();
      const from = performance.now();
      const id = await instance.queue(service.id);
      const posted = performance.now() - from;
      await firstAnswer(`http://127.0.0.1:${service.hostPort}/`, version);
      const ms = performance.now() - from;
      const deployment = await longshore.finished(id, service.id);
      if (deployment.status !== 'running') throw new Error(await longshore.log(id));
      const { body } = await longshore.call('GET', `/api/deployments/${id}/logs`);
      const marks: Record<string, number> = { posted, 'first 200': ms };
      for (const { line, createdAt } of body.logs) {
        const at = Date.parse(createdAt) - startedAt;
        if (/^Fetching branch/.test(line)) marks['clone begun'] = at;
        const phase = /^(\w+): done in/.exec(line)?.[1];
        if (phase) marks[`${phase} done`] = at;
      }
      return { ms, marks };
    },
  };
}
