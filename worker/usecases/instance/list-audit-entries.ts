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
import type { Database } from '../../store/sql/database.ts';
import type { Page } from '../../store/sql/keyset.ts';
import type { Dependencies } from '../dependencies.ts';

/** Statements for a page of the audit log. @param page.before the last entry of the previous page */
export const auditStatements = (db: Database, filter: AuditFilter, page: AuditPage) => ({
  entries: selectAuditEntries(db, filter, page),
  ...(page.before === undefined ? {} : { cursor: selectAuditEntryId(db, page.before, filter.tenantId) }),
});

export interface AuditRows {
  entries: AuditRow[];
  cursor?: { id: string }[];
}

/**
 * The entries of a page, newest first.
 * @throws ApiError `invalid_request` if `before` is not an existing entry that the caller can see
 */
export function listAuditEntries({ entries, cursor }: AuditRows): AuditRow[] {
  if (cursor?.length !== 0) return entries;
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
