/** Keeps one program running: checks its process, probes it, and replaces it on failure. */
import { setTimeout as pause } from 'node:timers/promises';

export interface Supervised {
  name: string;
  /** Tests whether the process runs; cheap. */
  isAlive(): boolean;
  /** Tests whether it answers; must have its own time limit. */
  answers(): Promise<boolean>;
  /** Ends the old process, if it still exists, and starts a new one. */
  replace(): Promise<void>;
  probeIntervalMs: number;
  /** Failed probes in a row after which a running but silent process is replaced. */
  missesMax: number;
  /** Processor time used so far; only its change counts. */
  used?(): number;
}

/** A dead process is noticed within this time. */
const pollIntervalMs = 250;

/**
 * The factor for allowed misses while the program used the processor during the probe. On a busy host the program, or this process, may
 * answer late, and a replacement would drop all requests. A program that hangs uses no processor, or all of it for long.
 */
const busyPatience = 10;

/** Pause after a failed replacement, for example while another program holds its port. */
const retryMs = 1_000;

/** A program that can't be replaced for this long is a trouble of the host; a port is usually released sooner. */
const troubleAfterMs = 10_000;

export interface Supervision {
  /** The reason why the program is down for longer than a moment; `undefined` if it is not. */
  trouble(): string | undefined;
  /** Resolves when no check, probe or replacement is running. The process keeps running. */
  stop(): Promise<void>;
}

/**
 * @param report receives one sentence for the runner's log
 * @param changed called when `trouble` has changed
 */
export function supervise(
  program: Supervised,
  report: (sentence: string) => void,
  changed: () => void = () => {},
): Supervision {
  const stopping = new AbortController();
  let trouble: string | undefined;
  const ended = watch(program, report, stopping.signal, (sentence) => {
    if (sentence === trouble) return;
    trouble = sentence;
    changed();
  });
  return {
    trouble: () => trouble,
    async stop() {
      stopping.abort();
      await ended;
    },
  };
}

async function watch(
  program: Supervised,
  report: (sentence: string) => void,
  stopped: AbortSignal,
  setTrouble: (sentence: string | undefined) => void,
) {
  let misses = 0;
  let probeAt = performance.now() + program.probeIntervalMs;
  while (await paused(pollIntervalMs, stopped)) {
    const alive = program.isAlive();
    if (alive && performance.now() < probeAt) continue;
    const before = program.used?.();
    misses = alive && !(await program.answers()) ? misses + 1 : 0;
    probeAt = performance.now() + program.probeIntervalMs;
    const isBusy = program.used?.() !== before;
    const allowed = program.missesMax * (isBusy ? busyPatience : 1);
    if (stopped.aborted || (alive && misses < allowed)) continue;
    await replaced(program, alive ? 'did not answer' : 'had stopped', { report, setTrouble }, stopped);
    setTrouble(undefined);
    misses = 0;
  }
}

async function replaced(
  program: Supervised,
  why: string,
  { report, setTrouble }: { report: (sentence: string) => void; setTrouble: (sentence: string) => void },
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
      if (performance.now() - from >= troubleAfterMs) setTrouble(`${sentence}.`);
      await paused(retryMs, stopped);
    }
  }
}

/** @returns false if stopped in the meantime */
async function paused(milliseconds: number, stopped: AbortSignal): Promise<boolean> {
  return pause(milliseconds, true, { signal: stopped }).catch(() => false);
}
