import type { MountedFile } from '../../../protocol/mounts.ts';
import { changedNames, type NameChanges } from '../../domain/deployments/compare-specs.ts';
import type { DeployableService } from '../../domain/deployments/deploy-spec.ts';
import { type PendingSetting, pendingSettings } from '../../domain/deployments/pending-settings.ts';
import { differingFiles } from '../../domain/services/mounted-files.ts';
import type { Dependencies } from '../dependencies.ts';
import type { SecretsOwner } from './resolve-variables.ts';
import { openSnapshot, type Snapshot } from './snapshot.ts';

/** What the live version has otherwise than it is set now, sorted: keys of variables, paths of files. */
export interface Pending {
  pendingVariables: string[];
  /** The same keys, by what happened since the live version started. */
  pendingChanges: NameChanges;
  pendingFiles: string[];
  pendingSettings: PendingSetting[];
}

/** The live deployment of a service. */
export interface LiveVersion {
  id: string;
  sealedSnapshot: string | null;
  /** Of the deployment that made its image, if that is another one; null: it is not, or is not stored. */
  builtBy?: string;
  builtSnapshot?: string | null;
}

/** What is set now; what is absent is not compared. */
export interface CurrentState {
  values?: ReadonlyMap<string, string>;
  files?: readonly MountedFile[];
  service?: DeployableService;
  volumes?: Parameters<typeof pendingSettings>[2]['volumes'];
}

/**
 * Nothing waits for a service that is not deployed, or whose live version can't be compared any more.
 */
export async function pendingOf(
  deps: Pick<Dependencies, 'envelope'>,
  project: SecretsOwner,
  live: LiveVersion | undefined,
  now: CurrentState,
): Promise<Pending> {
  const nothing = {
    pendingVariables: [],
    pendingChanges: { added: [], changed: [], removed: [] },
    pendingFiles: [],
    pendingSettings: [],
  };
  if (!live?.sealedSnapshot) return nothing;
  try {
    const snapshot = await openSnapshot(deps, project, live.id, live.sealedSnapshot);
    const { env, files = [] } = snapshot;
    const pendingChanges = now.values
      ? changedNames(new Map(Object.entries(env)), now.values)
      : nothing.pendingChanges;
    return {
      pendingVariables: Object.values(pendingChanges).flat().sort(),
      pendingChanges,
      pendingFiles: now.files ? differingFiles(files, now.files) : [],
      pendingSettings: await settingsOf(deps, project, live, snapshot, now),
    };
  } catch (error) {
    console.error(`What waits for ${live.id} can't be compared:`, error);
    return nothing;
  }
}

async function settingsOf(
  deps: Pick<Dependencies, 'envelope'>,
  project: SecretsOwner,
  { builtBy, builtSnapshot }: LiveVersion,
  live: Snapshot,
  { service, values = new Map(), volumes = [] }: CurrentState,
): Promise<PendingSetting[]> {
  if (!service) return [];
  const built =
    builtBy && builtSnapshot ? await openSnapshot(deps, project, builtBy, builtSnapshot) : undefined;
  const env = Object.fromEntries(values);
  return pendingSettings(live.spec, built?.spec, { service, env, volumes });
}
