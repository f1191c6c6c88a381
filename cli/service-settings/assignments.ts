/** Settings of a service as `NAME=VALUE`, with the API's names. */
import type { CallOptions, Service } from '../../client/client.ts';
import { type ServiceSetting, serviceSettings } from '../../client/service-settings.ts';
import { usageFailure } from '../base/failure.ts';
import { missingName } from '../names/nearest.ts';

export type ServicePatch = NonNullable<CallOptions<'PATCH /api/services/:serviceId'>['body']>;

type Name = Exclude<keyof ServicePatch, 'engineSettings'>;
const { engineSettings: _, ...settings } = serviceSettings;

/** The command that applies a change to the app. */
const commands = { deployment: 'deploy', restart: 'restart', nothing: undefined } as const;

const engine = 'engineSettings.';

/** Converts `sleep-after-minutes` into `sleepAfterMinutes`. @throws Failure (usage) with the nearest names */
function settingOf(given: string): [name: Name, setting: ServiceSetting] {
  const name = given.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
  if (Object.hasOwn(settings, name)) {
    const known = name as Name;
    return [known, settings[known]];
  }
  throw usageFailure(missingName('setting', given, Object.keys(settings)));
}

/** One `NAME=VALUE`; an empty value clears the setting. */
export interface Assignment {
  name: string;
  value: string;
}

/** `NAME=VALUE` from the command line. @throws Failure (usage) */
export function assignment(given: string): Assignment {
  const at = given.indexOf('=');
  if (at > 0) return { name: given.slice(0, at), value: given.slice(at + 1) };
  throw usageFailure(
    `"${given}" is not NAME=VALUE. To read the value from stdin: longshore settings set ${given} --stdin`,
  );
}

/**
 * The body of a PATCH with these settings.
 * @returns the body, and the command that applies the changes to the app (undefined: they apply at once)
 * @throws Failure (usage) for a name or a value that cannot be sent; the API checks the rest
 */
export function patchOf(assignments: readonly Assignment[]) {
  const patch: Record<string, unknown> = {};
  const engineSettings: Record<string, string | null> = {};
  const appliers = new Set<ServiceSetting['appliedBy']>();
  for (const { name: given, value } of assignments) {
    if (given.startsWith(engine)) {
      engineSettings[given.slice(engine.length)] = value === '' ? null : value;
      appliers.add(serviceSettings.engineSettings.appliedBy);
      continue;
    }
    const [name, { control, appliedBy }] = settingOf(given);
    patch[name] = value === '' ? null : parsedAs(control, given, value);
    appliers.add(appliedBy);
  }
  if (Object.keys(engineSettings).length > 0) patch.engineSettings = engineSettings;
  const applier = (['deployment', 'restart'] as const).find((one) => appliers.has(one)) ?? 'nothing';
  return { patch: patch as ServicePatch, command: commands[applier] };
}

type Control = ServiceSetting['control'];

function parsedAs(control: Control, name: string, value: string): unknown {
  if (control === 'number') return numberOf(name, value);
  if (control === 'switch') return switchOf(name, value);
  if (control === 'words') return wordsOf(name, value);
  return control === 'names' ? namesOf(name, value) : value;
}

function numberOf(name: string, value: string): number {
  if (/^\d{1,15}(\.\d{1,9})?$/.test(value)) return Number(value);
  throw usageFailure(`"${value}" is not a number. For example: ${name}=2`);
}

function switchOf(name: string, value: string): boolean {
  if (/^(true|on|yes)$/.test(value)) return true;
  if (/^(false|off|no)$/.test(value)) return false;
  throw usageFailure(`${name} must be true or false, not "${value}".`);
}

/** A JSON list, or words with spaces between them. Words that a shell would interpret need the JSON list. */
function wordsOf(name: string, value: string): string[] {
  if (value.startsWith('[')) return listOf(name, value);
  if (!/["'\\$`|&;<>*?(){}~]/.test(value)) return value.trim().split(/\s+/);
  throw usageFailure(
    `${name} is run without a shell, so quotes and other shell syntax have no effect. Write a list: '${name}=["sh","-c","..."]'`,
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
    throw usageFailure(`${name} is a list of KEY:name, separated by commas, not "${value}".`);
  });
}

/** The settings of a service, each in the form that sets it again; unset ones are empty. */
export function settingsOf(service: Service): Record<string, string> {
  const fields: Record<string, unknown> = { ...service };
  const own = Object.entries(settings)
    .filter(([, { isHidden }]) => !isHidden)
    .map(([name, { control }]) => [name, shown(control, fields[name])]);
  const ofEngine = Object.entries(service.engineSettings).map(([name, value]) => [`${engine}${name}`, value]);
  return Object.fromEntries([...own, ...ofEngine]);
}

function shown(control: Control, value: unknown): string {
  if (value === null || value === undefined) return '';
  if (control === 'words') return JSON.stringify(value);
  if (control !== 'names') return String(value);
  return (value as { key: string; name: string }[]).map(({ key, name }) => `${key}:${name}`).join(',');
}
