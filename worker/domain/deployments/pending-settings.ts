/** Settings that differ from the live version: they take effect with a restart or a deployment. */
import type { DeploySpec } from '../../../protocol/job-spec.ts';
import { kindHasSetting, settingsWhere } from '../services/settings/service-settings.ts';
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
  /** The least action that applies the setting to the live version. */
  appliedBy: (typeof appliers)[number];
}

/** Settings that a restart keeps from the version that it starts again. */
const ofImage: ReadonlySet<string> = new Set(settingsWhere(({ appliedBy }) => appliedBy === 'deployment'));
/** An upgrade changes this setting in the live version without a deployment. */
const changedByUpgrade = 'databaseImage';

/** Parts of a spec that belong to a deployment, so they are not compared. */
const notCompared = {
  ...{ tenantId: '', deploymentId: '', domains: [], publicIp: null, keptDeployments: [], warnings: [] },
  limits: { pids: null, openFiles: null, diskMb: null, buildLogBytes: null },
  folder: { checksum: 'any', sizeBytes: 1 },
  ...{ ref: null, imageDigest: null },
};

/**
 * @param live the spec of the live version
 * @param built the spec of the deployment that built its image; undefined if it is not stored: then the source is not compared
 */
export function pendingSettings(
  live: DeploySpec,
  built: DeploySpec | undefined,
  now: { service: DeployableService } & Pick<DeploySpecParts, 'variables' | 'volumes'>,
): PendingSetting[] {
  const parts: DeploySpecParts = { ...notCompared, ...now };
  const before = live.source.type === 'kept' && built ? { ...live, source: built.source } : live;
  const after = { ...settingsPart(parts), source: currentSource(parts) ?? before.source };
  // A restart starts the live version with the settings of its own kind.
  const isRestarted = (name: string) =>
    !ofImage.has(name) &&
    [before, after].every(({ source: { type } }) => type === 'kept' || kindHasSetting(type, name));
  return changedSettings(before, after)
    .filter(({ name }) => name !== changedByUpgrade)
    .map((change) => ({ ...change, appliedBy: isRestarted(change.name) ? 'restart' : 'deployment' }));
}

/** Undefined if the settings contain nothing to deploy. The next deployment reports that. */
function currentSource(parts: DeploySpecParts): DeploySpec['source'] | undefined {
  try {
    return sourceOf(parts);
  } catch (error) {
    if (error instanceof UndispatchableError) return undefined;
    throw error;
  }
}
