/** Which of the files that rules name the source has. Null for the list means that it is unknown: then rules name what is usual. */
import type { NamedSourceFile } from '../../../../protocol/sources/source-files.ts';
import type { FailedService } from './failure.ts';

interface Files {
  service: Pick<FailedService, 'sourceFiles'>;
}

export const isKnown = ({ service }: Files): boolean => service.sourceFiles !== null;

/** Whether the source is known to have the file. */
export const has = ({ service }: Files, name: NamedSourceFile): boolean =>
  service.sourceFiles?.includes(name) === true;

/** Those of the files that the source has; all if that is unknown. */
export const filesThere = (failure: Files, names: readonly NamedSourceFile[]): NamedSourceFile[] =>
  names.filter((name) => !isKnown(failure) || has(failure, name));

/** "a", "a or b". */
export const either = (names: readonly string[]): string => names.join(' or ');

/** A file to change, or to make. */
export const ownOrNew = (failure: Files, name: NamedSourceFile): string =>
  isKnown(failure) && !has(failure, name) ? `a new ${name}` : name;
