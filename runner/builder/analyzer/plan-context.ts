/** What the builder gets for a plan: the Dockerfile that was written for it, and the source below a directory of its own. */
import type { Readable } from 'node:stream';
import tar from 'tar-fs';

/** Directory of the context that holds the source. */
export const contextSource = 'source';

/** Path of the Dockerfile in the context. */
export const contextDockerfile = 'Dockerfile';

/** All mode bits as they are in the checkout. */
const keepModes = { umask: 0 };

/**
 * @param root of the plan's scope
 * @param entries as of `sourceEntries`
 */
export function packPlanContext(root: string, entries: string[], dockerfile: string): Readable {
  const pack = tar.pack(root, {
    ...keepModes,
    entries,
    map: (header) => ({ ...header, name: `${contextSource}/${header.name}` }),
    finalize: false,
    finish(archive) {
      archive.entry({ name: contextDockerfile }, dockerfile);
      archive.finalize();
    },
  });
  return pack as unknown as Readable;
}
