/**
 * What doing nothing costs: memory of all that a start leaves running; a thousand idle runners (the runner's own control sockets with signed
 * hellos, all from this process) on one embedded control plane. Wake-ups are counted by a RunnerHub that logs each of them, over all thousand.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { type BenchControlPlane, logLines, startBenchControlPlane } from './support/control-plane.ts';
import { instanceMemory } from './support/instance-memory.ts';
import { median, percentile, round } from './support/numbers.ts';
import { rssMb } from './support/process-use.ts';
import { type BenchReport, say } from './support/report.ts';
import {
  connectSimulated,
  type EnrolledKeys,
  enrolSimulated,
  type SimulatedRunner,
} from './support/simulated-runner.ts';

/** After the last hello the hubs have written and asked what they had to, and sleep. */
const settleMs = 15_000;
const atOnce = 20;

export async function benchIdle(minutes: number, count: number): Promise<BenchReport> {
  const many = await manyRunners(minutes, count);
  say(JSON.stringify(many));
  const instance = await instanceMemory();
  return {
    figures: [
      ...instance.figures,
      {
        name: `wake-ups of ${count} hubs in ${minutes} min`,
        goal: '0',
        seen: many.wakeUps,
        met: many.wakeUps === 0,
        comparedTo: `the same ${count} hubs while they connected: ${many.wakeUpsWhileConnecting} wake-ups, so the counter counts; cron ran every minute`,
      },
      {
        name: `idle runners connected at the end, of ${count}`,
        goal: `${count}`,
        seen: many.connectedAtEnd,
        met: many.connectedAtEnd === count,
        comparedTo: 'GET /api/system/runners',
      },
    ],
    details: { instance: instance.details, many },
  };
}

async function manyRunners(minutes: number, count: number) {
  const controlPlane = await startBenchControlPlane({
    entry: 'test/support/worker/workers/counting-worker.ts',
  });
  const runners: SimulatedRunner[] = [];
  try {
    const emptyMb = rssMb(controlPlane.workerdPid);
    say(`enrolling ${count} runners`);
    const keys = await inGroups(count, (index) => enrolSimulated(controlPlane, `bench-${index}`));
    say('connecting');
    const from = performance.now();
    const times: number[] = [];
    await inGroups(count, async (index) => {
      const begun = performance.now();
      runners.push(await connectSimulated(controlPlane.url, keys[index] as EnrolledKeys));
      times.push(performance.now() - begun);
    });
    const connectedMs = performance.now() - from;
    await pause(settleMs);
    const before = await logLines(controlPlane, 'hub-woken');
    const readyMb = rssMb(controlPlane.workerdPid);
    say(`connected in ${connectedMs.toFixed(0)} ms; idle for ${minutes} min`);
    await idle(controlPlane, minutes);
    const after = (await logLines(controlPlane, 'hub-woken')).slice(before.length);
    const answerMs = await answerTime(controlPlane);
    const { runners: listed } = await controlPlane.operator('GET', '/api/system/runners');
    const connectedAtEnd = listed.filter((one: { connected: boolean }) => one.connected).length;
    return {
      connectMs: {
        all: round(connectedMs, 0),
        median: round(median(times), 0),
        p99: round(percentile(times, 0.99), 0),
      },
      reconnects: runners.reduce((sum, one) => sum + one.connections() - 1, 0),
      workerdMb: {
        empty: round(emptyMb),
        connected: round(readyMb),
        afterIdling: round(rssMb(controlPlane.workerdPid)),
      },
      wakeUpsWhileConnecting: before.length,
      wakeUps: after.length,
      wokenBy: countBy(after.map((line) => /hub-woken (\w+)/.exec(line)?.[1] ?? '')),
      getProjectsMs: answerMs,
      connectedAtEnd,
    };
  } finally {
    for (const runner of runners) runner.close();
    await controlPlane.stop();
  }
}

/** Minutes in which nothing happens but the pings and the cron. */
async function idle(controlPlane: BenchControlPlane, minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute++) {
    await pause(Math.min(1, minutes - minute) * 60_000);
    await controlPlane.runScheduled(Date.now());
  }
}

async function answerTime(controlPlane: BenchControlPlane): Promise<number> {
  const times: number[] = [];
  for (let index = 0; index < 20; index++) {
    const from = performance.now();
    await controlPlane.call('GET', '/api/projects');
    times.push(performance.now() - from);
  }
  return round(median(times));
}

async function inGroups<Result>(count: number, one: (index: number) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  for (let from = 0; from < count; from += atOnce) {
    const group = Array.from({ length: Math.min(atOnce, count - from) }, (_, index) => one(from + index));
    results.push(...(await Promise.all(group)));
  }
  return results;
}

const countBy = (names: string[]) =>
  Object.fromEntries([...Map.groupBy(names, (name) => name)].map(([name, all]) => [name, all.length]));
