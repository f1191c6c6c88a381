/**
 * How long a changed variable takes: POST of a restart to the first answer with the new value, under a steady load of which nothing may
 * fail. POST of the variable is not counted: a client sends it before, and may send many.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { webApp } from '../support/instance/repository.ts';
import { type BenchInstance, withInstance } from './support/bench-instance.ts';
import { firstAnswer } from './support/first-answer.ts';
import { median, round, spread } from './support/numbers.ts';
import { type BenchReport, say } from './support/report.ts';
import { underLoad } from './support/under-load.ts';

const goalMs = 1_500;
/** The version that was replaced drains and goes; not to be paid by the next round. */
const settleMs = 2_500;

export function benchRestart(rounds: number, ratePerSecond: number): Promise<BenchReport> {
  return withInstance(async (instance) => {
    const service = await instance.service(await instance.repository('app', webApp('app')));
    await instance.deploy(service.id);
    const times: number[] = [];
    const { samples, answers } = await underLoad(
      { protocol: 'http1', port: instance.longshore.httpPort, host: 'app.localhost', ratePerSecond },
      async () => {
        for (let index = 1; index <= rounds; index++) {
          times.push(await restart(instance, service, `value-${index}`));
          say(`${index}: ${times.at(-1)?.toFixed(0)} ms`);
          await pause(settleMs);
        }
      },
    );
    const failed = samples.filter(([, , failure]) => failure !== null);
    return {
      figures: [
        {
          name: 'restart to the first answer with the changed variable (median)',
          goal: `<= ${goalMs} ms`,
          seen: round(median(times), 0),
          met: median(times) <= goalMs,
          comparedTo: `slowest of ${rounds} restarts: ${Math.max(...times).toFixed(0)} ms`,
        },
        {
          name: `failed requests in ${rounds} restarts`,
          goal: '0',
          seen: failed.length,
          met: failed.length === 0,
          comparedTo: `${samples.length} requests at ${ratePerSecond}/s, ${Object.keys(answers).length} values answered`,
        },
      ],
      details: { restartMs: spread(times), answers },
    };
  });
}

async function restart(
  { longshore }: BenchInstance,
  service: { id: string; hostPort: number },
  value: string,
) {
  const post = async (path: string, body?: unknown) => {
    const reply = await longshore.call('POST', `/api/services/${service.id}/${path}`, body);
    if (reply.status !== 200) throw new Error(JSON.stringify(reply.body));
    return reply.body;
  };
  await post('env', { key: 'GREETING', value });
  const from = performance.now();
  const { deployment } = await post('restart');
  await firstAnswer(`http://127.0.0.1:${service.hostPort}/`, `app ${value}`);
  const ms = performance.now() - from;
  const { status } = await longshore.finished(deployment.id, service.id);
  if (status !== 'running') throw new Error(await longshore.log(deployment.id));
  return ms;
}
