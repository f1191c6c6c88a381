/**
 * Deployments and restarts under the load of the world: a steady rate of short requests, slow answers, event streams, WebSockets, uploads and
 * callers by the internal name, to an app that is replaced again and again, first over HTTP/1.1, then over TLS with HTTP/2; and a WebSocket
 * and an event stream to another app. The app's image is made beforehand, so that builds are not the load: each deployment starts a
 * container, proves it, moves the traffic and takes the old one away.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { ask } from '../support/docker/ask.ts';
import { buildImage, removeImages } from '../support/instance/image.ts';
import type { Json } from '../support/instance/longshore.ts';
import type { Door } from '../support/real-world/exchange.ts';
import { callingApp, type Seen } from '../support/real-world/internal-caller.ts';
import { realApp } from '../support/real-world/real-app.ts';
import { type BenchInstance, withInstance } from './support/bench-instance.ts';
import { openLiveConnections, talkingApp } from './support/live-connections.ts';
import { figuresOfMix, type MixSummary, summaryOfMix } from './support/mix-summary.ts';
import { type MixOrder, type MixSample, slowMs } from './support/mixed-load.ts';
import { percentile, round } from './support/numbers.ts';
import type { LoadOrder, LoadReport, Sample } from './support/open-load.ts';
import { type BenchReport, type Figure, say } from './support/report.ts';

const p99TimesMax = 3;
/** The mix; slow answers as a part of all requests. */
const slowPart = 0.05;
const mix = { streams: 30, sockets: 30, uploads: 5 };
const callers = 10;
/** The comparison: the same load with nothing deployed, before and after. */
const quietMs = 30_000;
/** Slow answers that began before it must not count as without a deployment; nor what the last old version still has open. */
const settleMs = slowMs.most + 10_000;
const warmMs = 3_000;
const image = `longshore-bench-swap:${process.pid}`;

interface Swapped {
  requests: number;
  failed: number;
  failures: Record<string, number>;
  /** The rest: before the first measured moment or after the last. */
  failedQuiet: number;
  failedDeploying: number;
  versionsThatServed: number;
  quietP99Ms: number;
  deployingP99Ms: number;
  quietP50Ms: number;
  deployingP50Ms: number;
  longestMs: number;
  deployingSeconds: number;
  mix: MixSummary;
  /** Answers and errors of the internal callers. */
  internal: Seen;
}

export async function benchSwap(deployments: number, ratePerSecond: number): Promise<BenchReport> {
  await buildImage(image, realApp('', 'with its answers'));
  try {
    return await withInstance(async (instance) => {
      const talker = await instance.service(await instance.repository('talker', talkingApp));
      await instance.deploy(talker.id);
      const service = await instance.imageService('app', image);
      await instance.deploy(service.id);
      const caller = await instance.service(
        await instance.repository('caller', callingApp('http://app:3000/', callers)),
      );
      await instance.deploy(caller.id);
      const { httpPort, httpsPort } = instance.longshore;
      const live = openLiveConnections(httpPort, 'talker.localhost');
      const http1 = await swapUnder(instance, service, deployments, {
        protocol: 'http1',
        port: httpPort,
        host: 'app.localhost',
        ratePerSecond,
      });
      const http2 = await swapUnder(instance, service, deployments, {
        protocol: 'http2',
        port: httpsPort,
        host: 'app.localhost',
        ratePerSecond,
      });
      const unrelated = live.end();
      const lived = Object.values(unrelated).every((one) => one.inOrder && !one.closed && one.messages > 100);
      return {
        figures: [
          ...figuresOf('HTTP/1.1 keep-alive', deployments, http1),
          ...figuresOf('TLS, HTTP/2', deployments, http2),
          {
            name: 'unrelated WebSocket and event stream live through all of it',
            goal: 'yes',
            seen: lived ? 'yes' : 'no',
            met: lived,
            comparedTo: `${unrelated.socket.messages} and ${unrelated.stream.messages} messages, counted by their sender`,
          },
        ],
        details: { http1, http2, unrelated },
      };
    });
  } finally {
    await removeImages(image);
  }
}

