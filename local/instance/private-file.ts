/** Small JSON files that only their owner may read and that are never half-written. */
import { readFileSync } from 'node:fs';
import type { z } from 'zod';
import { replaceFile } from '../../runner/base/replace-file.ts';

/** Replaces a file with mode 0600: a reader sees either the old or the new file, complete, even after a power cut. */
export function writePrivateJson(path: string, value: unknown): void {
  replaceFile(path, `${JSON.stringify(value, null, 2)}\n`);
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
