/** The data that the steps of the check pass to each other. */
import type { Reference, Stage } from './references.ts';
import type { Scope } from './scope.ts';
import type { BuildNames } from './written-text.ts';

/** A file from outside the repository. */
export interface AddedFile {
  /** Path in the image of added files: a separate directory, and the name that Docker gives the file. */
  path: string;
  mode: number;
  source: { type: 'text'; text: string } | { type: 'url'; url: URL; checksum: string | null; line: number };
}

export interface CheckedDockerfile {
  added: AddedFile[];
  text: (names: BuildNames) => string;
}

/** The parsed references of one instruction, for the new Dockerfile. */
export interface Rewriting {
  stage: Stage;
  scope: Scope;
  escapeToken: string;
  /** The images and stages of the instruction's flags, in order; for FROM its base image. */
  from: readonly Reference[];
  added: AddedFile[];
}
