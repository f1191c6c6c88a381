import type { RestoreNames } from '../../engines/archive/archive.ts';

/** The names of a restore, an import or a drill. Behind its prefix, an id is lower-case letters and digits. */
export const restoreNames = (id: string): RestoreNames => ({ suffix: id.replace(/^.*_/, '') });
