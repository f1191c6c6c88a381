/** Which files a source has that explanations of failures name. */
import { type NamedSourceFile, namedSourceFiles } from '../../../protocol/sources/source-files.ts';
import type { ProjectFiles } from './project-files.ts';

/** Those of the service root, and those of the repository around it: a workspace has its lock file there. */
export const sourceFilesIn = (files: ProjectFiles): NamedSourceFile[] =>
  namedSourceFiles.filter((name) => files.has(name) || files.around?.files.has(name));
