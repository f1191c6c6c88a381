import { absent } from '../../domain/errors.ts';
import type { NameRules } from '../../domain/name-verification.ts';
import { settingsOf } from '../../domain/settings.ts';
import { selectNameOwner } from '../../store/name-verification-store.ts';
import { selectSettings } from '../../store/settings-store.ts';
import type { Dependencies } from '../dependencies.ts';

/** The rules for host names of a tenant; one round trip. */
export async function readNameRules({ db }: Pick<Dependencies, 'db'>, tenantId: string): Promise<NameRules> {
  const [settings, [owner]] = await db.batch([selectSettings(db), selectNameOwner(db, tenantId)]);
  if (!owner) throw absent('project');
  return { ...owner, isShared: owner.isShared === 1, rootDomain: settingsOf(settings).rootDomain };
}
