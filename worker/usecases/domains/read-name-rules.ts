import type { NameRules } from '../../domain/domains/name-verification.ts';
import { absent } from '../../domain/errors.ts';
import { settingsOf } from '../../domain/instance/settings.ts';
import { selectNameOwner } from '../../store/domains/name-verification-store.ts';
import { selectSettings } from '../../store/instance/settings-store.ts';
import type { Dependencies } from '../dependencies.ts';

/** The rules for host names of a tenant; one round trip. */
export async function readNameRules({ db }: Pick<Dependencies, 'db'>, tenantId: string): Promise<NameRules> {
  const [settings, [owner]] = await db.batch([selectSettings(db), selectNameOwner(db, tenantId)]);
  if (!owner) throw absent('project');
  return { ...owner, isShared: owner.isShared === 1, rootDomain: settingsOf(settings).rootDomain };
}
