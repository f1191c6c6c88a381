/**
 * Remembers the volume of a deleted database. A restore or an upgrade changes a database's volume, and only its container shows which it
 * is. The container is removed with the service, but the service may be restored.
 */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '../base/replace-file.ts';

const pathOf = (dataDirectory: string, serviceId: string) => join(dataDirectory, 'live-volumes', serviceId);

export const rememberLiveVolume = (dataDirectory: string, serviceId: string, volume: string): void =>
  replaceFile(pathOf(dataDirectory, serviceId), volume);

/** `undefined` if the service was not deleted here. */
export async function rememberedLiveVolume(
  dataDirectory: string,
  serviceId: string,
): Promise<string | undefined> {
  try {
    return await readFile(pathOf(dataDirectory, serviceId), 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

export const forgetLiveVolume = (dataDirectory: string, serviceId: string): Promise<void> =>
  rm(pathOf(dataDirectory, serviceId), { force: true });
