/**
 * Processor time of workerd per call of the ten most used routes and per run of cron, with D1 in another process. Cloudflare's free plan
 * allows 10 ms per invocation (https://developers.cloudflare.com/workers/platform/limits/#cpu-time). It counts only the Worker's own code;
 * here HTTP, the D1 client and durable objects are counted, too, so each figure is an upper bound.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Json } from '../support/instance/longshore.ts';
import { type BenchControlPlane, startBenchControlPlane } from './support/control-plane.ts';
import { fillProjects } from './support/fill-projects.ts';
import { round } from './support/numbers.ts';
import { startOutsideDatabase } from './support/outside-database.ts';
import { cpuMs } from './support/process-use.ts';
import { type BenchReport, type Figure, say } from './support/report.ts';
import { enrolSimulated } from './support/simulated-runner.ts';

export const freePlanCpuMs = 10;
/** Calls before the measured ones: V8 has compiled by then. */
const warmCalls = 30;
/** The least of several rounds counts: other programs on the machine make each one dearer. */
const rounds = 3;
const account = { projects: 20, servicesEach: 5 };

/** @param calls of each route in a round */
export async function benchCpu(calls: number): Promise<BenchReport> {
  const directory = await mkdtemp(join(tmpdir(), 'longshore-bench-d1-'));
  const database = await startOutsideDatabase(join(directory, 'd1.sqlite'));
  const controlPlane = await startBenchControlPlane({ databaseAddress: database.address });
  try {
    say(`${account.projects} projects of ${account.servicesEach} services`);
    await enrolSimulated(controlPlane, 'bench');
    await fillProjects(controlPlane, account);
    const figures: Figure[] = [];
    for (const [name, call] of Object.entries(await routes(controlPlane))) {
      await take(warmCalls, call);
      const times: number[] = [];
      for (let index = 0; index < rounds; index++) {
        const from = cpuMs(controlPlane.workerdPid);
        await take(calls, call);
        times.push((cpuMs(controlPlane.workerdPid) - from) / calls);
      }
      const seen = round(Math.min(...times));
      say(`${name}: ${seen} ms`);
      figures.push({
        name,
        goal: `<= ${freePlanCpuMs} ms`,
        seen,
        met: seen <= freePlanCpuMs,
        comparedTo: `the least of ${rounds} rounds of ${calls} calls, one at a time`,
      });
    }
    return { figures, details: { account } };
  } finally {
    await controlPlane.stop();
    await database.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

async function take(calls: number, call: () => Promise<unknown>): Promise<void> {
  for (let index = 0; index < calls; index++) await call();
}

async function routes(controlPlane: BenchControlPlane): Promise<Record<string, () => Promise<unknown>>> {
  const { call, runScheduled } = controlPlane;
  const { projects } = await call('GET', '/api/projects');
  const project: Json = projects[0];
  const service = `/api/services/${project.services[0].id}`;
  const deploy = () => call('POST', `${service}/deployments`);
  const { deployment } = await deploy();
  await call('POST', `/api/deployments/${deployment.id}/abort`);
  let value = 0;
  return {
    'GET /healthz': () => call('GET', '/healthz'),
    'GET /api/key': () => call('GET', '/api/key'),
    'GET /api/projects, 100 services': () => call('GET', '/api/projects'),
    'GET /api/projects/:slug': () => call('GET', `/api/projects/${project.slug}`),
    'GET /api/services/:id/overview': () => call('GET', `${service}/overview`),
    'GET /api/services/:id/deployments': () => call('GET', `${service}/deployments`),
    'GET /api/deployments/:id/logs': () => call('GET', `/api/deployments/${deployment.id}/logs`),
    'POST /api/services/:id/env': () =>
      call('POST', `${service}/env`, { key: 'MODE', value: String(value++) }),
    'POST /api/services/:id/deployments, and its abort: two calls': async () => {
      const made = await deploy();
      await call('POST', `/api/deployments/${made.deployment.id}/abort`);
    },
    'cron, idle': () => runScheduled(Date.now()),
  };
}
