/** Conditions for rows, logs, hosts and hubs that must hold after any run. */
import { setTimeout as pause } from 'node:timers/promises';
import type { ChaosControlPlane } from './chaos-control-plane.ts';
import { count, type Scene } from './chaos-run.ts';
import type { SimulatedRunner } from './simulated-runner.ts';

interface Row {
  id: string;
  job: string;
  service: string;
  runner: string;
  status: string;
  state: string;
}

const allRows = `select deployments.id, jobs.id as job, jobs.service_id as service, jobs.runner_id as runner, status, state
  from deployments join jobs on jobs.id = deployments.job_id`;
const terminal = new Set(['succeeded', 'failed', 'aborted']);
const statusOf: Record<string, string[]> = {
  succeeded: ['running', 'superseded'],
  failed: ['failed'],
  aborted: ['aborted'],
};

/** Follows the states of all jobs through the run. */
export class StateWatch {
  readonly #plane: ChaosControlPlane;
  readonly #ended = new Map<string, string>();
  readonly violations: string[] = [];

  constructor(plane: ChaosControlPlane) {
    this.#plane = plane;
  }

  async look(): Promise<void> {
    for (const { id, state } of await this.#plane.rows<Row>(allRows)) {
      const before = this.#ended.get(id);
      if (before !== undefined && before !== state)
        this.violations.push(`${id} was ${before} and became ${state}`);
      if (terminal.has(state)) this.#ended.set(id, state);
    }
  }

  async ends(): Promise<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (const { status } of await this.#plane.rows<Row>(allRows)) count(counts, status);
    return counts;
  }
}

/** @returns a sentence for each violated condition */
export async function findViolations(scene: Scene, watch: StateWatch): Promise<string[]> {
  const rows = await scene.plane.rows<Row>(allRows);
  const logs = await Promise.all(rows.map((row) => logViolations(scene.plane, row)));
  const hubs = await Promise.all(scene.runners.map((runner) => hubViolations(scene.plane, runner)));
  for (const runner of scene.runners) await runner.kill();
  return [
    ...watch.violations,
    ...rows.flatMap((row) => rowViolations(scene, row)),
    ...scene.queued
      .filter((id) => rows.every((row) => row.id !== id))
      .map((id) => `${id} was answered and is gone`),
    ...logs.flat(),
    ...hubs.flat(),
    ...scene.runners.flatMap((runner) => hostViolations(rows, runner)),
  ];
}

function rowViolations({ aborted }: Scene, { id, state, status }: Row): string[] {
  const found: string[] = [];
  if (!terminal.has(state)) found.push(`${id} never ended: ${state}`);
  else if (!statusOf[state]?.includes(status)) found.push(`${id} is ${status}, its job ${state}`);
  if (aborted.has(id) && state === 'succeeded') found.push(`${id} succeeded after its abort was accepted`);
  return found;
}

async function logViolations(plane: ChaosControlPlane, { id, status }: Row): Promise<string[]> {
  const { body } = await plane.call('GET', `/api/deployments/${id}/logs`);
  const entries: { id: number; line: string; createdAt: string }[] = body.logs;
  const found: string[] = [];
  if (entries.some((entry, index) => entry.id !== index + 1)) found.push(`the log ids of ${id} have a gap`);
  if (entries.some((entry, index) => index > 0 && entry.createdAt < (entries[index - 1]?.createdAt ?? ''))) {
    found.push(`the times in the log of ${id} go back`);
  }
  const said = entries.map(({ line }) => line).filter((line) => /^line \d+$/.test(line));
  if (said.some((line, index) => line !== `line ${index + 1}`))
    found.push(`the log of ${id} lost or doubled a line`);
  if (status !== 'failed' && status !== 'aborted' && entries.at(-1)?.line !== 'Done.') {
    found.push(`the log of ${id} (${status}) ends with "${entries.at(-1)?.line}"`);
  }
  return found;
}

/** Timeout of the answer to a close, of a new connection, and of its hello. */
const settleLimitMs = 30_000;

/** A replaced socket counts until its close has been answered over a slow connection; a new one is in the row only after its hello. */
async function hubViolations(plane: ChaosControlPlane, { runnerId }: SimulatedRunner): Promise<string[]> {
  const look = async () => {
    const { alarm, sockets } = await plane.hub(runnerId);
    const [row] = await plane.rows<{ connected: number | null }>(
      `select connected_at as connected from runners where id = '${runnerId}'`,
    );
    const isSettled = sockets === 1 && row?.connected !== null;
    return { alarm, sockets, connected: row?.connected, isSettled };
  };
  let seen = await look();
  for (const endsAt = performance.now() + settleLimitMs; !seen.isSettled && performance.now() < endsAt; ) {
    await pause(100);
    seen = await look();
  }
  const { alarm, sockets, connected, isSettled } = seen;
  return [
    ...(isSettled
      ? []
      : [`the hub of ${runnerId} has ${sockets} sockets, its row says connected ${connected}`]),
    ...(alarm === null ? [] : [`the hub of ${runnerId} has an alarm and no job`]),
  ];
}

/** The host must run, for every service, what its row says, route only to that, and keep nothing else. */
function hostViolations(rows: Row[], runner: SimulatedRunner): string[] {
  const found: string[] = [];
  const mine = rows.filter((row) => row.runner === runner.runnerId);
  const routes = runner.host.routes();
  for (const service of new Set(mine.map((row) => row.service))) {
    const live = mine
      .filter((row) => row.service === service && row.status === 'running')
      .map((row) => row.id);
    if (live.length > 1) found.push(`${service} has ${live.length} live deployments: ${live}`);
    if (routes.get(service) !== live[0])
      found.push(`${service} serves ${routes.get(service)}, its row says ${live}`);
  }
  const served = new Set(routes.values());
  for (const deployment of runner.host.containers().keys()) {
    if (!served.has(deployment)) found.push(`the container of ${deployment} has no owner`);
  }
  for (const deployment of served) {
    if (!runner.host.containers().has(deployment))
      found.push(`${deployment} is routed to and has no container`);
  }
  const unfinished = runner.unfinished();
  if (unfinished.reports + unfinished.chores + unfinished.jobs + unfinished.logs.length > 0) {
    found.push(`${runner.runnerId} has unfinished work: ${JSON.stringify(unfinished)}`);
  }
  return found;
}
