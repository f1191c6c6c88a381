/** Compares the open alerts with the present conditions: opens new alerts, and ends those whose condition is over. */
import type { FiringAlert } from '../../../protocol/metrics/alerts.ts';
import { flapping } from '../../domain/alerts/alerts.ts';
import {
  closeAlert,
  endAlert,
  isAbsentSince,
  openAlert,
  resumeAlert,
  type SeenAlert,
} from '../../store/alerts/alert-change-store.ts';
import { type AlertRow, listCalmAlerts, listOpenOfHost } from '../../store/alerts/alert-store.ts';
import type { Dependencies } from '../dependencies.ts';

type Needs = Pick<Dependencies, 'db' | 'newId' | 'now'>;

/** Alerts per batch: each needs six statements at most. */
const atOnce = 20;

/** Safe to repeat, and to run concurrently. */
export async function syncAlerts(
  { db, newId, now }: Needs,
  open: readonly AlertRow[],
  seen: readonly SeenAlert[],
): Promise<void> {
  const at = now();
  const nameOf = ({ rule, subjectId }: Pick<SeenAlert, 'rule' | 'subjectId'>) => `${rule} ${subjectId}`;
  const isOpen = new Set(open.map(nameOf));
  const isSeen = new Set(seen.map(nameOf));
  await write(db, [
    ...seen
      .filter((alert) => !isOpen.has(nameOf(alert)))
      .map((alert) => {
        const ids = { id: newId('alert'), eventId: newId('event'), endEventId: newId('event') };
        return openAlert(db, { ...alert, ...ids, at });
      }),
    ...open
      .filter((alert) => alert.absentSince !== null && isSeen.has(nameOf(alert)))
      .map(({ id }) => [resumeAlert(db, id)]),
    ...open
      .filter((alert) => !isSeen.has(nameOf(alert)))
      .map((alert) => endAlert(db, alert, newId('event'), at)),
  ]);
}

/** Ends flapping alerts after a long enough time without their condition. Their hosts report no change then. */
export async function endCalmAlerts({ db, now }: Needs): Promise<void> {
  const at = now();
  const calm = await listCalmAlerts(db, at - flapping.calmMs);
  await write(
    db,
    calm.map((alert) => closeAlert(db, alert, at, isAbsentSince(at - flapping.calmMs))),
  );
}

type Statements = ReturnType<typeof closeAlert>;

async function write(db: Dependencies['db'], changes: readonly Statements[]): Promise<void> {
  for (let from = 0; from < changes.length; from += atOnce) {
    const [first, ...rest] = changes.slice(from, from + atOnce).flat();
    if (first) await db.batch([first, ...rest]);
  }
}

/** Applies the alerts that a host reports. Those about services of other hosts are ignored. */
export async function applyHostAlerts(
  deps: Pick<Dependencies, 'db' | 'newId' | 'now'>,
  runnerId: string,
  firing: readonly FiringAlert[],
): Promise<void> {
  const seen = firing.map(({ rule, serviceId, detail }) => ({
    ...{ rule, serviceId, detail, runnerId },
    subjectId: serviceId ?? runnerId,
  }));
  await syncAlerts(deps, await listOpenOfHost(deps.db, runnerId), seen);
}
