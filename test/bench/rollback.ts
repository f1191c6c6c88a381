/**
 * How long going back takes: POST of a rollback to the first 200 from the old version, under a steady load of which nothing may fail.
 * Beside each one the least it could be, in turns: the same image started by hand, until it answers.
 */
import { setTimeout as pause } from 'node:timers/promises';
import Docker from 'dockerode';
import type { Json } from '../support/instance/longshore.ts';
import { webApp } from '../support/instance/repository.ts';
import { type BenchInstance, withInstance } from './support/bench-instance.ts';
import { firstAnswer } from './support/first-answer.ts';
import { median, round, spread } from './support/numbers.ts';
import { type BenchReport, say } from './support/report.ts';
import { underLoad } from './support/under-load.ts';

const goalMs = 2_000;
const port = 3000;
/** The version that was replaced drains and goes; not to be paid by the next round. */
const settleMs = 2_500;
const versions = ['first', 'second'] as const;
type Version = (typeof versions)[number];

export function benchRollback(rounds: number, ratePerSecond: number): Promise<BenchReport> {
  return withInstance(async (instance) => {
    const repository = await instance.repository('app', webApp(versions[0]));
    const service = await instance.service(repository);
    const ran: Record<Version, Json> = {
      first: await instance.deploy(service.id),
      second: await repository.commit(webApp(versions[1])).then(() => instance.deploy(service.id)),
    };
    const times = { ours: [] as number[], hand: [] as number[] };
    const { samples, answers } = await underLoad(
      { protocol: 'http1', port: instance.longshore.httpPort, host: 'app.localhost', ratePerSecond },
      async () => {
        for (let index = 0; index < rounds; index++) {
          const to = versions[index % 2] ?? 'first';
          const ours = async () => times.ours.push(await rollBack(instance, service, ran, to));
          const hand = async () => times.hand.push(await startByHand(ran[to].imageTag, to));
          for (const turn of index % 4 < 2 ? [ours, hand] : [hand, ours]) await turn();
          say(
            `${index + 1}: back in ${times.ours.at(-1)?.toFixed(0)} ms, by hand ${times.hand.at(-1)?.toFixed(0)} ms`,
          );
          await pause(settleMs);
        }
      },
    );
    const failed = samples.filter(([, , failure]) => failure !== null);
    const slowestMs = Math.max(...times.ours);
    return {
      figures: [
        {
          name: 'request to the first 200 from the old version (median)',
          goal: `<= ${goalMs} ms`,
          seen: round(median(times.ours), 0),
          met: median(times.ours) <= goalMs,
          comparedTo: `the same image by hand, until it answers: ${median(times.hand).toFixed(0)} ms; slowest of ${rounds} rollbacks: ${slowestMs.toFixed(0)} ms`,
        },
        {
          name: `failed requests in ${rounds} rollbacks`,
          goal: '0',
          seen: failed.length,
          met: failed.length === 0,
          comparedTo: `${samples.length} requests at ${ratePerSecond}/s, ${Object.keys(answers).length} versions answered`,
        },
      ],
      details: {
        oursMs: spread(times.ours),
        handMs: spread(times.hand),
        failures: Object.fromEntries(
          [...Map.groupBy(failed, ([, , failure]) => failure ?? '')].map(([name, all]) => [name, all.length]),
        ),
        answers,
      },
    };
  });
}

/** Each rollback is a deployment of its own, and the next one's goal. */
async function rollBack(
  { longshore }: BenchInstance,
  service: Json,
  ran: Record<Version, Json>,
  to: Version,
): Promise<number> {
  const from = performance.now();
  const { status, body } = await longshore.call('POST', `/api/deployments/${ran[to].id}/rollback`);
  if (status !== 200) throw new Error(JSON.stringify(body));
  await firstAnswer(`http://127.0.0.1:${service.hostPort}/`, to);
  const ms = performance.now() - from;
  const deployment = await longshore.finished(body.deployment.id, service.id);
  if (deployment.status !== 'running') throw new Error(await longshore.log(body.deployment.id));
  ran[to] = deployment;
  return ms;
}

async function startByHand(image: string, version: Version): Promise<number> {
  const docker = new Docker();
  const from = performance.now();
  const container = await docker.createContainer({ Image: image, Env: [`PORT=${port}`] });
  try {
    await container.start();
    const { NetworkSettings } = await container.inspect();
    await firstAnswer(`http://${NetworkSettings.Networks.bridge?.IPAddress}:${port}/`, version);
    return performance.now() - from;
  } finally {
    await container.remove({ force: true });
  }
}
