/** The owner of a host. */
import { sql } from 'drizzle-orm';
import { defaultTenantId } from '../../domain/tenants/tenant-limits.ts';

/** The tenant that owns a host; for statements on `runners`. Plain SQL text: in the selection of a single table, drizzle omits the table's name. */
export const hostOwner = sql.raw(`coalesce(runners.tenant_id, '${defaultTenantId}')`);
