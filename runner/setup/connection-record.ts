/** `<data>/connection.json`: when the control plane last let this runner in, and as which version. An upgrade is proven by it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { replaceFile } from '../base/replace-file.ts';

const recordSchema = z.object({
  version: z.string(),
  pid: z.int(),
  /** Epoch milliseconds. */
  connectedAt: z.number(),
});
export type ConnectionRecord = z.infer<typeof recordSchema>;

const pathIn = (dataDirectory: string) => join(dataDirectory, 'connection.json');

export function writeConnectionRecord(dataDirectory: string, record: ConnectionRecord): void {
  replaceFile(pathIn(dataDirectory), `${JSON.stringify(record)}\n`);
}

/** @returns undefined if it was never connected, or an older runner ran last */
export function readConnectionRecord(dataDirectory: string): ConnectionRecord | undefined {
  try {
    return recordSchema.parse(JSON.parse(readFileSync(pathIn(dataDirectory), 'utf8')));
  } catch {
    return undefined;
  }
}
