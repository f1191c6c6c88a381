import type { MountedFile } from '../../../protocol/mounts.ts';
import { differingFiles } from '../../domain/mounted-files.ts';
import type { Dependencies } from '../dependencies.ts';
import type { SecretsOwner } from './resolve-variables.ts';
import { openSnapshot } from './snapshot.ts';

/** What the live version has otherwise than it is set now, sorted: keys of variables, paths of files. */
export interface Pending {
  pendingVariables: string[];
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
  const nothing = { pendingVariables: [], pendingFiles: [] };
  if (!live?.sealedSnapshot) return nothing;
  try {
    const { env, files = [] } = await openSnapshot(deps, project, live.id, live.sealedSnapshot);
    return {
      pendingVariables: now.values ? differingKeys(new Map(Object.entries(env)), now.values) : [],
      pendingFiles: now.files ? differingFiles(files, now.files) : [],
    };
  } catch (error) {
    console.error(`Variables and files of ${live.id} can't be compared:`, error);
    return nothing;
  }
}

/** The keys that only one of them has, or that have another value in the other one. */
function differingKeys(one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): string[] {
  const keys = new Set([...one.keys(), ...other.keys()]);
  return [...keys].filter((key) => one.get(key) !== other.get(key)).sort();
}
