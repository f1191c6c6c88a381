/** The memory of everything that `npm start` leaves running, after reads and a deployment, beside a Node that does nothing. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { readLock } from '../../../local/instance/instance-lock.ts';
import { webApp } from '../../support/instance/repository.ts';
import { type BenchInstance, withInstance } from './bench-instance.ts';
import { round } from './numbers.ts';
import { countedOnceMb, processesWith, residentPages, rssMb } from './process-use.ts';
import { type Figure, say } from './report.ts';

const goalsMb = { all: 300, runner: 80, edge: 45 };
const reads = 12_000;
const readersAtOnce = 8;
/** A key may read 8,000 times a minute. */
const limitedPauseMs = 1_000;
const settleMs = 30_000;

export async function instanceMemory(): Promise<{ figures: Figure[]; details: unknown }> {
  const idleNodeMb = await idleNode();
  return withInstance(async (instance) => {
    const started = table(instance);
    const service = await instance.service(await instance.repository('memory', webApp('one')));
    await instance.deploy(service.id);
    say(`reading ${reads} times`);
    await read(instance, service.id);
    await pause(settleMs);
    const used = table(instance);
    const once = 'with pages of programs that several share counted once';
    const figure = (name: string, seenMb: number | undefined, goalMb: number): Figure => ({
      name: `${name}, resident memory in MB`,
      goal: `<= ${goalMb}`,
      seen: seenMb ?? Number.NaN,
      met: seenMb !== undefined && seenMb <= goalMb,
      comparedTo: `a Node that does nothing: ${idleNodeMb} MB; after ${reads} reads and a deployment`,
    });
    return {
      figures: [
        figure('all that a start leaves running', used.residentMb, goalsMb.all),
        figure(`the same ${once}`, used.countedOnceMb, goalsMb.all),
        figure('runner', used.processes.runner?.residentMb, goalsMb.runner),
        figure('edge', used.processes.edge?.residentMb, goalsMb.edge),
      ],
      details: { idleNodeMb, started, used },
    };
  });
}

/** Processes by name, and their sums. */
function table({ longshore: { dataDirectory } }: BenchInstance) {
  const lock = readLock(dataDirectory);
  const pids = {
    start: lock?.node.pid,
    workerd: lock?.workerd[0]?.pid,
    runner: lock?.runner?.pid,
    edge: processesWith('runner/edge.ts', dataDirectory)[0],
    caddy: processesWith('caddy.json', dataDirectory)[0],
  };
  const living = Object.entries(pids).flatMap(([name, pid]) => (pid === undefined ? [] : [{ name, pid }]));
  const pages = living.map(({ pid }) => residentPages(pid));
  return {
    processes: Object.fromEntries(
      living.map(({ name, pid }, index) => [
        name,
        { residentMb: round(rssMb(pid)), ownMb: round(pages[index]?.ownMb ?? Number.NaN) },
      ]),
    ),
    residentMb: round(living.reduce((sum, { pid }) => sum + rssMb(pid), 0)),
    countedOnceMb: round(countedOnceMb(pages)),
  };
}

async function read({ longshore }: BenchInstance, serviceId: string): Promise<void> {
  const paths = ['/api/projects', `/api/services/${serviceId}`, `/api/services/${serviceId}/deployments`];
  let next = 0;
  const reader = async () => {
    while (next < reads) {
      const path = paths[next++ % paths.length] as string;
      while ((await longshore.call('GET', path)).status === 429) await pause(limitedPauseMs);
    }
  };
  await Promise.all(Array.from({ length: readersAtOnce }, reader));
}

async function idleNode(): Promise<number> {
  const child = spawn(process.execPath, ['-e', "console.log('up'); setInterval(() => {}, 60_000)"]);
  try {
    await once(child.stdout, 'data');
    await pause(1_000);
    return round(rssMb(child.pid ?? 0));
  } finally {
    child.kill();
  }
}
