/**
 * Finds the settings of a running server that differ from those at its start. Not every engine marks the settings that clients have
 * changed, so a file in the container holds a hash of each value at the start. Values may be passwords.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Engine } from '../engine.ts';
import type { DataPlace } from './archive.ts';
import { toolWords } from './run-tool.ts';

/** The path of the file. The file belongs to its container: a new container starts with other settings. */
export const startSettingsFile = '/usr/local/etc/longshore-start-settings.json';

const hashesSchema = z.record(z.string(), z.string());

/** The content of `startSettingsFile`. @param settings the values at the start, by name */
export const startSettingsText = (settings: Readonly<Record<string, string>>): string =>
  JSON.stringify(Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, hashOf(value)])));

/**
 * Sentences for the backup's `notKept`.
 * @returns at most one; also one if the changes are unknown
 * @throws DockerError; the signal's reason
 */
export async function settingsNotKept(
  { liveSettings }: Pick<Engine, 'liveSettings'>,
  place: Pick<DataPlace, 'address' | 'env' | 'tools' | 'signal'>,
): Promise<string[]> {
  if (!liveSettings) return [];
  const before = await hashesAtStart(place);
  try {
    const now = await liveSettings.read(place.address, place.env);
    if (!before) return [unknown('deploy this service once, then its next backup names them.')];
    const names = changedNames(before, now);
    return names.length === 0 ? [] : [liveSettings.notKept(names.join(', '))];
  } catch (error) {
    place.signal.throwIfAborted();
    return [unknown(error instanceof Error ? error.message : String(error))];
  }
}

const changedNames = (before: Readonly<Record<string, string>>, now: Readonly<Record<string, string>>) =>
  Object.entries(now)
    .filter(([name, value]) => before[name] !== undefined && before[name] !== hashOf(value))
    .map(([name]) => name)
    .sort();

/** @returns `undefined` if the file is missing, or was not written by the runner */
async function hashesAtStart(
  place: Pick<DataPlace, 'tools' | 'signal'>,
): Promise<Record<string, string> | undefined> {
  const { code, printed } = await toolWords(place, ['cat', startSettingsFile]);
  if (code !== 0) return undefined;
  try {
    return hashesSchema.parse(JSON.parse(printed));
  } catch {
    return undefined;
  }
}

const unknown = (why: string) =>
  `Settings that were changed in the running server are not in the backup, and it is not known which they are: ${why}`;

const hashOf = (value: string) => createHash('sha256').update(value).digest('base64url');
