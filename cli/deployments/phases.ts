/** The time of each phase of a deployment, parsed from the platform's own lines in its log: `build: done in 12.3 s`. */
import type { Deployment, LogEntry, Service } from '../../client/client.ts';

const phaseNames = ['clone', 'build', 'start', 'health', 'switch', 'finish'] as const;
export type PhaseName = (typeof phaseNames)[number];

export interface Phase {
  name: PhaseName;
  seconds: number;
  failed: boolean;
}

const end = /^(clone|build|start|health|switch|finish): (done in|ended after) ([\d.]+) s$/;

/** The phase that ended with this line; undefined for other lines. */
export function phaseEnd({ stream, line }: Pick<LogEntry, 'stream' | 'line'>): Phase | undefined {
  const [, name, how, seconds] = (stream === 'system' && end.exec(line)) || [];
  if (name === undefined) return undefined;
  return { name: name as PhaseName, seconds: Number(seconds), failed: how !== 'done in' };
}

/** The phase with which a deployment begins. */
export function firstPhase(
  { trigger }: Pick<Deployment, 'trigger'>,
  { repoUrl }: Pick<Service, 'repoUrl'>,
): PhaseName {
  if (['rollback', 'restart', 'restore'].includes(trigger)) return 'start';
  return ['container-image', 'database'].includes(repoUrl) ? 'build' : 'clone';
}

/** The phase after this one; undefined after the last. */
export const nextPhase = (name: PhaseName): PhaseName | undefined => phaseNames[phaseNames.indexOf(name) + 1];

const barWidth = 30;
const nameWidth = 6;

/** One line for each phase, with a bar as long as its share of the time, no wider than the terminal. */
export function phaseBars(phases: readonly Phase[], columns: number): string[] {
  const times = phases.map(({ seconds, failed }) => `${seconds.toFixed(1)} s${failed ? ' (failed)' : ''}`);
  const timeWidth = Math.max(0, ...times.map((time) => time.length));
  const longest = Math.max(0.1, ...phases.map(({ seconds }) => seconds));
  const width = Math.max(0, Math.min(barWidth, columns - nameWidth - timeWidth - 5));
  return phases.map(({ name, seconds }, at) => {
    const bar = '#'.repeat(Math.max(seconds > 0 ? 1 : 0, Math.round((seconds / longest) * width)));
    return `${name.padEnd(nameWidth)}  ${(times[at] ?? '').padStart(timeWidth)}  ${bar.slice(0, width)}`.trimEnd();
  });
}
