/** One check of the conditions of cron's alerts: limited, but always including conditions with an open alert, which would end otherwise. */
import { type SQL, sql } from 'drizzle-orm';
import type { Database } from '../sql/database.ts';
import type { SeenAlert } from './alert-change-store.ts';

/** Alerts that one check may raise: a general fault must not cause ten thousand messages at once. */
export const raisedMax = 200;

type FoundAlert = Pick<SeenAlert, 'rule' | 'subjectId' | 'detail'>;

/**
 * All conditions of a rule with an open alert, and some of the others; the next checks raise the rest.
 * @param found a query for all conditions that hold, with the columns of `Found`
 */
export const openAlertsFirst = <Found extends FoundAlert>(db: Database, rule: Found['rule'], found: SQL) =>
  db.all<Found>(sql`select * from (${found}) as found
    order by exists (select 1 from alerts where subject_id = found.subjectId and alerts.rule = ${rule} and resolved_at is null) desc,
      subjectId
    limit ${raisedMax} + (select count(*) from alerts where runner_id = '' and alerts.rule = ${rule} and resolved_at is null)`);
