import { ApiError } from '../../domain/errors.ts';
import { minuteMs, minuteOf } from '../../domain/values/minute-counts.ts';
import {
  type AuditFilter,
  type AuditPage,
  type AuditRow,
  selectAuditEntries,
  selectAuditEntryId,
  selectFailedSignIns,
} from '../../store/instance/audit-store.ts';
import type { Page } from '../../store/sql/keyset.ts';
import type { Dependencies } from '../dependencies.ts';

/**
 * A page of the audit log, newest first.
 * @param page.before the last entry of the previous page
 * @throws ApiError `invalid_request` if `before` is not an existing entry
 */
export async function listAuditEntries(
  { db }: Pick<Dependencies, 'db'>,
  filter: AuditFilter,
  page: AuditPage,
): Promise<AuditRow[]> {
  const { before } = page;
  if (before === undefined) return selectAuditEntries(db, filter, page);
  const [entries, [cursor]] = await db.batch([
    selectAuditEntries(db, filter, page),
    selectAuditEntryId(db, before),
  ]);
  if (cursor) return entries;
  throw new ApiError(
    'invalid_request',
    'The query parameter "before" must be the id of an existing audit entry.',
  );
}

/** Failed sign-ins from one address in one minute. */
export interface FailedMinute {
  startedAt: number;
  addressHash: string;
  count: number;
}

/** @param since epoch milliseconds; the minute that contains it is included */
export async function listFailedSignIns(
  { db }: Pick<Dependencies, 'db'>,
  { since = 0, ...page }: Page & { since?: number | undefined },
): Promise<FailedMinute[]> {
  const rows = await selectFailedSignIns(db, minuteOf(since), page);
  return rows.map(({ minute, ...row }) => ({ ...row, startedAt: minute * minuteMs }));
}
