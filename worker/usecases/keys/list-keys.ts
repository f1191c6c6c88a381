import { selectKeysWithProjects } from '../../store/api-key-store.ts';
import { selectOtherTenant } from '../../store/tenant-store.ts';
import type { Dependencies } from '../dependencies.ts';
import type { KeyView } from './create-key.ts';

/** All keys that are not revoked, including expired ones. */
export async function listKeys({ db }: Pick<Dependencies, 'db'>): Promise<KeyView[]> {
  const [keys, others] = await db.batch([selectKeysWithProjects(db), selectOtherTenant(db)]);
  return keys.map((key) => ({ ...key, showsTenant: others.length > 0 }));
}
