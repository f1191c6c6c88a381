import { reportHosts } from '../../store/hosts/host-event-store.ts';
import type { Dependencies } from '../dependencies.ts';

/** A host that restarts, or loses its line for a moment, is back by then. */
const awayAfterMs = 5 * 60_000;

/** Raises an event for each host that has been away for five minutes, and one when it is back. */
export async function watchHosts({ db, now }: Pick<Dependencies, 'db' | 'now'>): Promise<void> {
  const at = now();
  await reportHosts(db, { now: at, awayBefore: at - awayAfterMs });
}
