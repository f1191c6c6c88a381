/** Notification channels of tenants. */
import { and, asc, eq, sql } from 'drizzle-orm';
import { channelsPerTenant } from '../../domain/alerts/notifications/channel-fields.ts';
import { apiKeys } from '../schema/api-keys.ts';
import { notificationChannels } from '../schema/events.ts';
import { columnsAs } from '../sql/columns-as.ts';
import type { Database } from '../sql/database.ts';

export type ChannelRow = typeof notificationChannels.$inferSelect;
export type ChannelChanges = Partial<Omit<ChannelRow, 'id' | 'tenantId' | 'projectId' | 'createdAt'>>;

/** A tenant's channels, in the order of their names. */
export const listChannels = (db: Database, tenantId: string) =>
  db
    .select()
    .from(notificationChannels)
    .where(eq(notificationChannels.tenantId, tenantId))
    .orderBy(asc(notificationChannels.name));

export async function findChannel(db: Database, id: string): Promise<ChannelRow | undefined> {
  const [row] = await db.select().from(notificationChannels).where(eq(notificationChannels.id, id));
  return row;
}

/** A channel of the caller's tenant, for a caller with all projects. */
export function selectScopedChannel(db: Database, tokenId: string, id: string) {
  return db
    .select({ channel: columnsAs(notificationChannels, 'channel') })
    .from(notificationChannels)
    .innerJoin(
      apiKeys,
      and(eq(apiKeys.tenantId, notificationChannels.tenantId), eq(apiKeys.tokenId, tokenId)),
    )
    .where(and(eq(notificationChannels.id, id), eq(apiKeys.allProjects, true)))
    .limit(1);
}

/**
 * @returns no row if the tenant has the most allowed, or does not own the project. Violates UNIQUE if the tenant already uses the name
 */
export function insertChannel(db: Database, row: ChannelRow) {
  const { id, tenantId, projectId, name, kind, target, sealedConfig, enabled, createdAt, updatedAt } = row;
  const [events, quietHours] = [row.events, row.quietHours].map((value) => value && JSON.stringify(value));
  return db.all<{ id: string }>(sql`
    insert into notification_channels (id, tenant_id, project_id, name, kind, target, sealed_config, events, quiet_hours, enabled,
      created_at, updated_at)
    select ${id}, tenants.id, ${projectId}, ${name}, ${kind}, ${target}, ${sealedConfig}, ${events}, ${quietHours}, ${enabled ? 1 : 0},
      ${createdAt}, ${updatedAt} from tenants
    where tenants.id = ${tenantId}
      and (${projectId} is null or exists (select 1 from projects where id = ${projectId} and tenant_id = ${tenantId}))
      and (select count(*) from notification_channels where tenant_id = ${tenantId}) < ${channelsPerTenant}
    returning id`);
}

export const updateChannel = (db: Database, id: string, changes: ChannelChanges) =>
  db.update(notificationChannels).set(changes).where(eq(notificationChannels.id, id)).returning();

export const deleteChannel = (db: Database, id: string) =>
  db.delete(notificationChannels).where(eq(notificationChannels.id, id));

/** Removes the channels of projects that can't be restored any more. */
export const deleteChannelsOfLostProjects = (db: Database) =>
  db.run(sql`delete from notification_channels where project_id is not null
    and not exists (select 1 from projects where projects.id = notification_channels.project_id)
    and not exists (select 1 from deletions where deletions.resource_id = notification_channels.project_id)`);
