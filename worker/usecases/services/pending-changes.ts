import type { MountedFile } from '../../../protocol/mounts.ts';
import { buildEnvOf, type ScopedVariables } from '../../../protocol/variable-scope.ts';
import { changedNames, type NameChanges } from '../../domain/deployments/compare-specs.ts';
import type { DeployableService } from '../../domain/deployments/deploy-spec.ts';
import { type PendingSetting, pendingSettings } from '../../domain/deployments/pending-settings.ts';
import { differingFiles } from '../../domain/services/mounted-files.ts';
import type { Dependencies } from '../dependencies.ts';
import type { SecretsOwner } from './resolve-variables.ts';
import { openSnapshot, type Snapshot } from './snapshot.ts';

/** Differences between the live version and the present settings, sorted: keys of variables, paths of files. */
export interface Pending {
  pendingVariables: string[];
  /** Keys of variables that only builds get: a deployment that builds applies them. */
  pendingBuildVariables: string[];
  /** The keys of `pendingVariables`, by the kind of change since the live version started. */
  pendingChanges: NameChanges;
  pendingFiles: string[];
  pendingSettings: PendingSetting[];
}

/** The live deployment of a service. */
export interface LiveVersion {
  id: string;
  sealedSnapshot: string | null;
  /** The deployment that built its image, if that is another one, and its snapshot; `null` if it is not stored. */
  builtBy?: string;
  builtSnapshot?: string | null;
}

/** The present settings; absent ones are not compared. */
export interface CurrentState {
  variables?: ScopedVariables;
  files?: readonly MountedFile[];
  service?: DeployableService;
  volumes?: Parameters<typeof pendingSettings>[2]['volumes'];
}

/** Empty for a service that is not deployed, or whose live version can't be compared any more. */
export async function pendingOf(
  deps: Pick<Dependencies, 'envelope'>,
  project: SecretsOwner,
  live: LiveVersion | undefined,
  now: CurrentState,
): Promise<Pending> {
  const nothing = {
    pendingVariables: [],
    pendingBuildVariables: [],
    pendingChanges: { added: [], changed: [], removed: [] },
    pendingFiles: [],
    pendingSettings: [],
  };
  if (!live?.sealedSnapshot) return nothing;
  try {
    const snapshot = await openSnapshot(deps, project, live.id, live.sealedSnapshot);
    const { env, files = [] } = snapshot;
    const built = await builtVersion(deps, project, live);
    const pendingChanges = now.variables
      ? changedNames(mapOf(env), mapOf(now.variables.env))
      : nothing.pendingChanges;
    return {
      pendingVariables: Object.values(pendingChanges).flat().sort(),
      pendingBuildVariables: now.variables ? changedForBuild(built ?? snapshot, now.variables) : [],
      pendingChanges,
      pendingFiles: now.files ? differingFiles(files, now.files) : [],
      pendingSettings: settingsOf(built, snapshot, now),
    };
  } catch (error) {
    console.error(`What waits for ${live.id} can't be compared:`, error);
    return nothing;
  }
}

const mapOf = (values: Record<string, string>) => new Map(Object.entries(values));

/** Variables with the scope `both` are not compared: containers have them too, and many of them concern no build. */
function changedForBuild(built: Snapshot, now: ScopedVariables): string[] {
  const before = mapOf(buildEnvOf(built));
  const after = mapOf(buildEnvOf(now));
  const isForBuild = (key: string) =>
    now.buildOnly?.[key] !== undefined || (built.buildOnly?.[key] !== undefined && !after.has(key));
  return Object.values(changedNames(before, after)).flat().filter(isForBuild).sort();
}

/** @returns undefined if the live deployment built its image itself, or if the other one is not stored */
async function builtVersion(
  deps: Pick<Dependencies, 'envelope'>,
  project: SecretsOwner,
  { builtBy, builtSnapshot }: LiveVersion,
): Promise<Snapshot | undefined> {
  return builtBy && builtSnapshot ? await openSnapshot(deps, project, builtBy, builtSnapshot) : undefined;
}

function settingsOf(
  built: Snapshot | undefined,
  live: Snapshot,
  { service, variables = { env: {} }, volumes = [] }: CurrentState,
): PendingSetting[] {
  if (!service) return [];
  return pendingSettings(live.spec, built?.spec, { service, variables, volumes });
}
