/** Settings of a service that its live version has otherwise: they wait for a restart, or for a deployment. */
import type { DeploySpec } from '../../../protocol/job-spec.ts';
import { changedSettings, type SettingChange } from './compare-specs.ts';
import {
  type DeployableService,
  type DeploySpecParts,
  settingsPart,
  sourceOf,
  UndispatchableError,
} from './deploy-spec.ts';

export const appliers = ['restart', 'deployment'] as const;

export interface PendingSetting extends SettingChange {
  /** What brings it to the live version, at least. */
  appliedBy: (typeof appliers)[number];
}

/** What a restart keeps from the version that it starts again: what its image was made of, and of which kind it is. */
const ofImage: ReadonlySet<string> = new Set([
  ...['repoUrl', 'branch', 'rootDir', 'imageRef', 'runtimeMode'],
  ...['buildMethod', 'dockerfilePath', 'installCommand', 'buildCommand', 'startCommand', 'staticOutput'],
]);
/** An upgrade changes it in the live version without a deployment. */
const changedByUpgrade = 'databaseImage';

/** Read of a spec only by what belongs to a deployment, and compared with nothing. */
const notCompared = {
  ...{ tenantId: '', deploymentId: '', domains: [], publicIp: null, keptDeployments: [], warnings: [] },
  limits: { pids: null, openFiles: null, diskMb: null, buildLogBytes: null },
  folder: { checksum: 'any', sizeBytes: 1 },
};

/**
 * @param live the spec of the live version
 * @param built that of the deployment which made its image; undefined: it is not stored, so its source is not compared
 */
export function pendingSettings(
  live: DeploySpec,
  built: DeploySpec | undefined,
  now: { service: DeployableService } & Pick<DeploySpecParts, 'env' | 'volumes'>,
): PendingSetting[] {
  const parts: DeploySpecParts = { ...notCompared, ...now };
  const before = live.source.type === 'kept' && built ? { ...live, source: built.source } : live;
  const after = { ...settingsPart(parts), source: currentSource(parts) ?? before.source };
  return changedSettings(before, after)
    .filter(({ name }) => name !== changedByUpgrade)
    .map((change) => ({ ...change, appliedBy: ofImage.has(change.name) ? 'deployment' : 'restart' }));
}

/** Undefined: the settings name nothing to deploy, which the next deployment says. */
function currentSource(parts: DeploySpecParts): DeploySpec['source'] | undefined {
  try {
    return sourceOf(parts);
  } catch (error) {
    if (error instanceof UndispatchableError) return undefined;
    throw error;
  }
}
