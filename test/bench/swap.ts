/**
 * Deployments under load: a steady rate of requests to an app that is deployed again and again, first over HTTP/1.1, then over TLS with
 * HTTP/2, and a WebSocket and an event stream to another app. The app's image is made beforehand, so that builds are not the load:
 * each deployment starts a container, proves it, moves the traffic and takes the old one away.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { buildImage, removeImages } from '../support/instance/image.ts';
import type { Json } from '../support/instance/longshore.ts';
import { type BenchInstance, withInstance } from './support/bench-instance.ts';
import { openLiveConnections, talkingApp } from './support/live-connections.ts';
import { percentile, round } from './support/numbers.ts';
import type { LoadOrder, LoadReport, Sample } from './support/open-load.ts';
import { type BenchReport, type Figure, say } from './support/report.ts';

const p99TimesMax = 3;
/** The comparison: the same load with nothing deployed, before and after. */
const quietMs = 15_000;
const warmMs = 3_000;
const image = `longshore-bench-swap:${process.pid}`;

const app = {
  Dockerfile: 'FROM node:24-slim\nWORKDIR /app\nCOPY server.js .\nUSER node\nCMD ["node", "server.js"]',
  'server.js': `
    const name = require('node:os').hostname();
    const server = require('node:http').createServer((request, response) => {
      request.resume();
      request.on('end', () => response.end(name));
    });
    server.listen(process.env.PORT);
    process.on('SIGTERM', () => server.close(() => process.exit(0)));
  `,
};

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
}

export async function benchSwap(deployments: number, ratePerSecond: number): Promise<BenchReport> {
  await buildImage(image, app);
  try {
    return await withInstance(async (instance) => {
      const talker = await instance.service(await instance.repository('talker', talkingApp));
      await instance.deploy(talker.id);
      const service = await instance.imageService('app', image);
      await instance.deploy(service.id);
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
    {
      name: `failed requests in ${deployments} deployments, ${name}`,
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
  try {
    load.send(order);
    await once(load, 'message');
    await pause(warmMs);
    const quietFrom = Date.now();
    await pause(quietMs);
    const from = Date.now();
    for (let index = 1; index <= deployments; index++) {
      await instance.deploy(service.id);
      say(`deployment ${index} of ${deployments}`);
    }
    const to = Date.now();
    // What the last one leaves behind (draining, removal) belongs to it.
    await pause(warmMs);
    const quietAgain = Date.now();
    await pause(quietMs);
    const quietTo = Date.now();
    load.send('stop');
    const [report] = (await once(load, 'message')) as [LoadReport];
    const quiet = report.samples.filter(
      ([at]) => (at >= quietFrom && at < from) || (at >= quietAgain && at < quietTo),
    );
    return summary(
      report,
      quiet,
      report.samples.filter(([at]) => at >= from && at < to + warmMs),
      (to - from) / 1000,
    );
  } finally {
    load.kill();
  }
}

function summary(
  { samples, answers }: LoadReport,
  quiet: Sample[],
  deploying: Sample[],
  seconds: number,
): Swapped {
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
