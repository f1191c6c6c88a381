/** Which jobs wait for each other on a host. Jobs of one service always do, whatever they are. */
import type { JobPhase } from './job-report.ts';
import type { JobKind } from './job-spec.ts';

/** What a job takes of its host: the cores, the disk, or the memory of a second database. A dump of hours keeps no deployment waiting. */
export type JobPlace = 'build' | 'data' | 'drill';

export const placeOf: Readonly<Record<JobKind, JobPlace>> = {
  deploy: 'build',
  backup: 'data',
  restore: 'data',
  import: 'data',
  drill: 'drill',
};

/** Jobs at work on one host. A third build, or dump, only slows two down. */
export const placesOfHost: Readonly<Record<JobPlace, number>> = { build: 2, data: 2, drill: 1 };

/** Phases of a deployment that take no place any more: an app that never becomes healthy keeps nobody waiting. */
export const placelessPhases: readonly JobPhase[] = ['health', 'switch', 'finish'];

/** Whether a job at work takes a place. @param phase null: in none yet */
export const takesPlace = ({ kind, phase }: { kind: JobKind; phase: JobPhase | null }): boolean =>
  kind !== 'deploy' || phase === null || !placelessPhases.includes(phase);
