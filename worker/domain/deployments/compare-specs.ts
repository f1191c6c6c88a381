/** Compares the specs of two versions of a service. The result contains no variable values and no file contents. */
import type { DeploySpec } from '../../../protocol/job-spec.ts';
import type { MountedFile } from '../../../protocol/mounts.ts';
import { fileMarks } from '../services/mounted-files.ts';
import { imageRepoUrl, uploadRepoUrl } from '../services/service-kind.ts';
import { settingsWhere } from '../services/settings/service-settings.ts';
import type { Setting } from '../services/settings/setting.ts';

/** Names that differ between two versions, each list sorted. */
export interface NameChanges {
  added: string[];
  changed: string[];
  removed: string[];
}

export interface SettingChange {
  /** The setting's name in the API. */
  name: string;
  before: string | null;
  after: string | null;
}

/** Differences between two maps, by name. */
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

/** Differences between two sets of mounted files, by path. */
export const changedFiles = (before: readonly MountedFile[], after: readonly MountedFile[]): NameChanges =>
  changedNames(fileMarks(before), fileMarks(after));

/**
 * The settings that differ, by name. A rollback or restart has no source of its own, so its image is compared. Names and traffic
 * rules are excluded: they belong to the service and change without a deployment.
 */
export function changedSettings(before: DeploySpec, after: DeploySpec): SettingChange[] {
  const [first, second] = [settingsOf(before), settingsOf(after)];
  const isKnown = before.source.type === after.source.type || changesKind(before, after);
  const [from, to] = isKnown ? [sourceSettings(before), sourceSettings(after)] : [{}, {}];
  return differing({ ...from, ...first }, { ...to, ...second });
}

/** Whether the two have sources of different kinds. The kind of a rollback or restart is not known. */
const changesKind = (
  { source: { type: before } }: Pick<DeploySpec, 'source'>,
  { source: { type: after } }: Pick<DeploySpec, 'source'>,
): boolean => before !== after && before !== 'kept' && after !== 'kept';

type Settings = Record<string, unknown>;

function differing(before: Settings, after: Settings): SettingChange[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name) => {
    const change = { name, before: textOf(before[name]), after: textOf(after[name]) };
    return change.before === change.after ? [] : [change];
  });
}

function settingsOf({ build, volumes, ...spec }: DeploySpec): Settings {
  const { container, health, stop } = spec;
  const parts: Record<NonNullable<Setting['spec']>, Settings> = {
    build: { ...build, buildMethod: build.method },
    version: spec,
    ...{ health: { ...health }, stop: { ...stop }, container: { ...container } },
    web: { ...spec, replicas: spec.replicas ?? 1 },
    service: spec,
  };
  const set = Object.entries(parts).flatMap(([part, values]) =>
    settingsWhere((setting) => setting.spec === part).map((name) => [name, values[name]]),
  );
  const mounted = volumes?.map(({ name, mountPath, sizeMb }) =>
    sizeMb === null ? `${name}: ${mountPath}` : `${name}: ${mountPath}, ${sizeMb} MB`,
  );
  return { ...Object.fromEntries(set), volumes: mounted };
}

function sourceSettings({ source }: DeploySpec): Settings {
  switch (source.type) {
    case 'git':
      return { repoUrl: source.url, branch: source.branch, rootDir: source.rootDir };
    case 'upload':
      return { repoUrl: uploadRepoUrl, rootDir: source.rootDir };
    case 'image':
      return { repoUrl: imageRepoUrl, imageRef: source.imageRef };
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

/** A value as text; `null` if it is not set. */
function textOf(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

interface SaidLine {
  stream: string;
  line: string;
}

const phaseEnd = /^([a-z]+): (?:done in|ended after) (\d+\.\d) s$/;

/**
 * The durations of a deployment's phases, read from the lines that its host writes at the end of each: `build: done in 12.3 s`.
 * @returns seconds by phase, in the order of the log
 */
export function phaseTimes(lines: Iterable<SaidLine>): Map<string, number> {
  const times = new Map<string, number>();
  for (const { stream, line } of lines) {
    const [, phase, seconds] = (stream === 'system' && phaseEnd.exec(line)) || [];
    if (phase !== undefined) times.set(phase, Number(seconds));
  }
  return times;
}
