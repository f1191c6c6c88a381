/**
 * The volumes that this host should have. Docker creates an empty volume for a container with a missing one, so without this list a volume
 * removed by another program would be replaced silently.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { replaceFile } from '../base/replace-file.ts';
import type { VolumeRecord } from '../docker/client.ts';

export interface KnownVolumes extends VolumeRecord {
  /** All volumes with their services. */
  all(): ReadonlyMap<string, string>;
}

/** Services by the names of volumes. */
const fileSchema = z.record(z.string(), z.string());

export function knownVolumes(dataDirectory: string): KnownVolumes {
  const file = join(dataDirectory, 'known-volumes.json');
  const known = new Map(Object.entries(read(file)));
  let isWritten = true;
  /** A full disk must not keep a volume from being removed: the next `add` repeats a failed write. */
  const write = () => {
    try {
      replaceFile(file, `${JSON.stringify(Object.fromEntries(known))}\n`);
      isWritten = true;
    } catch {
      isWritten = false;
    }
  };
  return {
    has: (name) => known.has(name),
    add(volumes) {
      const added = [...volumes].filter(([name]) => !known.has(name));
      for (const [name, serviceId] of added) known.set(name, serviceId);
      if (added.length > 0 || !isWritten) write();
    },
    remove(name) {
      if (known.delete(name)) write();
    },
    removeOf(serviceId) {
      const names = [...known].flatMap(([name, of]) => (of === serviceId ? name : []));
      for (const name of names) known.delete(name);
      if (names.length > 0) write();
    },
    all: () => known,
  };
}

/** The runner starts without the file if it is damaged or missing: existing volumes are found again. */
function read(file: string): Record<string, string> {
  try {
    return fileSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return {};
  }
}
