/**
 * Processor time of workerd per call of the twenty most used routes (the last is a run of cron), with D1 in another process. Cloudflare's free plan
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
/** Leaves room for the one request in many that does more. */
const goalMs = 8;
/** Calls before the measured ones: V8 has compiled by then. */
const warmCalls = 30;
/** The least of several rounds counts: other programs on the machine make each one dearer. */
const rounds = 3;
/** Rows of a page, of the lists that can grow. */
const page = 'limit=100';
/** Enough for all calls of a route at 20 open streams a key. */
const visitorKeys = 40;
/** A simulated host has ports for 1,000 services. */
const servicesPerHost = 900;

export interface Account {
  projects: number;
  servicesEach: number;
}

/** @param calls of each route in a round */
export async function benchCpu(calls: number, account: Account): Promise<BenchReport> {
  const directory = await mkdtemp(join(tmpdir(), 'longshore-bench-d1-'));
  const database = await startOutsideDatabase(join(directory, 'd1.sqlite'));
  const controlPlane = await startBenchControlPlane({ databaseAddress: database.address });
  try {
    say(`${account.projects} projects of ${account.servicesEach} services`);
    const hosts = Math.ceil((account.projects * account.servicesEach) / servicesPerHost);
    for (let host = 1; host <= hosts; host++) await enrolSimulated(controlPlane, `bench ${host}`);
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
        goal: `<= ${goalMs} ms`,
        seen,
        met: seen <= goalMs,
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
  const { call, operator, runScheduled } = controlPlane;
  const visitors = await visitingKeys(controlPlane);
  const { projects } = await call('GET', `/api/projects?${page}`);
  const project: Json = projects[0];
  const service = `/api/services/${project.services[0].id}`;
  const deploy = () => call('POST', `${service}/deployments`);
  const { deployment } = await deploy();
  await call('POST', `/api/deployments/${deployment.id}/abort`);
  const reads = Object.fromEntries(
    [
      '/healthz',
      '/api/key',
      `/api/keys?${page}`,
      `/api/projects?${page}`,
      `/api/projects/${project.slug}`,
      `/api/projects/${project.id}/services?${page}`,
      service,
      `${service}/overview`,
      `${service}/env`,
      `${service}/runs?${page}`,
      `${service}/deployments?${page}`,
      `/api/deployments/${deployment.id}`,
      `/api/deployments/${deployment.id}/logs`,
      `/api/alerts?${page}`,
      '/api/attention',
    ].map((path) => [`GET ${shape(path)}`, () => call('GET', path)]),
  );
  let value = 0;
  return {
    ...reads,
    'GET /api/changes/stream, up to its first event, with the looks until its client is missed': () =>
      firstEvent(controlPlane.url, visitors()),
    'GET /api/system/runners': () => operator('GET', '/api/system/runners'),
    'POST /api/services/:id/env': () =>
      call('POST', `${service}/env`, { key: 'MODE', value: String(value++) }),
    'PATCH /api/services/:id': () => call('PATCH', service, { branch: `main-${value++}` }),
    'POST /api/services/:id/deployments, and its abort: two calls': async () => {
      const made = await deploy();
      await call('POST', `/api/deployments/${made.deployment.id}/abort`);
    },
    'cron, idle': () => runScheduled(Date.now()),
  };
}

/** The route of an address. */
const shape = (path: string) => path.replace(/(?:prj|svc|dep)_\w+/g, ':id').replace(/project-\d+$/, ':slug');

/** @returns names the next of many keys, because the control plane finds only seconds later that a client has left its stream */
async function visitingKeys({ operator }: BenchControlPlane): Promise<() => string> {
  const tokens: string[] = [];
  for (let number = 0; number < visitorKeys; number++) {
    const key = { name: `visitor ${number}`, access: 'write', projects: 'all', expiresInDays: null };
    tokens.push((await operator('POST', '/api/system/keys', key)).token);
  }
  let visit = 0;
  return () => tokens[visit++ % visitorKeys] ?? '';
}

async function firstEvent(url: string, apiKey: string): Promise<void> {
  const stream = await fetch(`${url}/api/changes/stream`, { headers: { authorization: `Bearer ${apiKey}` } });
  if (!stream.ok || !stream.body) throw new Error(`the stream answered ${stream.status}`);
  const reader = stream.body.getReader();
  await reader.read();
  await reader.cancel();
}
