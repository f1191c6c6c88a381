import { type JobPlace, placeOf, takesPlace, waitsForService } from '../../protocol/job-places.ts';
import type { JobPhase } from '../../protocol/job-report.ts';
import type { JobKind } from '../../protocol/job-spec.ts';

export interface PlacedJob {
  serviceId: string;
  kind: JobKind;
  phase: JobPhase | null;
}

/**
 * The waiting jobs that may start, in order of arrival. A service runs one job at a time, and commands beside it. Tenants already took turns when the
 * hub claimed these jobs, and it claims no more than there are places.
 */
export function nextJobs<Job extends PlacedJob>(
  waiting: readonly Job[],
  running: Iterable<PlacedJob>,
  places: Readonly<Record<JobPlace, number>>,
): Job[] {
  const atWork = [...running];
  const busy = new Set(atWork.filter(({ kind }) => waitsForService(kind)).map(({ serviceId }) => serviceId));
  const free = { ...places };
  for (const job of atWork) if (takesPlace(job)) free[placeOf[job.kind]] -= 1;
  return waiting.filter(({ serviceId, kind }) => {
    const waits = waitsForService(kind);
    if ((waits && busy.has(serviceId)) || free[placeOf[kind]] <= 0) return false;
    if (waits) busy.add(serviceId);
    free[placeOf[kind]] -= 1;
    return true;
  });
}
