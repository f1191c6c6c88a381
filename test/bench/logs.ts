/**
 * From a line of a build to its readers. `simulated`: the runner's own log writer, spool and sender over the real socket, without
 * Docker, at the full rate. `build`: a real build whose step prints the time; BuildKit cuts a step off above 100 KB/s and 1 MB,
 * so it prints slower.
 */
import { buildLatency } from './support/build-latency.ts';
import { startBenchControlPlane } from './support/control-plane.ts';
import { type LogRun, simulatedLog } from './support/log-run.ts';
import { type BenchReport, say } from './support/report.ts';

const goals = { p99Ms: 100, rowsPer10k: 300 };

export async function benchLogs(rate: number, seconds: number): Promise<BenchReport> {
  const controlPlane = await startBenchControlPlane();
  const runs: Record<string, LogRun> = {};
  try {
    // The second by 100 readers: a rate at which this machine still moves 100 times the text.
    for (const [readers, linesPerSecond] of [
      [1, rate],
      [100, rate],
      [100, rate / 10],
    ] as const) {
      say(`${readers} readers, ${linesPerSecond} lines/s for ${seconds} s`);
      const run = await simulatedLog(controlPlane, { readers, linesPerSecond, seconds });
      say(JSON.stringify(run));
      runs[`${readers} readers at ${linesPerSecond} lines/s`] = run;
    }
  } finally {
    await controlPlane.stop();
  }
  say('a real build');
  const build = await buildLatency();
  const figures = Object.entries(runs).flatMap(([name, run]) => [
    {
      name: `p99 line to reader, ${name}`,
      goal: `<= ${goals.p99Ms} ms`,
      seen: run.p99Ms,
      met: run.p99Ms <= goals.p99Ms,
      comparedTo: `runner simulated, real socket; median ${run.medianMs} ms, longest ${run.maxMs} ms`,
    },
    {
      name: `lines lost or doubled, ${name}`,
      goal: '0',
      seen: run.lost + run.doubled,
      met: run.lost + run.doubled === 0,
      comparedTo: `${run.lines} lines sent, each reader's ids counted`,
    },
    {
      name: `rows written per 10,000 lines, ${name}`,
      goal: `<= ${goals.rowsPer10k}`,
      seen: run.rowsPer10kLines,
      met: run.rowsPer10kLines <= goals.rowsPer10k,
      comparedTo: 'rows counted in the log object after the run',
    },
  ]);
  return {
    figures: [
      ...figures,
      {
        name: 'p99 line printed in a real build to reader',
        goal: `<= ${goals.p99Ms} ms`,
        seen: build.totalP99Ms,
        met: build.totalP99Ms <= goals.p99Ms,
        comparedTo: `${build.lines} lines at ${build.linesPerSecond}/s; Docker gave them to the runner after ${build.dockerP99Ms} ms (p99), from there to the reader ${build.oursP99Ms} ms`,
      },
    ],
    details: { simulated: runs, build },
  };
}
