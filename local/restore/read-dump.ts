/** Reads a dump of the control plane's database as written by the Worker (worker/usecases/recovery/dump-database.ts). */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { z } from 'zod';
import { StartError } from '../start-error.ts';

const manifestSchema = z.object({
  version: z.literal(1, 'was written by a newer version'),
  id: z.string(),
  startedAt: z.string(),
  isOneMoment: z.boolean(),
  parts: z.int(),
  rows: z.int(),
  schema: z.array(
    z.object({ type: z.enum(['table', 'index', 'trigger', 'view']), name: z.string(), sql: z.string() }),
  ),
});

export type Manifest = z.infer<typeof manifestSchema>;
export type Value = string | number | null;

const headSchema = z.object({ table: z.string(), columns: z.array(z.string()) });
const rowSchema = z.array(z.union([z.string(), z.number(), z.null()]));

/** Consecutive rows of one table in the dump. */
export interface RowGroup {
  table: string;
  columns: string[];
  rows: Value[][];
}

export const manifestName = 'manifest.json';
export const partName = (part: number) => `${String(part).padStart(5, '0')}.jsonl.gz`;

/** @param text of manifest.json @throws StartError `restore` */
export function parseManifest(text: string): Manifest {
  const parsed = manifestSchema.safeParse(JSON.parse(text));
  if (parsed.success) return parsed.data;
  throw new StartError('restore', `This manifest can't be used: ${z.prettifyError(parsed.error)}`);
}

/** @throws StartError `restore` when a file is missing or rows are */
export async function readDump(directory: string): Promise<{ manifest: Manifest; groups: RowGroup[] }> {
  const manifest = parseManifest(await readText(directory, manifestName, (bytes) => bytes));
  const groups: RowGroup[] = [];
  for (let part = 1; part <= manifest.parts; part++) {
    groups.push(...groupsIn(await readText(directory, partName(part), gunzipSync)));
  }
  const rows = groups.reduce((sum, group) => sum + group.rows.length, 0);
  if (rows === manifest.rows) return { manifest, groups };
  throw new StartError(
    'restore',
    `The dump in ${directory} has ${rows} rows and should have ${manifest.rows}.`,
  );
}

async function readText(directory: string, name: string, open: (bytes: Buffer) => Buffer): Promise<string> {
  try {
    return open(await readFile(join(directory, name))).toString('utf8');
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new StartError('restore', `The dump can't be read: ${name}: ${why}`, { cause });
  }
}

function groupsIn(text: string): RowGroup[] {
  const groups: RowGroup[] = [];
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const value: unknown = JSON.parse(line);
    if (Array.isArray(value)) groups.at(-1)?.rows.push(rowSchema.parse(value));
    else groups.push({ ...headSchema.parse(value), rows: [] });
  }
  return groups;
}
