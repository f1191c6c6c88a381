import { silenceMsMax } from '../../domain/alerts/alerts.ts';
import { ApiError, absent } from '../../domain/errors.ts';
import { type AlertChanges, type AlertRow, updateAlert } from '../../store/alerts/alert-store.ts';
import type { Dependencies } from '../dependencies.ts';

export interface AlertChange {
  acknowledged?: boolean | undefined;
  /** Epoch milliseconds; `null` ends the silence. */
  silencedUntil?: number | null | undefined;
}

/**
 * Acknowledges or silences an alert. A repeat keeps the first acknowledgement.
 * @param actor a key's id, or `operator`
 * @throws ApiError `invalid_request` for a silence in the past or too long; `not_found` if the alert has been deleted since
 */
export async function changeAlert(
  { db, now }: Pick<Dependencies, 'db' | 'now'>,
  alert: AlertRow,
  { acknowledged, silencedUntil }: AlertChange,
  actor: string,
): Promise<AlertRow> {
  const at = now();
  if (typeof silencedUntil === 'number' && (silencedUntil <= at || silencedUntil > at + silenceMsMax))
    throw new ApiError(
      'invalid_request',
      'The field "silencedUntil" must be a time within the next 90 days, or null.',
    );
  const changes: AlertChanges = {
    ...(acknowledged === true &&
      alert.acknowledgedAt === null && { acknowledgedAt: at, acknowledgedBy: actor }),
    ...(acknowledged === false && { acknowledgedAt: null, acknowledgedBy: null }),
    ...(silencedUntil !== undefined && { silencedUntil, silencedBy: silencedUntil === null ? null : actor }),
  };
  if (Object.keys(changes).length === 0) return alert;
  const row = await updateAlert(db, alert, changes, at);
  if (!row) throw absent('alert');
  return row;
}
