/** Decides which jobs on a host wait for each other. Jobs of the same service wait, except commands. */
import type { JobPhase } from './job-report.ts';
import type { JobKind } from './job-spec.ts';

/** The resource that a job uses: CPU, disk, or the memory of a second database. Separate places keep a long dump from delaying deployments. */
export type JobPlace = 'build' | 'data' | 'drill' | 'run';

export const placeOf: Readonly<Record<JobKind, JobPlace>> = {
  deploy: 'build',
  backup: 'data',
  restore: 'data',
  'volume-backup': 'data',
  'volume-restore': 'data',
  'volume-drill': 'drill',
  'volume-fill': 'data',
  import: 'data',
  drill: 'drill',
  upgrade: 'data',
  run: 'run',
};

/** Jobs that run at the same time on one host. More builds or dumps would only slow each other down. */
export const placesOfHost: Readonly<Record<JobPlace, number>> = {
  build: 2,
  data: 2,
  drill: 1,
  run: 8,
};

/** Whether jobs of the same service wait for each other. Commands never wait, because they have their own container. */
export const waitsForService = (kind: JobKind): boolean => kind !== 'run';

/** Phases in which a deployment needs no place, so that an app that never becomes healthy does not block others. */
export const placelessPhases: readonly JobPhase[] = ['health', 'switch', 'finish'];

/** Whether an active job uses a place. @param phase null before its first phase */
export const takesPlace = ({ kind, phase }: { kind: JobKind; phase: JobPhase | null }): boolean =>
  kind !== 'deploy' || phase === null || !placelessPhases.includes(phase);
