/**
 * An authenticated `GET /api/projects` (20 projects of 5 services) against a bare Hono route with the same statements, in turns; what
 * each check of a request takes; and the list of an account that is a hundred times as large.
 */
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import autocannon from 'autocannon';
import { type BenchControlPlane, startBenchControlPlane } from './support/control-plane.ts';
import { fillProjects } from './support/fill-projects.ts';
import { median, round } from './support/numbers.ts';
import { cpuMs } from './support/process-use.ts';
import { type BenchReport, type Figure, say } from './support/report.ts';
import { enrolSimulated } from './support/simulated-runner.ts';

const connections = 16;
/** Short turns, so that what else the machine does falls on both. */
const rounds = 10;
const turnSeconds = 3;
const warmSeconds = 2;
const small = { projects: 20, servicesEach: 5 };
const large = { projects: 200, servicesEach: 10 };
/** A simulated host has 1,000 ports. */
const hostsOfLarge = 3;
const listRounds = 15;
const goals = { share: 0.6, bundleBytes: 1_000_000, largeListMs: 300 };
/** How often each check runs in one request; those with a round trip to D1 less often. */
const checkTimes = {
  none: 10_000,
  key: 10_000,
  limits: 10_000,
  scoped: 300,
  unscoped: 300,
  audit: 300,
  idempotency: 200,
};
const checkRounds = 5;

interface Turn {
  requestsPerSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** Of workerd: what other programs do on the machine is not in it. */
  cpuMsPerRequest: number;
}

interface Pair {
  longshore: BenchControlPlane;
  bare: BenchControlPlane;
}

export async function benchApi(seconds = turnSeconds): Promise<BenchReport> {
  const longshore = await startBenchControlPlane();
  const copy = await mkdtemp(join(tmpdir(), 'longshore-bench-copy-'));
  try {
    say(`${small.projects} projects of ${small.servicesEach} services`);
    await enrolSimulated(longshore, 'bench');
    await fillProjects(longshore, small);
    await cp(longshore.persistDirectory, copy, { recursive: true });
    const bare = await startBenchControlPlane({
      entry: 'test/support/worker/workers/api-bench-worker.ts',
      data: { persistDirectory: copy, apiKey: longshore.apiKey },
    });
    try {
      return await report({ longshore, bare }, seconds);
    } finally {
      await bare.stop();
    }
  } finally {
    await longshore.stop();
    await rm(copy, { recursive: true, force: true });
  }
}

async function report(pair: Pair, seconds: number): Promise<BenchReport> {
  const turns = await takeTurns(pair, seconds);
  const answerBytes = await sizes(pair);
  const microseconds = await timeChecks(pair.bare);
  const bundleBytes = gzipSync(await readFile(pair.longshore.bundle.script)).length;
  const bundle: Figure = {
    name: 'bundle, gzipped',
    goal: `<= ${goals.bundleBytes} bytes`,
    seen: bundleBytes,
    met: bundleBytes <= goals.bundleBytes,
    comparedTo: 'what wrangler builds for a deployment',
  };
  return {
    figures: [...shares(turns), await largeList(), bundle],
    details: { ...turns, answerBytes, microsecondsOfChecks: microseconds },
  };
}

type Turns = Record<keyof Pair, Turn[]>;

async function takeTurns({ longshore, bare }: Pair, seconds: number): Promise<Turns> {
  const turns: Turns = { longshore: [], bare: [] };
  await load(longshore, warmSeconds);
  await load(bare, warmSeconds);
  for (let index = 1; index <= rounds; index++) {
    const ours = await load(longshore, seconds);
    const theirs = await load(bare, seconds);
    turns.longshore.push(ours);
    turns.bare.push(theirs);
    say(`round ${index}: Longshore ${ours.requestsPerSecond}/s, bare ${theirs.requestsPerSecond}/s`);
  }
  return turns;
}

async function load({ url, apiKey, workerdPid }: BenchControlPlane, duration: number): Promise<Turn> {
  const cpuBefore = cpuMs(workerdPid);
  const result = await autocannon({
    url: `${url}/api/projects`,
    connections,
    duration,
    headers: { authorization: `Bearer ${apiKey}` },
  });
  if (result.non2xx + result.errors > 0) throw new Error(`${result.non2xx + result.errors} requests failed`);
  return {
    requestsPerSecond: round(result.requests.average, 0),
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    cpuMsPerRequest: round((cpuMs(workerdPid) - cpuBefore) / result.requests.total, 2),
  };
}

