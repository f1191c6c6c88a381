/** What the steps of a judgement hand to each other. */
import type { Reference, Stage } from './references.ts';
import type { Scope } from './scope.ts';
import type { BuildNames } from './written-text.ts';

/** A file that does not come from the repository. */
export interface AddedFile {
  /** In the image of added files: a directory of its own, and the name that Docker gives it. */
  path: string;
  mode: number;
  source: { type: 'text'; text: string } | { type: 'url'; url: URL; checksum: string | null; line: number };
}

export interface JudgedDockerfile {
  added: AddedFile[];
  text: (names: BuildNames) => string;
}

/** One instruction on its way into the new Dockerfile. */
export interface Rewriting {
  stage: Stage;
  scope: Scope;
  escapeToken: string;
  /** What its flags name, in their order; of FROM its base. */
  from: readonly Reference[];
  added: AddedFile[];
}
