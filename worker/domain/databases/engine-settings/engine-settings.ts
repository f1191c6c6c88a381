/** The database settings that a user chose: how a request changes them, and refusals. */
import type { EngineName } from '../../../../protocol/database.ts';
import { ApiError } from '../../errors.ts';
import { databaseEngines } from '../database-engines.ts';
import { otherWays, settingsOfEngines } from './settings-of-engines.ts';
import { kilobytesOf } from './value-kinds.ts';

/** Names come from the client; an error message repeats at most this much of one. */
const namePartMax = 60;

/** Stored settings, with values in the form that the host needs. */
export type EngineSettings = Readonly<Record<string, string>>;

/** Settings in a request. Others do not change. `null` removes a setting; `null` instead of the object removes all. */
export type EngineSettingChanges = Readonly<Record<string, string | number | null>> | null;

/**
 * Merges the changes into the settings, like a JSON Merge Patch (RFC 7396).
 * @param engine null if it is not a database
 * @throws ApiError `unsupported` for another kind of service; `invalid_request` with the field, what it accepts and an example
 */
export function changedEngineSettings(
  engine: EngineName | null,
  settings: EngineSettings,
  changes: EngineSettingChanges,
): EngineSettings {
  if (changes === null) return {};
  if (!engine) {
    if (Object.values(changes).every((value) => value === null)) return settings;
    throw new ApiError('unsupported', 'The field "engineSettings" is only for databases: leave it out.');
  }
  const changed = new Map(Object.entries(settings));
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) changed.delete(name);
    else changed.set(name, storedValue(engine, name, String(value)));
  }
  return Object.fromEntries([...changed].sort(([one], [other]) => (one < other ? -1 : 1)));
}

/**
 * Refuses buffers that would not fit in the memory of the container.
 * @param memoryLimitMb of the service; null: the host uses the tenant's limit
 * @throws ApiError `invalid_request`
 */
export function assertSettingsFit(
  engine: EngineName | null,
  settings: EngineSettings,
  memoryLimitMb: number | null,
): void {
  if (!engine || memoryLimitMb === null) return;
  for (const [name, value] of Object.entries(settings)) {
    const kb = settingsOfEngines[engine][name]?.isWithinMemory ? kilobytesOf(value) : undefined;
    if (kb === undefined || kb < memoryLimitMb * 1024) continue;
    throw new ApiError(
      'invalid_request',
      `The field "engineSettings.${name}" is ${value}, and must be less than "memoryLimitMb" (${memoryLimitMb} MB): lower it, or raise the limit.`,
    );
  }
}

function storedValue(engine: EngineName, name: string, text: string): string {
  const ofEngine = settingsOfEngines[engine];
  const setting = Object.hasOwn(ofEngine, name) ? ofEngine[name] : undefined;
  const field = `The field "engineSettings.${name.slice(0, namePartMax)}"`;
  if (!setting) throw new ApiError('invalid_request', unknownSetting(engine, field, name));
  const value = setting.read(text.trim());
  if (value !== undefined) return value;
  throw new ApiError('invalid_request', `${field} must be ${setting.accepts}.`);
}

function unknownSetting(engine: EngineName, field: string, name: string): string {
  const { title } = databaseEngines[engine];
  const way = Object.hasOwn(otherWays, name) ? otherWays[name] : undefined;
  const known = `Settings of ${title} that can be set here: ${Object.keys(settingsOfEngines[engine]).join(', ')}.`;
  return way ? `${field} can't be set: ${way}. ${known}` : `${field} can't be set. ${known}`;
}
