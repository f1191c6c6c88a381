/** Words for the source of a service: a repository that is committed and pushed, or a folder that `longshore up` sends. */
import type { Failure } from './failure.ts';
import { either, filesThere } from './files-there.ts';

/** Without .longshoreignore, which is never sent. */
const ignoreFiles = ['.gitignore', '.dockerignore'] as const;

export const isUpload = ({ service }: Pick<Failure, 'service'>): boolean => service.kind === 'upload';

/** "repository" or "folder". */
export const sourceName = (failure: Pick<Failure, 'service'>): string =>
  isUpload(failure) ? 'folder' : 'repository';

/** Why a file of the user's machine is absent from the source. */
export const isNotThere = (failure: Failure): string =>
  isUpload(failure)
    ? `was not sent with the folder (${either(filesThere(failure, ignoreFiles)) || '.longshoreignore'} may exclude it)`
    : 'is not committed';

/** Adds a changed file to the source. @param what the file */
export const submit = (failure: Failure, what: string): string =>
  isUpload(failure) ? `send the folder again with ${what}` : `commit ${what}`;
