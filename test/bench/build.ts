/**
 * What the analyzer costs: the same app built by its plan and by the Dockerfile that a person who knows both would write, in turns.
 * Cold: no layer and no download is kept. Warm: one line of the source has changed since the last build.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { labels } from '../../protocol/names.ts';
import { detect } from '../../runner/builder/analyzer/detect.ts';
import { projectOnDisk } from '../../runner/builder/analyzer/disk-files.ts';
import { dockerfile } from '../../runner/builder/analyzer/dockerfile.ts';
import { contextDockerfile, packPlanContext } from '../../runner/builder/analyzer/plan-context.ts';
import { contextEntries, packContext, sourceEntries } from '../../runner/builder/docker-context.ts';
import { buildImage } from '../../runner/docker/image-build/build.ts';
import { type TestHost, testHost, testId } from '../support/docker/docker-host.ts';
import { fixtureApp } from '../support/fixture-app.ts';
import { writeFiles } from '../support/runner/repository.ts';
import { benchDockerfiles } from './support/build-by-hand.ts';
import { median, round, spread } from './support/numbers.ts';
import { type BenchReport, type Figure, say } from './support/report.ts';

const goals = { cold: 1.2, warm: 1.1, size: 1.2 };

interface Built {
  ms: number;
  bytes: number;
}

/** Whose way; each has a directory and caches of its own in every round. */
type Way = 'analyzer' | 'hand';

interface Times {
  cold: Record<Way, number[]>;
  warm: Record<Way, number[]>;
  bytes: Record<Way, number>;
}

/** @param rounds of both ways for each app */
export async function benchBuild(rounds: number): Promise<BenchReport> {
  const host = await testHost();
  try {
    const figures: Figure[] = [];
    const details: Record<string, unknown> = {};
    for (const [app, { roundsMax = rounds }] of Object.entries(benchDockerfiles)) {
      const times = await timesOf(host, app, Math.min(rounds, roundsMax));
      figures.push(...figuresOf(app, times));
      details[app] = {
        coldMs: { analyzer: spread(times.cold.analyzer), hand: spread(times.cold.hand) },
        warmMs: { analyzer: spread(times.warm.analyzer), hand: spread(times.warm.hand) },
        bytes: times.bytes,
      };
    }
    return { figures, details };
  } finally {
    await host.remove();
  }
}

async function timesOf(host: TestHost, app: string, rounds: number): Promise<Times> {
  const times: Times = {
    cold: { analyzer: [], hand: [] },
    warm: { analyzer: [], hand: [] },
    bytes: { analyzer: 0, hand: 0 },
  };
  for (let index = 0; index < rounds; index++) {
    const ways: Way[] = index % 2 ? ['hand', 'analyzer'] : ['analyzer', 'hand'];
    for (const way of ways) {
      const { cold, warm } = await oneRound(host, app, way);
      times.cold[way].push(cold.ms);
      times.warm[way].push(warm.ms);
      times.bytes[way] = warm.bytes;
      say(`${app}, round ${index + 1}, ${way}: cold ${cold.ms.toFixed(0)} ms, warm ${warm.ms.toFixed(0)} ms`);
    }
  }
  return times;
}

async function oneRound(host: TestHost, app: string, way: Way): Promise<{ cold: Built; warm: Built }> {
  const serviceId = testId('service');
  const root = await mkdtemp(join(host.dataDirectory, 'app-'));
  try {
    writeFiles(root, fixtureApp(app));
    // No layer of an earlier round has this manifest; the cache mounts are named after the service.
    const manifest = join(root, 'package.json');
    const json: object = JSON.parse(await readFile(manifest, 'utf8'));
    await writeFile(manifest, JSON.stringify({ ...json, description: serviceId }));
    const build = () => (way === 'hand' ? byHand(host, app, root, serviceId) : byPlan(host, root, serviceId));
    const cold = await build();
    const { changed } = benchDockerfiles[app] ?? { changed: '' };
    await writeFile(join(root, changed), `${await readFile(join(root, changed), 'utf8')}\n// ${serviceId}\n`);
    return { cold, warm: await build() };
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

/** All that a deployment does between checkout and image. */
async function byPlan(host: TestHost, root: string, serviceId: string): Promise<Built> {
  return await timed(host, serviceId, async () => {
    const plan = await detect(projectOnDisk(root), {
      installCommand: null,
      buildCommand: null,
      startCommand: null,
      staticOutput: null,
      runtimeMode: 'web',
      env: {},
    });
    const text = dockerfile(plan, { serviceId, builder: 'buildkit', variables: [] });
    const entries = await sourceEntries(root);
    return { dockerfile: contextDockerfile, context: () => packPlanContext(root, entries, text) };
  });
}

async function byHand(host: TestHost, app: string, root: string, serviceId: string): Promise<Built> {
  const name = 'Dockerfile';
  await writeFile(join(root, name), (benchDockerfiles[app]?.text ?? '').replaceAll('CACHE', serviceId));
  return await timed(host, serviceId, async () => {
    const entries = await contextEntries(root, name);
    const sent = { path: name, mode: 0o644, text: await readFile(join(root, name), 'utf8') };
    return { dockerfile: name, context: () => packContext(root, entries, sent) };
  });
}

async function timed(
  host: TestHost,
  serviceId: string,
  prepare: () => Promise<Pick<Parameters<typeof buildImage>[1], 'dockerfile' | 'context'>>,
): Promise<Built> {
  const lines: string[] = [];
  const log = { line: (_: string, text: string) => void lines.push(text), write: () => {}, hide: () => {} };
  const from = performance.now();
  const image = {
    ...(await prepare()),
    tag: `bench-${serviceId}`,
    labels: { [labels.instance]: host.docker.instance },
  };
  await buildImage(host.docker, image, log, AbortSignal.timeout(600_000)).catch((error: unknown) => {
    throw new Error(lines.slice(-20).join('\n'), { cause: error });
  });
  const ms = performance.now() - from;
  const { Size } = await host.docker.engine.getImage(image.tag).inspect();
  return { ms, bytes: Size };
}

function figuresOf(app: string, { cold, warm, bytes }: Times): Figure[] {
  const figure = (name: string, goal: number, analyzer: number, hand: number, unit: string): Figure => ({
    name: `${app}: ${name}, analyzer / by hand`,
    goal: `<= ${goal}`,
    seen: round(analyzer / hand, 2),
    met: analyzer / hand <= goal,
    comparedTo: `${round(analyzer, 0)} ${unit} against ${round(hand, 0)} ${unit} by hand`,
  });
  return [
    figure('cold build', goals.cold, median(cold.analyzer), median(cold.hand), 'ms'),
    figure('warm build', goals.warm, median(warm.analyzer), median(warm.hand), 'ms'),
    figure('image size', goals.size, bytes.analyzer / 1e6, bytes.hand / 1e6, 'MB'),
  ];
}
