import type { RestoreNames } from '../../engines/archive/archive.ts';

/** Of a restore, an import or a drill. Ids are lower-case letters and digits behind their prefix. */
export const restoreNames = (id: string): RestoreNames => ({ suffix: id.replace(/^.*_/, '') });
