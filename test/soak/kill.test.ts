/**
 * `kill -9` of every program of an instance and of every pair of them, at every phase of a deployment. Each time: the job ends in a
 * true state, the two apps serve on (after Caddy's own death again within 2 s), and nothing is left without an owner.
 * `LONGSHORE_KILL=<phase>` or `<phase>:<program+program>` runs a part.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type DeployedPair, deployedPair } from './support/deployed-pair.ts';
import { killNine, type Program, programs } from './support/instance-processes.ts';
import { type Prober, probe } from './support/prober.ts';
import { settled } from './support/remains.ts';

/** Where the runner stands when the kill comes: each waits for the call it names and holds it. */
const phases = {
  clone: (pair: DeployedPair) => pair.holdGit(),
  build: async (pair: DeployedPair) => {
    const held = await pair.gateway.hold(/^POST \/build$/, 'before');
    held.release();
    await pause(400); // the build's second of sleep has begun
    return held;
  },
  created: (pair: DeployedPair) => pair.gateway.hold(/^POST \/containers\/create$/, 'after'),
  started: (pair: DeployedPair) => pair.gateway.hold(/^POST \/containers\/\w+\/start$/, 'after'),
  health: async (pair: DeployedPair) => {
    const held = await pair.gateway.hold(/^POST \/containers\/\w+\/start$/, 'after');
    held.release();
    await pause(200); // the app listens after 400 ms
    return held;
  },
  switch: (pair: DeployedPair) => pair.gateway.hold(/^POST \/networks\/\w+\/connect$/, 'before'),
  finish: (pair: DeployedPair) => pair.gateway.hold(/^POST \/containers\/\w+\/rename$/, 'before'),
} as const;

type Phase = keyof typeof phases;

const sets: Program[][] = programs.flatMap((one, index) => [
  [one],
  ...programs.slice(index + 1).map((other) => [one, other]),
]);
const [onlyPhase, onlySet] = (process.env.LONGSHORE_KILL ?? '').split(':');
const backWithinMs = 2_000;

let pair: DeployedPair;
let neighbour: Prober;
let subject: Prober;
let version = 0;
let serving = 'subject 0';

beforeAll(async () => {
  pair = await deployedPair();
  neighbour = probe(pair.neighbour.hostPort, (body) => body === 'neighbour 0');
  subject = probe(pair.subject.hostPort, (body) => body.startsWith('subject '));
});

afterAll(async () => {
  await neighbour?.stop();
  await subject?.stop();
  await pair?.close();
});

const rows: Record<string, unknown>[] = [];
// The table of docs/reliability.md is made from these.
afterAll(() => process.stdout.write(rows.map((row) => `${JSON.stringify(row)}\n`).join('')));

for (const phase of Object.keys(phases) as Phase[]) {
  describe.runIf(!onlyPhase || onlyPhase === phase)(`killed at ${phase}`, () => {
    for (const victims of sets) {
      test.runIf(!onlySet || onlySet === victims.join('+'))(victims.join(' and '), () =>
        killAt(phase, victims),
      );
    }
  });
}

async function killAt(phase: Phase, victims: Program[]): Promise<void> {
  const text = `subject ${++version}`;
  const reached = phases[phase](pair);
  const deploymentId = await pair.deploy(text);
  const { release } = await reached;
  await neighbour.take();
  await subject.take();

  const from = performance.now();
  await killNine(pair.longshore.dataDirectory, victims);
  release();
  if (victims.includes('start')) await pair.longshore.start();
  const deployment = await pair.final(deploymentId);
  const endedMs = performance.now() - from;
  const { there, wanted } = await settled(pair.longshore, [pair.neighbour.id, pair.subject.id]);
  const seen = [await neighbour.take(), await subject.take()];

  const log = await pair.longshore.log(deploymentId);
  const closing = log.split('\n').at(-1);
  rows.push({
    phase,
    victims: victims.join('+'),
    status: deployment.status,
    endedMs: Math.round(endedMs),
    quietMs: Math.round(performance.now() - from),
    failures: seen.map(({ failures }) => failures.length).join(' '),
    awayMs: seen.map(({ awayMs }) => awayMs).join(' '),
    slowestMs: seen.map(({ slowestMs }) => slowestMs).join(' '),
    closing,
  });
  if (deployment.status === 'running') serving = text;
  expect.soft(await pair.answer()).toBe(serving);
  expect.soft(outcomesOf(phase, victims), log).toContain(deployment.status);
  expect.soft(there).toEqual(wanted);
  for (const { failures, awayMs, slowestMs } of seen) {
    if (victims.includes('caddy')) expect.soft(awayMs).toBeLessThan(backWithinMs);
    else expect.soft(failures.slice(0, 5)).toEqual([]);
    expect.soft(slowestMs).toBeLessThan(backWithinMs + 1_000);
  }
}

/** The runner's death before the switch ends a job as failed; a death of others, or after it, does not. */
function outcomesOf(phase: Phase, victims: Program[]): string[] {
  if (phase === 'finish') return ['running'];
  // A start by hand ends the left-over runner, whose job may have got past its switch just before.
  if (victims.includes('start') && !victims.includes('runner')) return ['running', 'failed'];
  return victims.includes('runner') ? ['failed'] : ['running'];
}
