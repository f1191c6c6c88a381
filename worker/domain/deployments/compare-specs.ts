/** What two versions of a service were started with, compared. Values of variables and contents of files are never in the answer. */
import type { DeploySpec } from '../../../protocol/job-spec.ts';
import type { MountedFile } from '../../../protocol/mounts.ts';
import { fileMarks } from '../services/mounted-files.ts';

/** Names of things that two versions can have otherwise, each list sorted. */
export interface NameChanges {
  added: string[];
  changed: string[];
  removed: string[];
}

export interface SettingChange {
  /** As the API calls it. */
  name: string;
  before: string | null;
  after: string | null;
}

/** What differs between two maps, by name. */
export function changedNames(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): NameChanges {
  const names = [...new Set([...before.keys(), ...after.keys()])].sort();
  return {
    added: names.filter((name) => !before.has(name)),
    changed: names.filter(
      (name) => before.has(name) && after.has(name) && before.get(name) !== after.get(name),
    ),
    removed: names.filter((name) => !after.has(name)),
  };
}

/** What differs between two sets of mounted files, by path. */
export const changedFiles = (before: readonly MountedFile[], after: readonly MountedFile[]): NameChanges =>
  changedNames(fileMarks(before), fileMarks(after));

/**
 * The settings that differ, by name. A rollback or restart has no source of its own: what it is made of is compared as its image.
 * Names and traffic rules are not among them: they belong to the service and change without a deployment.
 */
export function changedSettings(before: DeploySpec, after: DeploySpec): SettingChange[] {
  const [first, second] = [settingsOf(before), settingsOf(after)];
  const sameKind = before.source.type === after.source.type;
  const [from, to] = sameKind ? [sourceSettings(before), sourceSettings(after)] : [{}, {}];
  return differing({ ...from, ...first }, { ...to, ...second });
}

type Settings = Record<string, unknown>;

function differing(before: Settings, after: Settings): SettingChange[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name) => {
    const change = { name, before: textOf(before[name]), after: textOf(after[name]) };
    return change.before === change.after ? [] : [change];
  });
}

function settingsOf(spec: DeploySpec): Settings {
  const { method, ...build } = spec.build;
  return {
    buildMethod: method,
    ...build,
    runtimeMode: spec.runtimeMode,
    internalPort: spec.internalPort,
    healthCheckPath: spec.healthCheckPath,
    ...spec.health,
    ...spec.stop,
    ...spec.container,
    replicas: spec.replicas ?? 1,
    sleepAfterMinutes: spec.sleepAfterMinutes,
    memoryLimitMb: spec.memoryLimitMb,
    cpuLimit: spec.cpuLimit,
    volumes: spec.volumes?.map(({ name, mountPath, sizeMb }) =>
      sizeMb === null ? `${name}: ${mountPath}` : `${name}: ${mountPath}, ${sizeMb} MB`,
    ),
  };
}

function sourceSettings({ source }: DeploySpec): Settings {
  switch (source.type) {
    case 'git':
      return { repoUrl: source.url, branch: source.branch, rootDir: source.rootDir };
    case 'upload':
      return { rootDir: source.rootDir };
    case 'image':
      return { imageRef: source.imageRef };
    case 'database':
      return {
        databaseImage: source.imageRef,
        databasePublicEnabled: source.publicAddress === '0.0.0.0',
        postgresLogicalReplicationEnabled: source.logicalReplication,
        engineSettings: source.engineSettings,
      };
    case 'kept':
      return {};
  }
}

/** A value as text; null if it is not set. */
function textOf(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
