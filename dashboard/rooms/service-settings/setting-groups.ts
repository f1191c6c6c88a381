/** The settings of a service that are one value each: what kind of value, for which services, and when a change applies. */
import type { PatchServiceBody } from '../../../client/client.ts';
import type { Service } from '../../api/queries.ts';
import { t } from '../../text/text.ts';
import { isDatabase } from '../service-kind.ts';

/** `now`, or with what a change reaches the live version. */
export type Applies = 'now' | 'restart' | 'deploy';

export type SettingName = keyof PatchServiceBody & keyof Service & keyof typeof t.serviceSettings.fields;

export interface SettingField {
  name: SettingName;
  /** `words`: one on each line. */
  kind: 'text' | 'number' | 'words' | 'check' | 'choice';
  choices?: readonly string[];
  /** It can't be empty. */
  isRequired?: boolean;
  /** Absent: for all services of the group. */
  fits?(service: Service): boolean;
}

export interface SettingGroup {
  name: keyof typeof t.serviceSettings.groups;
  applies: Applies;
  fits(service: Service): boolean;
  fields: readonly SettingField[];
}

const isApp = (service: Service) => !isDatabase(service);
const isImage = (service: Service) => isApp(service) && service.imageRef !== null;
const isBuilt = (service: Service) => isApp(service) && service.imageRef === null;
const isWeb = (service: Service) => isApp(service) && service.runtimeMode === 'web';
const isPostgres = ({ framework }: Service) => framework === 'postgres' || framework === 'timescale';
export const isGit = (service: Service) => isBuilt(service) && service.repoUrl !== 'upload';

export const settingGroups: readonly SettingGroup[] = [
  {
    name: 'general',
    applies: 'now',
    fits: () => true,
    fields: [
      { name: 'name', kind: 'text', isRequired: true },
      { name: 'protected', kind: 'check' },
    ],
  },
  {
    name: 'running',
    applies: 'restart',
    fits: () => true,
    fields: [
      { name: 'internalPort', kind: 'number', isRequired: true, fits: isWeb },
      { name: 'replicas', kind: 'number', isRequired: true, fits: isWeb },
      { name: 'sleepAfterMinutes', kind: 'number', fits: isWeb },
      { name: 'memoryLimitMb', kind: 'number' },
      { name: 'cpuLimit', kind: 'number' },
      { name: 'shmSizeMb', kind: 'number', fits: isApp },
    ],
  },
  {
    name: 'network',
    applies: 'restart',
    fits: isDatabase,
    fields: [
      { name: 'databasePublicEnabled', kind: 'check' },
      { name: 'databasePublicHostname', kind: 'text' },
      { name: 'postgresLogicalReplicationEnabled', kind: 'check', fits: isPostgres },
    ],
  },
  {
    name: 'health',
    applies: 'restart',
    fits: isWeb,
    fields: [
      { name: 'healthCheckPath', kind: 'text' },
      { name: 'healthCheckIntervalSeconds', kind: 'number' },
      { name: 'healthCheckTimeoutSeconds', kind: 'number' },
      { name: 'healthCheckStartPeriodSeconds', kind: 'number' },
    ],
  },
  {
    name: 'ending',
    applies: 'restart',
    fits: isApp,
    fields: [
      { name: 'drainSeconds', kind: 'number', isRequired: true, fits: isWeb },
      { name: 'stopGraceSeconds', kind: 'number', isRequired: true },
      { name: 'stopSignal', kind: 'text' },
    ],
  },
  {
    name: 'container',
    applies: 'restart',
    fits: isImage,
    fields: [
      { name: 'entrypoint', kind: 'words' },
      { name: 'command', kind: 'words' },
      { name: 'user', kind: 'text' },
    ],
  },
  {
    name: 'source',
    applies: 'deploy',
    fits: isImage,
    fields: [
      { name: 'imageRef', kind: 'text', isRequired: true },
      { name: 'runtimeMode', kind: 'choice', choices: ['web', 'worker'] },
    ],
  },
  {
    name: 'build',
    applies: 'deploy',
    fits: isBuilt,
    fields: [
      { name: 'branch', kind: 'text', isRequired: true, fits: isGit },
      { name: 'rootDir', kind: 'text' },
      { name: 'runtimeMode', kind: 'choice', choices: ['web', 'worker', 'static'] },
      { name: 'buildMethod', kind: 'choice', choices: ['auto', 'dockerfile', 'analyzer'] },
      { name: 'dockerfilePath', kind: 'text' },
      { name: 'installCommand', kind: 'text' },
      { name: 'buildCommand', kind: 'text' },
      { name: 'startCommand', kind: 'text' },
      { name: 'staticOutput', kind: 'text' },
    ],
  },
];

/** How a value is typed. */
export function settingText(service: Service, { name }: SettingField): string {
  const value: unknown = service[name];
  if (value === null) return '';
  return Array.isArray(value) ? value.join('\n') : String(value);
}

/** The value that was typed; null: none, so that the default applies. */
export function settingValue({ kind, isRequired }: SettingField, text: string): unknown {
  if (kind === 'check') return text === 'true';
  if (text.trim() === '' && !isRequired) return null;
  if (kind === 'number') return Number(text);
  return kind === 'words' ? text.split('\n') : text;
}

/** How a setting is called here; others keep the API's name. */
export function settingLabel(name: string): string {
  const known: Partial<Record<string, { label: string }>> = t.serviceSettings.fields;
  return name === 'volumes' ? t.volumes.title : (known[name]?.label ?? name);
}

/** A list, such as of volumes, comes as its JSON. */
export function pendingText(value: string | null): string {
  if (value === null) return t.comparison.notSet;
  if (!value.startsWith('[')) return value;
  try {
    const list: unknown = JSON.parse(value);
    return Array.isArray(list) ? list.join(', ') : value;
  } catch {
    return value;
  }
}
