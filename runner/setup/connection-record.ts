/** `<data>/connection.json`: the time and version of the control plane's last acceptance of this runner. It proves an upgrade. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import { replaceFile } from '../base/replace-file.ts';
import { readVersion } from '../base/version.ts';

const recordSchema = z.object({
  version: z.string(),
  pid: z.int(),
  /** Epoch milliseconds. */
  connectedAt: z.number(),
  /** The reason why the runner can't start its parts; absent when it works. */
  trouble: z.string().optional(),
});
export type ConnectionRecord = z.infer<typeof recordSchema>;

const pathIn = (dataDirectory: string) => join(dataDirectory, 'connection.json');

/** Ignores a full disk, which must not end the connection. */
export function recordConnection(
  { dataDirectory, clock, logger }: { dataDirectory: string; clock: Clock; logger: Pick<Logger, 'warn'> },
  trouble?: string,
): void {
  const record = { version: readVersion(), pid: process.pid, connectedAt: clock.now(), trouble };
  try {
    replaceFile(pathIn(dataDirectory), `${JSON.stringify(record)}\n`);
  } catch (error) {
    logger.warn(`the record of the connection could not be written: ${error}`);
  }
}

/** @returns `undefined` if it was never connected */
export function readConnectionRecord(dataDirectory: string): ConnectionRecord | undefined {
  try {
    return recordSchema.parse(JSON.parse(readFileSync(pathIn(dataDirectory), 'utf8')));
  } catch {
    return undefined;
  }
}
