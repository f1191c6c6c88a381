/** A set of route names as one empty file each, which Caddy checks. So a change needs no reload of Caddy. */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface NameFiles {
  /** Replaces the set of names. @returns true if all have their file; false on a full disk */
  set(names: readonly string[]): boolean;
  /** Restores the files of the last set. @returns true if another program has added or removed any */
  repair(): boolean;
}

export function nameFiles(directory: string): NameFiles {
  const read = () => {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    return new Set(readdirSync(directory));
  };
  let present = read();
  let last: readonly string[] | undefined;
  function set(names: readonly string[]): boolean {
    last = names;
    const wanted = new Set(names);
    for (const name of present) {
      if (wanted.has(name)) continue;
      rmSync(join(directory, name), { recursive: true, force: true });
      present.delete(name);
    }
    for (const name of wanted) {
      if (!present.has(name) && made(join(directory, name))) present.add(name);
    }
    return names.every((name) => present.has(name));
  }
  return {
    set,
    repair() {
      const found = read();
      const isChanged = found.size !== present.size || [...present].some((name) => !found.has(name));
      present = found;
      if (last) set(last);
      return isChanged;
    },
  };
}

/** @returns false on a full disk: Caddy works without the file until the set is given again */
function made(file: string): boolean {
  try {
    writeFileSync(file, '');
    return true;
  } catch {
    return false;
  }
}
