/** Lists of deleted resources that can still be restored. */
import { and, isNull, sql } from 'drizzle-orm';
import { deletions } from '../schema/deletions.ts';
import { columnsAs } from '../sql/columns-as.ts';
import type { Database } from '../sql/database.ts';
import { keysetOf, type Page } from '../sql/keyset.ts';
import { deletionInScope } from './deletion-store.ts';

/** Bytes of the backups that a deletion keeps. */
const keptBytes = sql<number>`(select coalesce(sum(row ->> 'size_bytes'), 0) from deleted_rows
  where deleted_rows.resource_id = deletions.resource_id and source = 'backups')`.as('kept_bytes');

/** Name of a deleted volume; its deletion has the name of its service. Null for everything else. */
const volumeName = sql<string | null>`(select row ->> 'name' from deleted_rows
  where deletions.kind = 'volume' and deleted_rows.resource_id = deletions.resource_id and source = 'volumes')`.as(
  'volume_name',
);

/** Hosts with stored data of a deletion, as a JSON array of their ids. */
const keptOn = sql<string>`(select json_group_array(distinct id) from (
  select row ->> 'runner_id' as id from deleted_rows
    where deleted_rows.resource_id = deletions.resource_id and source = 'services'
  union select deletions.runner_id where deletions.runner_id is not null))`.as('kept_on');

const inOrder = { at: deletions.deletedAt, key: deletions.resourceId };

/** A page of the deletions that the key can undo, and some that have just expired; newest first. */
export function selectScopedDeletions(db: Database, tokenId: string, page: Page) {
  const { after, orderBy, limit } = keysetOf(inOrder, 'newest', page);
  return db
    .select({ deletion: columnsAs(deletions, 'deletion'), backupBytes: keptBytes, volumeName })
    .from(deletions)
    .where(
      and(
        isNull(deletions.purgingAt),
        sql`deletions.tenant_id = ${ofCaller(tokenId)}`,
        isVisible(tokenId),
        after,
      ),
    )
    .orderBy(...orderBy)
    .limit(limit);
}

/** A page of all deletions of the instance whose data still exists, oldest first, for the operator. */
export function selectAllDeletions(db: Database, page: Page) {
  const { after, orderBy, limit } = keysetOf(inOrder, 'oldest', page);
  return db
    .select({
      deletion: columnsAs(deletions, 'deletion'),
      backupBytes: keptBytes,
      volumeName,
      runnerIds: keptOn,
    })
    .from(deletions)
    .where(after)
    .orderBy(...orderBy)
    .limit(limit);
}

/** Condition: the key can undo the deletion. Not a join, so that a page's order comes from the index of its tenant. */
const isVisible = (tokenId: string) => sql`exists (select 1 from api_keys where ${deletionInScope(tokenId)})`;
const ofCaller = (tokenId: string) =>
  sql`(select caller.tenant_id from api_keys caller where caller.token_id = ${tokenId} or caller.previous_token_id = ${tokenId})`;
