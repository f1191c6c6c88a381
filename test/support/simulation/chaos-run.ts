/**
 * A day of faults in seconds: deployments and aborts over two runners while everything around them breaks, then a quiet time, then checks
 * of the conditions that must always hold. The seed decides every action and every pause, but not their exact timing on the machine.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { type ChaosControlPlane, startChaosControlPlane } from './chaos-control-plane.ts';
import { breakSomething, healEverything, startTheDead } from './chaos-faults.ts';
import { findViolations, StateWatch } from './chaos-invariants.ts';
import { type Random, randomOf } from './random.ts';
import { type SimulatedRunner, simulatedRunner } from './simulated-runner.ts';

export interface ChaosOptions {
  seed: number;
  /** Number of requested deployments. */
  deployments: number;
  directory: string;
}

export interface ChaosReport {
  seed: number;
  /** Number of requests by answer. */
  answers: Record<string, number>;
  faults: Record<string, number>;
  /** Deployments by their last state. */
  ends: Record<string, number>;
  quietMs: number;
  /** One sentence per violated condition; empty if all hold. */
  violations: string[];
}

export interface Scene {
  plane: ChaosControlPlane;
  runners: SimulatedRunner[];
  services: string[];
  random: Random;
  seed: number;
  /** Deployments whose POST was answered 200. */
  queued: string[];
  /** Deployments whose abort was answered 200. */
  aborted: Set<string>;
  answers: Record<string, number>;
  faults: Record<string, number>;
  /** Faults that end by themselves after a while. */
  healing: Set<Promise<void>>;
}

const servicesPerRunner = 3;
const longestPauseMs = 100;
/** Timers of the runners run this much faster, so that their backoffs and limits fit. */
const timerSpeed = 10;
const quietLimitMs = 150_000;

export async function runChaos({ seed, deployments, directory }: ChaosOptions): Promise<ChaosReport> {
  const plane = await startChaosControlPlane(directory);
  const scene = await setScene(plane, seed, directory);
  const watch = new StateWatch(plane);
  try {
    for (const runner of scene.runners) runner.start(runnerEnv(scene));
    const asked = { deployments: 0 };
    while (asked.deployments < deployments) {
      await act(scene, asked);
      await watch.look();
      await pause(scene.random.below(longestPauseMs));
    }
    await healEverything(scene);
    const startedAt = performance.now();
    const isQuiet = await quiet(scene, watch);
    const quietMs = Math.round(performance.now() - startedAt);
    const violations = isQuiet ? [] : [`not quiet after ${quietLimitMs / 1000} s`];
    violations.push(...(await findViolations(scene, watch)));
    const { answers, faults } = scene;
    return { seed, answers, faults, ends: await watch.ends(), quietMs, violations };
  } finally {
    await Promise.all(scene.runners.map((runner) => runner.close()));
    await plane.stop();
  }
}

/** The environment of every process of a runner. */
export function runnerEnv({ seed }: Pick<Scene, 'seed'>): Record<string, string> {
  return { SEED: String(seed), TIMER_SPEED: String(timerSpeed), PHASE_MS: '40' };
}

async function setScene(plane: ChaosControlPlane, seed: number, directory: string): Promise<Scene> {
  const runners = await Promise.all(['one', 'two'].map((name) => simulatedRunner(plane, directory, name)));
  const { project } = (await plane.call('POST', '/api/projects', { name: 'Chaos', description: '' })).body;
  const services: string[] = [];
  for (const { runnerId } of runners) {
    for (let number = 1; number <= servicesPerRunner; number++) {
      const body = {
        name: `web ${services.length}`,
        repoUrl: 'container-image',
        imageRef: 'app:1',
        branch: 'main',
        runtimeMode: 'web',
        internalPort: 8080,
        env: [],
        runnerId,
      };
      const reply = await plane.call('POST', `/api/projects/${project.id}/services`, body);
      services.push(reply.body.service.id);
    }
  }
  const random = randomOf(seed);
  const counts = { answers: {}, faults: {}, healing: new Set<Promise<void>>() };
  return { plane, runners, services, random, seed, queued: [], aborted: new Set(), ...counts };
}

async function act(scene: Scene, asked: { deployments: number }): Promise<void> {
  const { random, queued } = scene;
  const roll = random.next();
  if (roll < 0.45) {
    asked.deployments += 1;
    await deploy(scene, random.pick(scene.services));
  } else if (roll < 0.65) {
    if (queued.length > 0) await abort(scene, random.pick(queued.slice(-8)));
  } else {
    await breakSomething(scene);
  }
}

async function deploy(scene: Scene, serviceId: string): Promise<void> {
  const { status, body } = await scene.plane.call('POST', `/api/services/${serviceId}/deployments`);
  count(scene.answers, `deploy ${status}`);
  if (status === 200) scene.queued.push(body.deployment.id);
}

async function abort(scene: Scene, deploymentId: string): Promise<void> {
  const { status } = await scene.plane.call('POST', `/api/deployments/${deploymentId}/abort`);
  count(scene.answers, `abort ${status}`);
  if (status === 200) scene.aborted.add(deploymentId);
}

/** Runs the sweeps of many minutes, until no job is open and no runner has anything left to report. */
async function quiet(scene: Scene, watch: StateWatch): Promise<boolean> {
  const { plane, runners } = scene;
  const endsAt = performance.now() + quietLimitMs;
  for (;;) {
    startTheDead(scene);
    await plane.sweep();
    await watch.look();
    const open = await plane.rows(`select id from jobs where state in ('queued', 'active')`);
    if (open.length === 0 && (await allSaid(runners))) return true;
    if (performance.now() > endsAt) return false;
    await pause(300);
  }
}

/** Reads the journals while their owners use them: SQLite allows one writer and many readers. */
async function allSaid(runners: SimulatedRunner[]): Promise<boolean> {
  return runners.every((runner) => {
    const { reports, chores, jobs, logs } = runner.unfinished();
    return reports === 0 && chores === 0 && jobs === 0 && logs.length === 0;
  });
}

export function count(counts: Record<string, number>, what: string): void {
  counts[what] = (counts[what] ?? 0) + 1;
}
