import { listOldArchivedLogs } from '../../store/logs/stored-log-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { repeatPass } from '../repeat-pass.ts';
import { readSettings } from './change-settings.ts';
import { archivedPerPass, removeArchived } from './log-archive.ts';

const dayMs = 24 * 3_600_000;
/** 50,000 logs in a run. */
const passesMax = 50;

/**
 * Removes archived logs that are older than the setting `logArchiveDays`. While it is null nothing more is archived, and what is there
 * stays until its deployment is removed: who switches the archive off has not asked to lose it.
 * @returns how many were removed
 */
export async function sweepLogArchive(deps: Pick<Dependencies, 'db' | 'blobs' | 'now'>): Promise<number> {
  const { logArchiveDays } = await readSettings(deps);
  if (logArchiveDays === null) return 0;
  let removed = 0;
  await repeatPass(deps, passesMax, async () => {
    const before = deps.now() - logArchiveDays * dayMs;
    const old = await listOldArchivedLogs(deps.db, before, archivedPerPass);
    await removeArchived(deps, old);
    removed += old.length;
    return old.length === archivedPerPass;
  });
  return removed;
}
