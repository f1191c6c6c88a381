import { selectKeysWithProjects } from '../store/api-key-store.ts';
import type { KeyView } from './create-key.ts';
import type { Dependencies } from './dependencies.ts';

/** All keys that were not revoked, expired ones included. */
export async function listKeys({ db }: Pick<Dependencies, 'db'>): Promise<KeyView[]> {
  const [keys] = await db.batch([selectKeysWithProjects(db)]);
  return keys;
}
