/** The faults of a chaos run, and their repair. */
import { setTimeout as pause } from 'node:timers/promises';
import { count, runnerEnv, type Scene } from './chaos-run.ts';
import type { SimulatedRunner } from './simulated-runner.ts';

type Fault = (scene: Scene, runner: SimulatedRunner) => Promise<void> | void;

const minuteMs = 60_000;
const longestBreakMs = 600;
const crashPoints = [
  ...['clone:begun', 'build:done', 'start:created', 'health:done', 'switch:begun', 'switch:permitted'],
  ...['switch:moved', 'switch:done', 'finish:begun', 'finish:done', 'report:journalled', 'report:sent'],
];
/** Less and more than the 10 min after which a host counts as lost. */
const skews = [
  -60 * minuteMs,
  -5 * minuteMs,
  -minuteMs,
  2 * minuteMs,
  5 * minuteMs,
  11 * minuteMs,
  60 * minuteMs,
];

const faults: Record<string, Fault> = {
  cut: (_, { proxy }) => proxy.cut(),
  refuse: (scene, { proxy }) => {
    proxy.refuse(true);
    proxy.cut();
    later(scene, () => proxy.refuse(false));
  },
  'black hole': (scene, { proxy }) => {
    proxy.blackHole(...scene.random.pick([['up'], ['down'], ['up', 'down']] as const));
    later(scene, () => proxy.heal());
  },
  'slow line': (scene, { proxy }) => {
    proxy.delay(scene.random.below(150));
    later(scene, () => proxy.delay(0));
  },
  'doubled frames': ({ random }, { proxy }) => {
    const chance = random.next() / 2;
    proxy.doubles = () => Math.random() < chance;
  },
  'hub crash': ({ plane }, { runnerId }) => plane.crashHub(runnerId),
  'runner killed': async (scene, runner) => {
    await runner.kill();
    const crashAt: Record<string, string> = scene.random.chance(0.6)
      ? { CRASH_AT: scene.random.pick(crashPoints) }
      : {};
    const CLOCK_SKEW_MS = String(scene.random.chance(0.5) ? scene.random.pick(skews) : 0);
    later(
      scene,
      () => runner.isRunning() || runner.start({ ...runnerEnv(scene), ...crashAt, CLOCK_SKEW_MS }),
    );
  },
  'D1 before': (scene) => breakStore(scene, 'before'),
  'D1 after': (scene) => breakStore(scene, 'after'),
  'D1 either': (scene) => breakStore(scene, 'either'),
  'clock of the control plane': async ({ plane, random }) => plane.pull({ skewMs: random.pick(skews) }),
  sweep: ({ plane }) => plane.sweep().catch(() => {}),
};

export async function breakSomething(scene: Scene): Promise<void> {
  const { random, runners, plane } = scene;
  const name = random.pick(Object.keys(faults));
  count(scene.faults, name);
  const runner = random.pick(runners);
  if (scene.healing.size === 0) startTheDead(scene);
  await faults[name]?.(scene, runner);
  if (random.chance(0.2)) await plane.sweep().catch(() => {});
}

export async function healEverything(scene: Scene): Promise<void> {
  await Promise.all(scene.healing);
  await scene.plane.pull({ d1: 'none', skewMs: 0 });
  for (const runner of scene.runners) {
    runner.proxy.refuse(false);
    runner.proxy.delay(0);
    runner.proxy.doubles = () => false;
    runner.proxy.heal();
  }
  startTheDead(scene);
}

/** Like a service manager: a process that died at its crash point restarts without it. */
export function startTheDead(scene: Scene): void {
  for (const runner of scene.runners) if (!runner.isRunning()) runner.start(runnerEnv(scene));
}

async function breakStore(scene: Scene, d1: 'before' | 'after' | 'either'): Promise<void> {
  await scene.plane.pull({ d1, chance: scene.random.pick([0.1, 0.5, 1]) });
  later(scene, () => scene.plane.pull({ d1: 'none' }));
}

function later(scene: Scene, mend: () => unknown): void {
  const mended: Promise<void> = pause(scene.random.below(longestBreakMs))
    .then(async () => void (await mend()))
    .finally(() => scene.healing.delete(mended));
  scene.healing.add(mended);
}
