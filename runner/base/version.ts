import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { bundled } from './bundled.ts';

const packageSchema = z.object({ version: z.string() });

/** The version of this program, from package.json. */
export function readVersion(): string {
  const path = bundled ? './package.json' : '../../package.json';
  return packageSchema.parse(JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'))).version;
}