function figuresOf(name: string, deployments: number, seen: Swapped): Figure[] {
  return [
    ...figuresOfMix(name, deployments, seen),
    {
      name: `failed short requests in ${deployments} deployments and restarts each, ${name}`,
      goal: '0',
      seen: seen.failed,
      met: seen.failed === 0,
      comparedTo: `${seen.requests} requests, ${seen.versionsThatServed} versions answered`,
    },
    {
      name: `p99 while deploying / p99 without, ${name}`,
      goal: `<= ${p99TimesMax}`,
      seen: round(seen.deployingP99Ms / seen.quietP99Ms, 2),
      met: seen.deployingP99Ms <= p99TimesMax * seen.quietP99Ms,
      comparedTo: `${seen.deployingP99Ms} ms against ${seen.quietP99Ms} ms at the same rate before and after`,
    },
  ];
}

async function swapUnder(
  instance: BenchInstance,
  service: Json,
  deployments: number,
  order: LoadOrder,
): Promise<Swapped> {
  say(`${order.protocol}: ${order.ratePerSecond} requests/s`);
  const load = fork(new URL('./support/open-load.ts', import.meta.url), {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const mixed = fork(new URL('./support/mixed-load.ts', import.meta.url), {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const { protocol, port, host: name, ratePerSecond } = order;
  const insideSeen = async () =>
    JSON.parse((await ask(instance.longshore.httpPort, 'caller.localhost')).body) as Seen;
  try {
    load.send({ ...order, ratePerSecond: ratePerSecond * (1 - slowPart) } satisfies LoadOrder);
    await once(load, 'message');
    const door: Door = { port, name, ...(protocol === 'http2' ? { over: 'http2' as const } : {}) };
    mixed.send({ door, slowPerSecond: ratePerSecond * slowPart, ...mix } satisfies MixOrder);
    await once(mixed, 'message');
    await insideSeen();
    await pause(slowMs.most + warmMs);
    const quietFrom = Date.now();
    await pause(quietMs);
    const from = Date.now();
    for (let index = 1; index <= deployments; index++) {
      await instance.deploy(service.id);
      say(`deployment ${index} of ${deployments}`);
    }
    for (let index = 1; index <= deployments; index++) {
      const path = `/api/services/${service.id}/restart`;
      const { deployment } = (await instance.longshore.call('POST', path)).body;
      const { status } = await instance.longshore.finished(deployment.id, service.id);
      if (status !== 'running') throw new Error(await instance.longshore.log(deployment.id));
      say(`restart ${index} of ${deployments}`);
    }
    const to = Date.now();
    // What the last one leaves behind (draining, removal) belongs to it.
    await pause(settleMs);
    const quietAgain = Date.now();
    await pause(quietMs);
    const quietTo = Date.now();
    for (const one of [load, mixed]) one.send('stop');
    const ended = Promise.all([once(load, 'message'), once(mixed, 'message')]);
    const [[report], [open]] = (await ended) as [[LoadReport], [MixSample[]]];
    const internal = await insideSeen();
    const isQuiet = (began: number, over: number) => over < from || began > to + settleMs;
    const quiet = report.samples.filter(
      ([at]) => (at >= quietFrom && at < from) || (at >= quietAgain && at < quietTo),
    );
    const short = summary(
      report,
      quiet,
      report.samples.filter(([at]) => at >= from && at < to + warmMs),
      (to - from) / 1000,
    );
    return { ...short, mix: summaryOfMix(open, isQuiet), internal };
  } finally {
    load.kill();
    mixed.kill();
  }
}

function summary(
  { samples, answers }: LoadReport,
  quiet: Sample[],
  deploying: Sample[],
  seconds: number,
): Omit<Swapped, 'mix' | 'internal'> {
  const failed = samples.filter(([, , failure]) => failure !== null);
  const time = (of: Sample[], part: number) =>
    round(
      percentile(
        of.map(([, ms]) => ms),
        part,
      ),
    );
  return {
    requests: samples.length,
    failed: failed.length,
    failures: Object.fromEntries(
      [...Map.groupBy(failed, ([, , failure]) => failure ?? '')].map(([name, all]) => [name, all.length]),
    ),
    failedQuiet: quiet.filter(([, , failure]) => failure !== null).length,
    failedDeploying: deploying.filter(([, , failure]) => failure !== null).length,
    versionsThatServed: Object.keys(answers).length,
    quietP99Ms: time(quiet, 0.99),
    deployingP99Ms: time(deploying, 0.99),
    quietP50Ms: time(quiet, 0.5),
    deployingP50Ms: time(deploying, 0.5),
    longestMs: time(samples, 1),
    deployingSeconds: round(seconds),
  };
}
