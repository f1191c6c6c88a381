/** The build context of a plan: the generated Dockerfile, and the source in a separate directory. */
import type { Readable } from 'node:stream';
import tar from 'tar-fs';
import { addEntry } from '../../base/tar-entry.ts';

/** Directory of the context that contains the source. */
export const contextSource = 'source';

/** Path of the Dockerfile in the context. */
export const contextDockerfile = 'Dockerfile';

/** Keeps all mode bits from the checkout. */
const keepModes = { umask: 0 };

/**
 * @param root of the plan's scope
 * @param entries from `sourceEntries`
 */
export function packPlanContext(root: string, entries: string[], dockerfile: string): Readable {
  const pack = tar.pack(root, {
    ...keepModes,
    entries,
    map: (header) => ({ ...header, name: `${contextSource}/${header.name}` }),
    finalize: false,
    finish(archive) {
      addEntry(archive, { name: contextDockerfile }, Buffer.from(dockerfile)).catch(() => {}); // the reader of the stream reports the error
      archive.finalize();
    },
  });
  return pack as unknown as Readable;
}
