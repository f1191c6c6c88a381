import { includesLevel } from '../../domain/access/key-levels.ts';
import type { ShellSession } from '../../gateways/object-calls.ts';
import { selectProjectLevels } from '../../store/projects/project-level-store.ts';
import { readTogether } from '../../store/sql/read-together.ts';
import { selectKeyByTokenId, selectScopedService } from '../../store/sql/scoped-store.ts';
import { liveHash } from '../access/live-hash.ts';
import type { Dependencies } from '../dependencies.ts';

/** The lowest level that opens shells: a shell can read the values of secret variables, and run anything. */
export const shellLevel = 'write';

/**
 * Whether the token that opened a shell could open it now: it is valid, has the level, and can access the service, which is on the
 * same host. @throws errors of D1: after a failed read the answer is unknown
 */
export async function mayStillUseShell(
  { db, now }: Pick<Dependencies, 'db' | 'now'>,
  { tokenId, serviceId, runnerId }: ShellSession,
): Promise<boolean> {
  const [{ keys, services, levels }] = await readTogether(
    db,
    {
      keys: selectKeyByTokenId(db, tokenId),
      services: selectScopedService(db, tokenId, serviceId),
      levels: selectProjectLevels(db, tokenId),
    },
    {},
  );
  const [[key], [found]] = [keys, services];
  if (!key || !found || liveHash(key, { tokenId }, now()) === null) return false;
  const own = levels.find(({ projectId }) => projectId === found.project.id);
  if (!includesLevel(own?.level ?? key.access, shellLevel)) return false;
  return found.service.runnerId === runnerId;
}
