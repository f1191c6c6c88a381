/** Small JSON files that only their owner may read and that are never half-written. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { z } from 'zod';

/** Writes a file beside the target with mode 0600 and renames it: a reader sees either the old or the new file, complete. */
export function writePrivateJson(path: string, value: unknown): void {
  writeFileSync(`${path}.new`, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

/** The parsed file; undefined when it is missing. @throws Error when it exists and doesn't match the schema */
export function readJson<Shape extends z.ZodType>(path: string, schema: Shape): z.infer<Shape> | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
  const parsed = schema.safeParse(parseJson(text));
  if (!parsed.success) throw new Error(`${path} was not written by Longshore; move it away and start again`);
  return parsed.data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
