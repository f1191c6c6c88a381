/** A set of route names as one empty file each, which Caddy looks for. So a change needs no reload of Caddy. */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface NameFiles {
  /** Replaces the set of names. @returns whether all have their file: false on a full disk */
  set(names: readonly string[]): boolean;
}

export function nameFiles(directory: string): NameFiles {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const present = new Set(readdirSync(directory));
  return {
    set(names) {
      const wanted = new Set(names);
      for (const name of present) {
        if (wanted.has(name)) continue;
        rmSync(join(directory, name), { force: true });
        present.delete(name);
      }
      for (const name of wanted) {
        if (!present.has(name) && made(join(directory, name))) present.add(name);
      }
      return names.every((name) => present.has(name));
    },
  };
}

/** @returns false on a full disk: Caddy does without it until the set is given again */
function made(file: string): boolean {
  try {
    writeFileSync(file, '');
    return true;
  } catch {
    return false;
  }
}
