import type { Call } from '../../http/route.ts';

/**
 * Asks the host for the lines that it buffers while its job runs: it sends lines that nobody reads only every few seconds. The lines
 * arrive after this answer, so a reader who polls gets them with the next one.
 */
export function askForLines({
  deps,
  resource: { job },
  waitUntil,
}: Pick<
  Call<{ job: { id: string; state: string; runnerId: string } }, unknown, unknown>,
  'deps' | 'resource' | 'waitUntil'
>): void {
  if (job.state === 'active') waitUntil(deps.hubs.watchLog(job.runnerId, job.id));
}
