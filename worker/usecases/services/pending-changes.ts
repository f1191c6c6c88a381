import type { MountedFile } from '../../../protocol/mounts.ts';
import { changedNames, type NameChanges } from '../../domain/compare-specs.ts';
import { differingFiles } from '../../domain/mounted-files.ts';
import type { Dependencies } from '../dependencies.ts';
import type { SecretsOwner } from './resolve-variables.ts';
import { openSnapshot } from './snapshot.ts';

/** What the live version has otherwise than it is set now, sorted: keys of variables, paths of files. */
export interface Pending {
  pendingVariables: string[];
  /** The same keys, by what happened since the live version started. */
  pendingChanges: NameChanges;
  pendingFiles: string[];
}

/**
 * Nothing waits for a service that is not deployed, or whose live version can't be compared any more.
 * @param now what is set; what is absent is not compared
 */
export async function pendingOf(
  deps: Pick<Dependencies, 'envelope'>,
  project: SecretsOwner,
  live: { id: string; sealedSnapshot: string | null } | undefined,
  now: { values?: ReadonlyMap<string, string>; files?: readonly MountedFile[] },
): Promise<Pending> {
  const nothing = {
    pendingVariables: [],
    pendingChanges: { added: [], changed: [], removed: [] },
    pendingFiles: [],
  };
  if (!live?.sealedSnapshot) return nothing;
  try {
    const { env, files = [] } = await openSnapshot(deps, project, live.id, live.sealedSnapshot);
    const pendingChanges = now.values
      ? changedNames(new Map(Object.entries(env)), now.values)
      : nothing.pendingChanges;
    return {
      pendingVariables: Object.values(pendingChanges).flat().sort(),
      pendingChanges,
      pendingFiles: now.files ? differingFiles(files, now.files) : [],
    };
  } catch (error) {
    console.error(`Variables and files of ${live.id} can't be compared:`, error);
    return nothing;
  }
}
