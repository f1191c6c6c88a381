/** Keeps one program alive: looks whether it runs, asks whether it answers, replaces it when not. */
import { setTimeout as pause } from 'node:timers/promises';

export interface Supervised {
  name: string;
  /** Whether the process runs; cheap. */
  isAlive(): boolean;
  /** Whether it answers; must end by itself within its own time limit. */
  answers(): Promise<boolean>;
  /** Ends what is left of it and starts it anew. */
  replace(): Promise<void>;
  probeIntervalMs: number;
  /** Misses in a row after which a living but silent process is replaced. */
  missesMax: number;
}

/** A dead process is noticed within this time. */
const lookIntervalMs = 250;

/** After a failed replacement, e.g. while a stranger holds its port. */
const retryMs = 1_000;

export interface Supervision {
  /** Resolves when no look, probe or replacement is under way any more. The process goes on. */
  stop(): Promise<void>;
}

/** @param report takes one sentence for the runner's log. */
export function supervise(program: Supervised, report: (sentence: string) => void): Supervision {
  const stopping = new AbortController();
  const ended = watch(program, report, stopping.signal);
  return {
    async stop() {
      stopping.abort();
      await ended;
    },
  };
}

async function watch(program: Supervised, report: (sentence: string) => void, stopped: AbortSignal) {
  let misses = 0;
  let probeAt = performance.now() + program.probeIntervalMs;
  while (await paused(lookIntervalMs, stopped)) {
    const alive = program.isAlive();
    if (alive && performance.now() < probeAt) continue;
    misses = alive && !(await program.answers()) ? misses + 1 : 0;
    probeAt = performance.now() + program.probeIntervalMs;
    if (stopped.aborted || (alive && misses < program.missesMax)) continue;
    await replaced(program, alive ? 'did not answer' : 'had stopped', report, stopped);
    misses = 0;
  }
}

async function replaced(
  program: Supervised,
  why: string,
  report: (sentence: string) => void,
  stopped: AbortSignal,
) {
  const from = performance.now();
  let said = '';
  while (!stopped.aborted) {
    try {
      await program.replace();
      report(`${program.name} ${why} and was started again in ${Math.round(performance.now() - from)} ms`);
      return;
    } catch (error) {
      const sentence = `${program.name} ${why} and could not be started again: ${error instanceof Error ? error.message : error}`;
      if (sentence !== said) report(sentence);
      said = sentence;
      await paused(retryMs, stopped);
    }
  }
}

/** @returns false when stopped meanwhile. */
async function paused(milliseconds: number, stopped: AbortSignal): Promise<boolean> {
  return pause(milliseconds, true, { signal: stopped }).catch(() => false);
}
