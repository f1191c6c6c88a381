/** Settings of a service as `NAME=VALUE`, by the names that the API gives them. */
import type { CallOptions, Service } from '../../client/client.ts';
import { usageFailure } from '../base/failure.ts';
import { missingName } from '../names/nearest.ts';

export type ServicePatch = NonNullable<CallOptions<'PATCH /api/services/:serviceId'>['body']>;

type Kind = 'text' | 'number' | 'switch' | 'words' | 'names';

/** What a change of it needs until the app has it: a build, a new container, or nothing. */
type Effect = 'deploy' | 'restart' | 'none';

interface Setting {
  kind: Kind;
  effect: Effect;
  /** It is never shown. */
  hidden?: true;
}

const text = (effect: Effect): Setting => ({ kind: 'text', effect });
const number = (effect: Effect): Setting => ({ kind: 'number', effect });
const onOff = (effect: Effect): Setting => ({ kind: 'switch', effect });

/** Every field of a PATCH, but for `engineSettings`: `engineSettings.NAME`. */
export const settings: Record<Exclude<keyof ServicePatch, 'engineSettings'>, Setting> = {
  name: text('none'),
  repoFullName: text('deploy'),
  repoUrl: text('deploy'),
  branch: text('deploy'),
  imageRef: text('deploy'),
  gitToken: { ...text('deploy'), hidden: true },
  rootDir: text('deploy'),
  buildMethod: text('deploy'),
  dockerfilePath: text('deploy'),
  installCommand: text('deploy'),
  buildCommand: text('deploy'),
  startCommand: text('deploy'),
  staticOutput: text('deploy'),
  runtimeMode: text('deploy'),
  internalPort: number('restart'),
  replicas: number('restart'),
  sleepAfterMinutes: number('restart'),
  memoryLimitMb: number('restart'),
  cpuLimit: number('restart'),
  healthCheckPath: text('restart'),
  healthCheckIntervalSeconds: number('restart'),
  healthCheckTimeoutSeconds: number('restart'),
  healthCheckStartPeriodSeconds: number('restart'),
  drainSeconds: number('restart'),
  stopGraceSeconds: number('restart'),
  stopSignal: text('restart'),
  command: { kind: 'words', effect: 'restart' },
  entrypoint: { kind: 'words', effect: 'restart' },
  user: text('restart'),
  shmSizeMb: number('restart'),
  variableNames: { kind: 'names', effect: 'restart' },
  databasePublicEnabled: onOff('restart'),
  databasePublicHostname: text('restart'),
  postgresLogicalReplicationEnabled: onOff('restart'),
  runnerId: text('deploy'), // it moves with its next deployment: its image is not on the new host
  protected: onOff('none'),
};

const engine = 'engineSettings.';

/** `sleep-after-minutes` is `sleepAfterMinutes`. @throws Failure (usage) with the nearest names */
function settingOf(given: string): [name: keyof typeof settings, setting: Setting] {
  const name = given.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
  if (Object.hasOwn(settings, name)) {
    const known = name as keyof typeof settings;
    return [known, settings[known]];
  }
  throw usageFailure(missingName('setting', given, Object.keys(settings)));
}

/** One `NAME=VALUE`; an empty value clears the setting. */
export interface Assignment {
  name: string;
  value: string;
}

/**
 * The body of a PATCH that makes these settings.
 * @returns it, and what the app needs to get them
 * @throws Failure (usage) for a name or a value that cannot be sent; the API checks the rest
 */
export function patchOf(assignments: readonly Assignment[]): { patch: ServicePatch; effect: Effect } {
  const patch: Record<string, unknown> = {};
  const engineSettings: Record<string, string | null> = {};
  const effects = new Set<Effect>();
  for (const { name: given, value } of assignments) {
    if (given.startsWith(engine)) {
      engineSettings[given.slice(engine.length)] = value === '' ? null : value;
      effects.add('restart');
      continue;
    }
    const [name, { kind, effect }] = settingOf(given);
    patch[name] = value === '' ? null : parsedAs(kind, given, value);
    effects.add(effect);
  }
  if (Object.keys(engineSettings).length > 0) patch.engineSettings = engineSettings;
  const effect = (['deploy', 'restart'] as const).find((one) => effects.has(one)) ?? 'none';
  return { patch: patch as ServicePatch, effect };
}

function parsedAs(kind: Kind, name: string, value: string): unknown {
  if (kind === 'number') return numberOf(name, value);
  if (kind === 'switch') return switchOf(name, value);
  if (kind === 'words') return wordsOf(name, value);
  return kind === 'names' ? namesOf(name, value) : value;
}

function numberOf(name: string, value: string): number {
  if (/^\d{1,15}(\.\d{1,9})?$/.test(value)) return Number(value);
  throw usageFailure(`"${value}" is not a number: ${name} is one, such as ${name}=2`);
}

function switchOf(name: string, value: string): boolean {
  if (/^(true|on|yes)$/.test(value)) return true;
  if (/^(false|off|no)$/.test(value)) return false;
  throw usageFailure(`${name} is true or false, not "${value}".`);
}

/** A JSON list, or words with spaces between them. Whatever a shell would read otherwise has to be a list. */
function wordsOf(name: string, value: string): string[] {
  if (value.startsWith('[')) return listOf(name, value);
  if (!/["'\\$`|&;<>*?(){}~]/.test(value)) return value.trim().split(/\s+/);
  throw usageFailure(
    `${name} is run without a shell, so quotes and other signs of a shell mean nothing. Write a list: '${name}=["sh","-c","..."]'`,
  );
}

function listOf(name: string, value: string): string[] {
  try {
    return JSON.parse(value);
  } catch (error) {
    throw usageFailure(`${name} is not a list in JSON: ${(error as Error).message}`);
  }
}

/** `DISCOVERY_TYPE:discovery.type,OTHER:other`. */
function namesOf(name: string, value: string) {
  return value.split(',').map((pair) => {
    const at = pair.indexOf(':');
    if (at > 0) return { key: pair.slice(0, at), name: pair.slice(at + 1) };
    throw usageFailure(`${name} is KEY:name, with commas between them, not "${value}".`);
  });
}

/** The settings of a service, each as the text that sets it again; those that are not set are empty. */
export function settingsOf(service: Service): Record<string, string> {
  const fields: Record<string, unknown> = { ...service };
  const own = Object.entries(settings)
    .filter(([, { hidden }]) => !hidden)
    .map(([name, { kind }]) => [name, shown(kind, fields[name])]);
  const ofEngine = Object.entries(service.engineSettings).map(([name, value]) => [`${engine}${name}`, value]);
  return Object.fromEntries([...own, ...ofEngine]);
}

function shown(kind: Kind, value: unknown): string {
  if (value === null || value === undefined) return '';
  if (kind === 'words') return JSON.stringify(value);
  if (kind !== 'names') return String(value);
  return (value as { key: string; name: string }[]).map(({ key, name }) => `${key}:${name}`).join(',');
}
