/** Compares the alerts that are open with those that are seen now: opens new ones, and ends those that are over. */
import { type AlertRow, closeAlert, openAlert, type SeenAlert } from '../../store/alert-store.ts';
import type { Dependencies } from '../dependencies.ts';

type Needs = Pick<Dependencies, 'db' | 'newId' | 'now'>;

/** Alerts of one batch: each is three statements. */
const atOnce = 20;

/** Safe to run twice, and concurrently. */
export async function syncAlerts(
  { db, newId, now }: Needs,
  open: readonly AlertRow[],
  seen: readonly SeenAlert[],
): Promise<void> {
  const at = now();
  const nameOf = ({ rule, subjectId }: Pick<SeenAlert, 'rule' | 'subjectId'>) => `${rule} ${subjectId}`;
  const isOpen = new Set(open.map(nameOf));
  const isSeen = new Set(seen.map(nameOf));
  const changes = [
    ...seen
      .filter((alert) => !isOpen.has(nameOf(alert)))
      .map((alert) => {
        const ids = { id: newId('alert'), eventId: newId('event'), endEventId: newId('event') };
        return openAlert(db, { ...alert, ...ids, at });
      }),
    ...open.filter((alert) => !isSeen.has(nameOf(alert))).map((alert) => closeAlert(db, alert, at)),
  ];
  for (let from = 0; from < changes.length; from += atOnce) {
    const [first, ...rest] = changes.slice(from, from + atOnce).flat();
    if (first) await db.batch([first, ...rest]);
  }
}
