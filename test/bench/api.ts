/** An authenticated `GET /api/projects` (20 projects of 5 services) against a bare Hono route with the same statements, side by side. */
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import autocannon from 'autocannon';
import { type BenchControlPlane, startBenchControlPlane } from './support/control-plane.ts';
import { median, round } from './support/numbers.ts';
import { type BenchReport, say } from './support/report.ts';
import { enrolSimulated } from './support/simulated-runner.ts';

const connections = 16;
/** Short turns, so that what else the machine does falls on both. */
const rounds = 10;
const turnSeconds = 3;
const warmSeconds = 2;
const goals = { share: 0.6, bundleBytes: 1_000_000 };

interface Round {
  requestsPerSecond: number;
  p50Ms: number;
  p99Ms: number;
}

export async function benchApi(seconds = turnSeconds): Promise<BenchReport> {
  const longshore = await startBenchControlPlane();
  const copy = await mkdtemp(join(tmpdir(), 'longshore-bench-copy-'));
  try {
    say('20 projects of 5 services');
    await fill(longshore);
    await cp(longshore.persistDirectory, copy, { recursive: true });
    const bare = await startBenchControlPlane({
      entry: 'test/worker/support/bare-projects-worker.ts',
      data: { persistDirectory: copy, apiKey: longshore.apiKey },
    });
    try {
      return report(
        await turns(longshore, bare, seconds),
        gzipSync(await readFile(longshore.bundle.script)).length,
        await sizes(longshore, bare),
      );
    } finally {
      await bare.stop();
    }
  } finally {
    await longshore.stop();
    await rm(copy, { recursive: true, force: true });
  }
}

async function turns(longshore: BenchControlPlane, bare: BenchControlPlane, seconds: number) {
  const results = { longshore: [] as Round[], bare: [] as Round[] };
  await load(longshore, warmSeconds);
  await load(bare, warmSeconds);
  for (let index = 1; index <= rounds; index++) {
    results.longshore.push(await load(longshore, seconds));
    results.bare.push(await load(bare, seconds));
    say(
      `round ${index}: Longshore ${results.longshore.at(-1)?.requestsPerSecond}/s, bare ${results.bare.at(-1)?.requestsPerSecond}/s`,
    );
  }
  return results;
}

async function load({ url, apiKey }: BenchControlPlane, duration: number): Promise<Round> {
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
  };
}

async function sizes(longshore: BenchControlPlane, bare: BenchControlPlane) {
  const [ours, theirs] = await Promise.all(
    [longshore, bare].map(async (one) => JSON.stringify(await one.call('GET', '/api/projects')).length),
  );
  return { longshore: ours, bare: theirs };
}

function report(
  results: { longshore: Round[]; bare: Round[] },
  bundleBytes: number,
  answerBytes: object,
): BenchReport {
  const rate = (of: Round[]) => median(of.map(({ requestsPerSecond }) => requestsPerSecond));
  const shares = results.longshore.map(
    (one, index) => one.requestsPerSecond / (results.bare[index]?.requestsPerSecond ?? 0),
  );
  const share = median(shares);
  return {
    figures: [
      {
        name: 'GET /api/projects, share of the bare route',
        goal: `>= ${goals.share}`,
        seen: round(share, 2),
        met: share >= goals.share,
        comparedTo: `bare Hono route, one D1 batch of the same statements, same data: ${rate(results.bare)}/s; Longshore ${rate(results.longshore)}/s; ${connections} connections, median of ${rounds} pairs of turns`,
      },
      {
        name: 'bundle, gzipped',
        goal: `<= ${goals.bundleBytes} bytes`,
        seen: bundleBytes,
        met: bundleBytes <= goals.bundleBytes,
        comparedTo: 'what wrangler builds for a deployment',
      },
    ],
    details: {
      ...results,
      answerBytes,
      roundTrips: 'test/worker/api/round-trips.test.ts: at most 2 a read, 3 a write',
    },
  };
}

async function fill(longshore: BenchControlPlane): Promise<void> {
  await enrolSimulated(longshore, 'bench');
  for (let index = 1; index <= 20; index++) {
    const body = { name: `Project ${index}`, description: 'of the bench' };
    const { project } = await longshore.call('POST', '/api/projects', body);
    for (const name of ['web', 'api', 'jobs', 'mail', 'docs']) {
      await longshore.call('POST', `/api/projects/${project.id}/services`, {
        name,
        repoFullName: null,
        repoUrl: `https://git.example.com/${name}.git`,
        branch: 'main',
        env: [{ key: 'MODE', value: 'production' }],
      });
    }
  }
}
