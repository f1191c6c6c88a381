/** Where the time of a deployment went, read from the platform's own lines of its log: `build: done in 12.3 s`. */
import type { Line } from '../../log/log-lines.ts';

export const phaseNames = ['clone', 'build', 'start', 'health', 'switch', 'finish'] as const;
export type PhaseName = (typeof phaseNames)[number];

export interface Phase {
  name: PhaseName;
  seconds: number;
  state: 'done' | 'failed' | 'running';
}

const end = /^(clone|build|start|health|switch|finish): (done in|ended after) ([\d.]+) s$/;

/**
 * @param lines of the log, so far
 * @param runningMs since the last line of a phase, if the deployment is in progress
 */
export function phasesOf(lines: readonly Line[], runningMs: number | undefined): Phase[] {
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
  const next = nextPhase(phases.at(-1)?.name);
  if (runningMs !== undefined && next && lines.length > 0)
    phases.push({ name: next, seconds: runningMs / 1000, state: 'running' });
  return phases;
}

const nextPhase = (last: PhaseName | undefined): PhaseName | undefined =>
  last === undefined ? phaseNames[0] : phaseNames[phaseNames.indexOf(last) + 1];

/** When the last phase ended: the phase that runs began then. */
export function lastPhaseEnd(lines: readonly Line[]): string | undefined {
  return (
    lines.findLast(({ stream, line }) => stream === 'system' && end.test(line))?.createdAt ??
    lines[0]?.createdAt
  );
}
