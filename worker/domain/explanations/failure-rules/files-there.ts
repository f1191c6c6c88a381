/** The files in the source that rules mention. A list of `null` means unknown: then rules mention the usual files. */
import type { NamedSourceFile } from '../../../../protocol/sources/source-files.ts';
import type { FailedService } from './failure.ts';

interface Files {
  service: Pick<FailedService, 'sourceFiles'>;
}

export const isKnown = ({ service }: Files): boolean => service.sourceFiles !== null;

/** Whether the source is known to contain the file. */
export const has = ({ service }: Files, name: NamedSourceFile): boolean =>
  service.sourceFiles?.includes(name) === true;

/** The given files that the source contains; all of them if that is unknown. */
export const filesThere = (failure: Files, names: readonly NamedSourceFile[]): NamedSourceFile[] =>
  names.filter((name) => !isKnown(failure) || has(failure, name));

/** "a", "a or b". */
export const either = (names: readonly string[]): string => names.join(' or ');

/** Phrase for a file to change or to create. */
export const ownOrNew = (failure: Files, name: NamedSourceFile): string =>
  isKnown(failure) && !has(failure, name) ? `a new ${name}` : name;