function shares({ longshore, bare }: Turns): Figure[] {
  const mean = (of: Turn[], read: (turn: Turn) => number) => median(of.map(read));
  const pairs = longshore.map((one, index) => [one, bare[index] ?? one] as const);
  const rate = (turn: Turn) => turn.requestsPerSecond;
  const cpu = (turn: Turn) => turn.cpuMsPerRequest;
  const shareOfRate = median(pairs.map(([ours, theirs]) => rate(ours) / rate(theirs)));
  const shareOfCpu = median(pairs.map(([ours, theirs]) => cpu(theirs) / cpu(ours)));
  const comparedTo = `bare Hono route, one D1 batch of the same statements, same data; ${connections} connections, median of ${rounds} pairs of turns`;
  return [
    {
      name: 'GET /api/projects, share of the bare route',
      goal: `>= ${goals.share}`,
      seen: round(shareOfRate, 2),
      met: shareOfRate >= goals.share,
      comparedTo: `${comparedTo}: ${mean(bare, rate)}/s; Longshore ${mean(longshore, rate)}/s`,
    },
    {
      name: 'the same by CPU time of workerd, which other programs leave alone',
      goal: `>= ${goals.share}`,
      seen: round(shareOfCpu, 2),
      met: shareOfCpu >= goals.share,
      comparedTo: `${comparedTo}: ${mean(bare, cpu)} ms a request; Longshore ${mean(longshore, cpu)} ms`,
    },
  ];
}

/** Microseconds that each check takes of a request, the best of some rounds, in turns; those of `scope` and the last two are D1's. */
async function timeChecks(bare: BenchControlPlane): Promise<Record<string, number>> {
  say('checks');
  const { services } = await bare.call('GET', '/api/projects');
  const best = new Map<string, number>();
  for (let left = checkRounds; left > 0; left--) {
    for (const [name, times] of Object.entries(checkTimes)) {
      const startedAt = performance.now();
      await bare.call('GET', `/checks/${name}?times=${times}&service=${services[0].service_id}`);
      const microseconds = ((performance.now() - startedAt) * 1000) / times;
      best.set(name, Math.min(best.get(name) ?? Number.POSITIVE_INFINITY, microseconds));
    }
  }
  const taken = (name: keyof typeof checkTimes, without: keyof typeof checkTimes = 'none') =>
    round((best.get(name) ?? 0) - (best.get(without) ?? 0), 1);
  return {
    key: taken('key'),
    scope: taken('scoped', 'unscoped'),
    rateLimits: taken('limits'),
    auditOfAWrite: taken('audit'),
    idempotencyKey: taken('idempotency'),
  };
}

/** One request at a time on an instance of its own. */
async function largeList(): Promise<Figure> {
  say(`${large.projects} projects of ${large.servicesEach} services: this takes a while`);
  const controlPlane = await startBenchControlPlane();
  try {
    for (let host = 1; host <= hostsOfLarge; host++) await enrolSimulated(controlPlane, `bench ${host}`);
    await fillProjects(controlPlane, large);
    const times: number[] = [];
    for (let left = listRounds; left > 0; left--) {
      const startedAt = performance.now();
      await controlPlane.call('GET', '/api/projects');
      times.push(performance.now() - startedAt);
    }
    const seen = round(median(times));
    return {
      name: `GET /api/projects, ${large.projects} projects of ${large.servicesEach} services`,
      goal: `<= ${goals.largeListMs} ms`,
      seen,
      met: seen <= goals.largeListMs,
      comparedTo: `nothing; median of ${listRounds}, slowest ${round(Math.max(...times))} ms, in one round trip to D1`,
    };
  } finally {
    await controlPlane.stop();
  }
}

async function sizes({ longshore, bare }: Pair) {
  const [ours, theirs] = await Promise.all(
    [longshore, bare].map(async (one) => JSON.stringify(await one.call('GET', '/api/projects')).length),
  );
  return { longshore: ours, bare: theirs };
}
