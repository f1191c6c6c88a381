import { selectTenants, type TenantView } from '../../store/tenant-store.ts';
import type { Dependencies } from '../dependencies.ts';

/** All tenants with their usage, oldest first. */
export async function listTenants({ db }: Pick<Dependencies, 'db'>): Promise<TenantView[]> {
  const [tenants] = await db.batch([selectTenants(db)]);
  return tenants;
}
