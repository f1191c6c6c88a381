/**
 * What metrics cost a host: files and answers after two simulated weeks of 50 services, and the processor and memory of measuring 50 real
 * containers in this process.
 */
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { seriesNames } from '../../protocol/metrics/series.ts';
import { systemClock } from '../../runner/base/clock.ts';
import { ExitHistory } from '../../runner/docker/events.ts';
import { hostKey } from '../../runner/metrics/columns.ts';
import { Histogram } from '../../runner/metrics/histogram.ts';
import { MetricStore, type Sample } from '../../runner/metrics/metric-store.ts';
import { startMetrics } from '../../runner/metrics/metrics.ts';
import { testHost } from '../support/docker/docker-host.ts';
import { createLiveContainer, idle } from '../support/docker/live-container.ts';
import { median, round } from './support/numbers.ts';
import { type BenchReport, say } from './support/report.ts';

const services = 50;
const dayMs = 86_400_000;
const keyOf = (n: number) => `svc_${String(n).padStart(16, '0')}`;

export async function benchMetrics(minutes: number): Promise<BenchReport> {
  const directory = await mkdtemp(join(tmpdir(), 'longshore-metrics-'));
  try {
    const kept = await keptFor(14, directory);
    say(JSON.stringify(kept));
    const measuring = await measureContainers(minutes);
    return {
      figures: [
        {
          name: `files of ${services} services and the host after two weeks`,
          goal: '<= 20 MiB',
          seen: `${kept.megabytes} MiB`,
          met: kept.megabytes <= 20,
          comparedTo: `${services} services, every value changing`,
        },
        {
          name: 'answer for a month of a service, all series',
          goal: 'reported',
          seen: `${kept.monthMs} ms`,
          met: true,
          comparedTo: `the last hour ${kept.hourMs} ms, the last day by 60 s ${kept.dayMs} ms; medians of 15, without the way to the host`,
        },
        {
          name: `processor for ${services} containers`,
          goal: '<= 1 % of a core',
          seen: `${measuring.percent} %`,
          met: measuring.percent <= 1,
          comparedTo: `the same process without metrics: ${measuring.withoutPercent} %; ${minutes} min each`,
        },
        {
          name: 'growth of the process',
          goal: '<= 20 MB',
          seen: `${measuring.growthMb} MB`,
          met: measuring.growthMb <= 20,
          comparedTo: 'resident, after a forced collection if node runs with --expose-gc',
        },
      ],
      details: { kept, measuring },
    };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function keptFor(days: number, directory: string) {
  const now = Math.floor(Date.now() / dayMs) * dayMs;
  const store = new MetricStore(directory);
  const begun = performance.now();
  let steps = 0;
  for (let at = now - days * dayMs; at < now; at += 10_000, steps++) store.record(at, samplesOf(at));
  const recordMs = (performance.now() - begun) / steps;
  const sizes = await Promise.all((await readdir(directory)).map((name) => stat(join(directory, name))));
  const time = (from: number, stepSeconds: number) => {
    const points = Math.ceil((now - from) / 1_000 / stepSeconds);
    const wanted = { from, stepSeconds, points, series: seriesNames };
    const times = Array.from({ length: 15 }, () => {
      const start = performance.now();
      JSON.stringify(store.read(keyOf(7), wanted, now));
      return performance.now() - start;
    });
    return round(median(times), 1);
  };
  const answers = {
    monthMs: time(now - 30 * dayMs, 10_800),
    dayMs: time(now - dayMs, 60),
    hourMs: time(now - dayMs / 24, 10),
  };
  store.close();
  const bytes = sizes.reduce((sum, { size }) => sum + size, 0);
  const blocks = sizes.reduce((sum, one) => sum + one.blocks * 512, 0);
  return {
    megabytes: round(bytes / 2 ** 20, 1),
    onDiskMegabytes: round(blocks / 2 ** 20, 1),
    recordMs: round(recordMs, 3),
    ...answers,
  };
}

const durations = new Histogram();
for (let n = 1; n < 200; n++) durations.add(n);

function samplesOf(at: number): Map<string, Sample> {
  const values = Object.fromEntries(seriesNames.map((name, n) => [name, ((at / 10_000) % 977) + n * 10]));
  const keys = [...Array.from({ length: services }, (_, n) => keyOf(n)), hostKey];
  return new Map(keys.map((key) => [key, { values, durations }]));
}

async function measureContainers(minutes: number) {
  const host = await testHost();
  try {
    say(`starting ${services} containers`);
    for (let n = 0; n < services; n++) {
      const { container } = await createLiveContainer(host.docker, idle, { port: n % 5 === 0 ? '5432' : '' });
      await container.start();
    }
    await pause(15_000);
    const without = await useFor(minutes);
    const metrics = startMetrics({
      docker: host.docker,
      exits: new ExitHistory(),
      traffic: { all: () => [] },
      disk: { usedBytes: () => undefined },
      accessLogs: { take: () => undefined, flush: () => undefined },
      requestLog: join(host.dataDirectory, 'requests.log'),
      dataDirectory: host.dataDirectory,
      metricsPort: null,
      clock: systemClock,
      logger: { warn: say },
    });
    // The first round finds the containers.
    await pause(21_000);
    const containers = metrics.latest()?.containers.filter(({ usage }) => usage.memory !== undefined).length;
    const withMetrics = await useFor(minutes);
    await metrics.stop();
    return {
      containers,
      percent: withMetrics.percent,
      withoutPercent: without.percent,
      growthMb: round(withMetrics.residentMb - without.residentMb, 1),
    };
  } finally {
    await host.remove();
  }
}

/** Of this process. */
async function useFor(minutes: number) {
  const before = process.cpuUsage();
  const from = performance.now();
  await pause(minutes * 60_000);
  const { user, system } = process.cpuUsage(before);
  globalThis.gc?.();
  return {
    percent: round(((user + system) / 1_000 / (performance.now() - from)) * 100, 2),
    residentMb: process.memoryUsage.rss() / 2 ** 20,
  };
}
