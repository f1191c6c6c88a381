/** Where older lines of services that have moved are. */
import { type EarlierHostRow, listEarlierHosts } from '../../store/logs/log-search-store.ts';
import type { Dependencies } from '../dependencies.ts';

/** How long hosts keep lines, unless their operator has changed it. */
const keptMs = 30 * 24 * 3_600_000;

/** @param since epoch milliseconds: lines from before are not wanted; absent: all are */
export async function earlierHosts(
  { db, now }: Pick<Dependencies, 'db' | 'now'>,
  serviceIds: readonly string[],
  since = 0,
): Promise<EarlierHostRow[]> {
  const left = await listEarlierHosts(db, serviceIds);
  return left.filter(({ leftAt }) => leftAt > Math.max(since, now() - keptMs));
}
