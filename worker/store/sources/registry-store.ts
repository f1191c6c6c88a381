import { and, eq, sql } from 'drizzle-orm';
import { registriesPerTenant } from '../../domain/sources/registries.ts';
import { apiKeys } from '../schema/api-keys.ts';
import { registries } from '../schema/tenants.ts';
import { columnsAs } from '../sql/columns-as.ts';
import type { Database } from '../sql/database.ts';
import { keysetOf, type Page } from '../sql/keyset.ts';

export type RegistryRow = typeof registries.$inferSelect;
export type SealedLogin = Pick<RegistryRow, 'id' | 'host' | 'username' | 'sealedPassword'>;

/** A tenant's logins, in order of hosts. */
export function listRegistries(db: Database, tenantId: string, page: Page) {
  const { after, orderBy, limit } = keysetOf({ at: registries.host }, 'oldest', page);
  return db
    .select()
    .from(registries)
    .where(and(eq(registries.tenantId, tenantId), after))
    .orderBy(...orderBy)
    .limit(limit);
}

export async function findRegistry(db: Database, registryId: string): Promise<RegistryRow | undefined> {
  const [row] = await db.select().from(registries).where(eq(registries.id, registryId));
  return row;
}

/** A login of the caller's tenant, for a caller with all projects. */
export function selectScopedRegistry(db: Database, tokenId: string, registryId: string) {
  return db
    .select({ registry: columnsAs(registries, 'registry') })
    .from(registries)
    .innerJoin(apiKeys, and(eq(apiKeys.tenantId, registries.tenantId), eq(apiKeys.tokenId, tokenId)))
    .where(and(eq(registries.id, registryId), eq(apiKeys.allProjects, true)))
    .limit(1);
}

/** @returns no row if the tenant has the most allowed. Violates UNIQUE if there is a login for the host */
export function insertRegistry(db: Database, row: RegistryRow) {
  const { id, tenantId, host, username, sealedPassword, createdAt, updatedAt } = row;
  return db.all<{
    id: string;
  }>(sql`insert into registries (id, tenant_id, host, username, sealed_password, created_at, updated_at)
    select ${id}, tenants.id, ${host}, ${username}, ${sealedPassword}, ${createdAt}, ${updatedAt} from tenants
    where tenants.id = ${tenantId} and (select count(*) from registries where tenant_id = ${tenantId}) < ${registriesPerTenant}
    returning id`);
}

export const updateRegistry = (
  db: Database,
  registryId: string,
  changes: { username?: string; sealedPassword?: string; updatedAt: number },
) => db.update(registries).set(changes).where(eq(registries.id, registryId)).returning();

export const deleteRegistry = (db: Database, registryId: string) =>
  db.delete(registries).where(eq(registries.id, registryId));

/** The logins of the tenant of `projects`, for the selection that reads a job, in the same round trip. */
export const loginsOfTenant = sql`(select json_group_array(json_object(
    'id', id, 'host', host, 'username', username, 'sealedPassword', sealed_password))
  from registries where registries.tenant_id = projects.tenant_id)`.mapWith((text: string): SealedLogin[] =>
  JSON.parse(text),
);
