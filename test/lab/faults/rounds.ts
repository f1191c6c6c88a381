/** Rounds of faults: an operation begins, a fault strikes at a random moment, and then everything must be true, back, whole and tidy. */
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { installHost } from '../hosts.ts';
import { inMachine } from '../machine.ts';
import { labDirectory, machinePlaces } from '../places.ts';
import { damaged, differences, machinesOf, remains, unfinished, untrue } from './checks.ts';
import { drawsOf } from './draws.ts';
import { faults } from './faults.ts';
import { operations } from './operations.ts';
import { answerOf, bringHome, makeScene, type Scene } from './scene.ts';

export interface RoundsOptions {
  machine: string;
  /** A second host; absent: nothing moves. */
  other?: string | undefined;
  seed: number;
  rounds: number;
  /** Only these; absent: all. */
  faults?: string[] | undefined;
  operations?: string[] | undefined;
  print(line: string): void;
}

export interface Round {
  round: number;
  fault: string;
  operation: string;
  /** That was struck, if it could also have been the other. */
  machine?: string;
  atMs: number;
  /** From the begin of the boot, or else from the end of the fault, to the first answer of the app. */
  backMs: number;
  problems: string[];
}

/** After a boot begins, the apps answer within this. */
const backLimitMs = 15_000;
const answerLimitMs = 120_000;
const quietLimitMs = 180_000;
const pollMs = 50;

/** @returns the rounds, which also stand in a file of the lab as lines of JSON */
export async function runRounds(options: RoundsOptions): Promise<Round[]> {
  const machine = machinePlaces(options.machine);
  const draws = drawsOf(options.seed);
  const file = join(labDirectory, `faults-${options.machine}-${options.seed}.jsonl`);
  const scene = await makeScene(
    machine,
    options.other === undefined ? undefined : machinePlaces(options.other),
  );
  await quiet(scene);
  const done: Round[] = [];
  for (let round = 1; round <= options.rounds; round++) {
    const fault = draws.of(options.faults ?? Object.keys(faults));
    const operation = draws.of(
      options.operations ?? Object.keys(operations).filter((name) => name !== 'move' || scene.other),
    );
    const result = await oneRound(scene, { round, fault, operation, moment: draws.next(), draw: draws.next });
    done.push(result);
    await appendFile(file, `${JSON.stringify(result)}\n`);
    const { backMs, problems, atMs } = result;
    const how = problems.length === 0 ? 'as required' : problems.join('; ');
    options.print(
      `${round} ${fault} ${Math.round(atMs)} ms into ${operation}: back after ${Math.round(backMs)} ms, ${how}`,
    );
  }
  return done;
}

async function oneRound(
  scene: Scene,
  given: { round: number; fault: string; operation: string; moment: number; draw: () => number },
): Promise<Round> {
  const { round, fault, operation, moment, draw } = given;
  const result: Round = { round, fault, operation, atMs: 0, backMs: 0, problems: [] };
  const before = await remains(scene);
  const work = operations[operation];
  const strike = faults[fault];
  if (!work || !strike) throw new Error(`There is no fault "${fault}" or no operation "${operation}".`);
  try {
    await work.start(scene, round);
    result.atMs = moment * work.usualMs;
    await pause(result.atMs);
    // Of a move, either host can be struck.
    const struck =
      operation === 'move' ? (machinesOf(scene)[Math.floor(draw() * 2)] ?? scene.machine) : scene.machine;
    if (operation === 'move') result.machine = struck.name;
    const begins = (await strike(struck, draw)) ?? Date.now();
    await firstAnswer(scene);
    result.backMs = Date.now() - begins;
    if (result.backMs > backLimitMs) result.problems.push(`back after ${result.backMs} ms`);
    if (operation === 'installation') await installHost(scene.machine);
    const open = await quiet(scene);
    if (open.length > 0) result.problems.push(...open);
    if (operation === 'move') await bringHome(scene);
    result.problems.push(...(await settled(() => untrue(scene))));
    result.problems.push(...(await damaged(scene)));
    result.problems.push(...(await settled(async () => differences(before, await remains(scene)))));
  } catch (error) {
    result.problems.push(`stopped: ${error instanceof Error ? error.message : String(error)}`);
    await inMachine(scene.machine, ['rm', '-f', '/filler']).catch(() => {});
  }
  return result;
}

async function firstAnswer(scene: Scene): Promise<void> {
  const endsAt = performance.now() + answerLimitMs;
  while ((await answerOf(scene)) === undefined) {
    if (performance.now() > endsAt)
      throw new Error(`the app does not answer within ${answerLimitMs / 1000} s`);
    await pause(pollMs);
  }
}

/** Waits until no job is open. @returns those that stay so */
async function quiet(scene: Scene): Promise<string[]> {
  return await settled(() => unfinished(scene));
}

/** Repeats until nothing is found, as what a job leaves to be removed later takes a while. @returns what stays */
async function settled(look: () => Promise<string[]>): Promise<string[]> {
  const endsAt = performance.now() + quietLimitMs;
  for (;;) {
    const found = await look();
    if (found.length === 0 || performance.now() > endsAt) return found;
    await pause(1_000);
  }
}

/** Faults × operations: rounds that ended as required of all, and the longest time until apps were back. */
export function tableOf(rounds: readonly Round[]): string {
  const names = (key: 'fault' | 'operation') => [...new Set(rounds.map((one) => one[key]))].sort();
  const columns = names('operation');
  const lines = names('fault').map((fault) => {
    const of = rounds.filter((one) => one.fault === fault);
    const cells = columns.map((operation) => {
      const here = of.filter((one) => one.operation === operation);
      return here.length === 0
        ? ''
        : `${here.filter((one) => one.problems.length === 0).length}/${here.length}`;
    });
    const times = of.map((one) => one.backMs).sort((one, other) => one - other);
    const middle = ((times[Math.floor(times.length / 2)] ?? 0) / 1000).toFixed(1);
    return `| ${[fault, ...cells, `${middle} s, ${((times.at(-1) ?? 0) / 1000).toFixed(1)} s`].join(' | ')} |`;
  });
  const head = ['fault', ...columns, 'back: median, longest'];
  return [`| ${head.join(' | ')} |`, `|${head.map(() => '---').join('|')}|`, ...lines].join('\n');
}
