import type { RestoreNames } from '../../engines/archive/archive.ts';

/** The names for a restore, an import or a drill. After its prefix, an id consists of lower-case letters and digits. */
export const restoreNames = (id: string): RestoreNames => ({ suffix: id.replace(/^.*_/, '') });
