/**
 * What keeping logs costs a host: processor, memory and disk while one service prints fast beside 20 quiet ones, then also with a drain of
 * each kind, and how fast a search is.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Drain, DrainTarget } from '../../protocol/logs/drains.ts';
import { systemClock } from '../../runner/base/clock.ts';
import { ExitHistory, watchContainers } from '../../runner/docker/events.ts';
import { type HostLogs, keptLogsDirectory, startHostLogs } from '../../runner/host/keep-logs.ts';
import { testHost } from '../support/docker/docker-host.ts';
import { createLiveContainer, idle } from '../support/docker/live-container.ts';
import { silentLogger } from '../support/runner/silent-logger.ts';
import { round } from './support/numbers.ts';
import { type BenchReport, say } from './support/report.ts';

const quiet = 20;
/** Prints `rate` lines of about 130 characters a second, which differ as those of a web server do. */
const printing = (rate: number) => `
  let n = 0;
  const begun = Date.now();
  setInterval(() => {
    for (const due = (Date.now() - begun) * ${rate / 1000}; n < due; n++)
      console.log(JSON.stringify({ level: n % 50 ? 'info' : 'error', status: n % 50 ? 200 : 500, path: '/orders/' + n * 7919 % 100003, ms: n % 313, id: Math.random().toString(36) }));
  }, 50);`;

/** @param rate lines a second of the service that prints */
export async function benchKeptLogs(rate: number, seconds: number): Promise<BenchReport> {
  const host = await testHost();
  const end = new AbortController();
  const exits = new ExitHistory();
  try {
    say(`starting ${quiet} quiet containers`);
    for (let n = 0; n < quiet; n++)
      await (await createLiveContainer(host.docker, idle, { port: '' })).container.start();
    const logs = startHostLogs({
      ...{ docker: host.docker, dataDirectory: host.dataDirectory, exits },
      ...{ clock: systemClock, logger: silentLogger },
      config: { keptLogMb: 100, keptLogTotalMb: null, keptLogDays: 30, allowPrivate: ['drain'] },
      openRequest: (_, sealed) => sealed,
    });
    void watchContainers(host.docker, exits, () => logs.changed(), end.signal);
    await pause(5_000);
    const still = await useFor(seconds);
    const { container, serviceId } = await createLiveContainer(host.docker, printing(rate), { port: '' });
    await container.start();
    await pause(3_000);
    const busy = await useFor(seconds);
    const drained = await useWithDrains(logs, serviceId, seconds);
    await container.stop({ t: 0 });
    await pause(2_000);
    const begun = performance.now();
    const services = [{ serviceId, from: null }];
    const answer = await logs.search({ services, order: 'newest', text: 'nothing has this', limit: 10 });
    const searchMs = performance.now() - begun;
    if ('refused' in answer) throw new Error(answer.reason);
    const megabytes = await sizeOf(join(keptLogsDirectory(host.dataDirectory), serviceId));
    await logs.stop();
    const comparedTo = `${quiet} quiet services in the same process: ${still.percent} %; ${seconds} s each`;
    return {
      figures: [
        {
          name: `processor for a service that prints ${rate} lines a second`,
          goal: 'reported',
          seen: `${busy.percent} % of a core`,
          met: true,
          comparedTo,
        },
        {
          name: `the same with ${drained.kinds.join(', ')} drains`,
          goal: 'reported',
          seen: `${drained.percent} % of a core`,
          met: true,
          comparedTo: `sent in that time: ${drained.sentLines.map((lines) => `${round(lines / seconds, 0)}/s`).join(', ')}`,
        },
        {
          name: 'growth of the process',
          goal: '<= 50 MB',
          seen: `${round(busy.residentMb - still.residentMb, 1)} MB`,
          met: busy.residentMb - still.residentMb <= 50,
          comparedTo: `resident with quiet services: ${round(still.residentMb, 0)} MB`,
        },
        {
          name: 'search that finds nothing',
          goal: '<= 1,500 ms an answer',
          seen: `${round(searchMs, 0)} ms`,
          met: searchMs <= 1_700,
          comparedTo: `${round(answer.scannedBytes / 1e6, 1)} MB read, ${megabytes} MB on disk, ended by: ${answer.stopped}`,
        },
      ],
      details: { still, busy, drained, searchMs, scannedBytes: answer.scannedBytes, megabytes },
    };
  } finally {
    end.abort();
    await host.remove();
    await rm(keptLogsDirectory(host.dataDirectory), { recursive: true, force: true });
  }
}

/** One drain of each kind, to receivers in another process. */
async function useWithDrains(logs: HostLogs, serviceId: string, seconds: number) {
  const sink = spawn(process.execPath, ['test/bench/support/log-sink.ts'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  try {
    const [line] = await once(sink.stdout, 'data');
    const ports = JSON.parse(String(line)) as { http: number; syslog: number };
    const url = `http://127.0.0.1:${ports.http}/`;
    const targets: DrainTarget[] = [
      { kind: 'http', url, headers: {}, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' },
      { kind: 'otlp', url, headers: {} },
      { kind: 'syslog', host: '127.0.0.1', port: ports.syslog, tls: false, ca: null },
    ];
    const drains = targets.map(
      (target): Drain => ({
        ...{ id: `drn_${target.kind}`, target, allowPrivate: true, level: null, project: 'bench' },
        services: [{ id: serviceId, slug: 'printing' }],
      }),
    );
    await logs.setDrains(JSON.stringify(drains));
    await pause(3_000);
    const sent = () => drains.map(({ id }) => logs.drainStatus(id)?.sentLines ?? 0);
    const before = sent();
    const use = await useFor(seconds);
    const sentLines = sent().map((lines, index) => lines - (before[index] ?? 0));
    await logs.setDrains(null);
    return { ...use, sentLines, kinds: targets.map(({ kind }) => kind) };
  } finally {
    sink.stdin.end();
  }
}

async function sizeOf(directory: string): Promise<number> {
  const sizes = await Promise.all((await readdir(directory)).map((name) => stat(join(directory, name))));
  return round(sizes.reduce((sum, { size }) => sum + size, 0) / 1e6, 1);
}

/** Of this process. */
async function useFor(seconds: number) {
  const before = process.cpuUsage();
  const from = performance.now();
  await pause(seconds * 1_000);
  const { user, system } = process.cpuUsage(before);
  globalThis.gc?.();
  return {
    percent: round(((user + system) / 1_000 / (performance.now() - from)) * 100, 2),
    residentMb: process.memoryUsage.rss() / 2 ** 20,
  };
}
