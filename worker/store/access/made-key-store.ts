/** Keys that members and keys have created: none has more rights than its maker, at any moment. */
import { type SQL, sql } from 'drizzle-orm';
import type { Database } from '../sql/database.ts';

/** The order of levels as numbers, for comparisons. */
const rank = (level: string): SQL => sql`instr('read deploy write destroy', ${sql.raw(level)})`;

/**
 * The ids of keys that have more rights than their maker: a higher level, also in one of their projects, or a project that the maker can't access.
 * @param which condition on `made` and `maker`
 */
const beyondMaker = (
  which: SQL,
): SQL => sql`(select made.id from api_keys made join api_keys maker on maker.id = made.made_by
  where made.kind = 'key' and ${which} and (${rank('made.access')} > ${rank('maker.access')}
    or (made.all_projects and (not maker.all_projects or exists (select 1 from api_key_projects own
      where own.key_id = maker.id and own.level is not null and ${rank('own.level')} < ${rank('made.access')})))
    or (not made.all_projects and exists (select 1 from api_key_projects chosen
      left join api_key_projects own on own.key_id = maker.id and own.project_id = chosen.project_id
      where chosen.key_id = made.id and case when own.project_id is null then not maker.all_projects
        else ${rank('coalesce(own.level, maker.access)')} < ${rank('made.access')} end))))`;

/** Condition: the key has more rights than its maker. */
export const isBeyondMaker = (keyId: string): SQL => sql`${keyId} in ${beyondMaker(sql`made.id = ${keyId}`)}`;

/** Ends the keys of a member that the member's new rights no longer cover. @param now in epoch milliseconds */
export const endKeysBeyond = (db: Database, memberId: string, now: number) =>
  db.run(sql`update api_keys set revoked_at = ${now}
    where revoked_at is null and id in ${beyondMaker(sql`maker.id = ${memberId}`)}`);
