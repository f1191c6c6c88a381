/** The time of each phase of a deployment, parsed from the platform's own lines in its log: `build: done in 12.3 s`. */
import type { Line, Part } from '../../../log/line.ts';

export const phaseNames = ['clone', 'build', 'start', 'health', 'switch', 'finish'] as const;
export type PhaseName = (typeof phaseNames)[number];

export interface Phase {
  name: PhaseName;
  seconds: number;
  state: 'done' | 'failed' | 'running';
}

const end = /^(clone|build|start|health|switch|finish): (done in|ended after) ([\d.]+) s$/;

/**
 * @param lines of the log so far
 * @param runningMs since the last line of a phase, if the deployment is in progress
 * @param first see firstPhase
 */
export function phasesOf(
  lines: readonly Line[],
  runningMs: number | undefined,
  first: PhaseName = 'clone',
): Phase[] {
  const phases: Phase[] = [];
  for (const { stream, line } of lines) {
    const [, name, how, seconds] = (stream === 'system' && end.exec(line)) || [];
    if (name === undefined) continue;
    phases.push({
      name: name as PhaseName,
      seconds: Number(seconds),
      state: how === 'done in' ? 'done' : 'failed',
    });
  }
  const next = nextPhase(phases.at(-1)?.name, first);
  if (runningMs !== undefined && next && lines.length > 0)
    phases.push({ name: next, seconds: runningMs / 1000, state: 'running' });
  return phases;
}

const nextPhase = (last: PhaseName | undefined, first: PhaseName): PhaseName | undefined =>
  last === undefined ? first : phaseNames[phaseNames.indexOf(last) + 1];

export interface StepState {
  name: PhaseName;
  /** `waiting`: it comes later. `left-out`: the deployment ended before it. */
  state: Phase['state'] | 'waiting' | 'left-out';
  seconds: number | null;
}

/** All steps of a deployment, also those that come later or were not reached. */
export function stepStates(
  phases: readonly Phase[],
  first: PhaseName,
  end: 'open' | 'succeeded' | 'failed',
): StepState[] {
  const known = new Map(phases.map((phase) => [phase.name, phase]));
  return phaseNames.slice(phaseNames.indexOf(first)).map((name) => {
    const phase = known.get(name);
    if (phase) return phase;
    // A log that was removed, or has not arrived, says nothing against a success.
    const state = end === 'succeeded' ? 'done' : end === 'failed' ? 'left-out' : 'waiting';
    return { name, state, seconds: null };
  });
}

/** The lines of each phase: after the end of the previous phase, up to its own. Lines after the last end belong to the running phase. */
export function stepsOf(lines: readonly Line[], first: PhaseName = 'clone'): Step[] {
  const steps: Step[] = [];
  for (const [index, { stream, line }] of lines.entries()) {
    const name = stream === 'system' ? end.exec(line)?.[1] : undefined;
    if (name !== undefined)
      steps.push({ name: name as PhaseName, from: steps.at(-1)?.to ?? 0, to: index + 1 });
  }
  const from = steps.at(-1)?.to ?? 0;
  const next = nextPhase(steps.at(-1)?.name, first);
  if (next && from < lines.length) steps.push({ name: next, from, to: lines.length });
  return steps;
}

export interface Step extends Part {
  name: PhaseName;
}

/** The end of the last phase, which is the start of the running one. */
export function lastPhaseEnd(lines: readonly Line[]): string | undefined {
  return (
    lines.findLast(({ stream, line }) => stream === 'system' && end.test(line))?.createdAt ??
    lines[0]?.createdAt
  );
}
