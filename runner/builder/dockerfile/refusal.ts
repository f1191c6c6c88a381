/** How a Dockerfile is refused: the line, what is wrong, and what to write instead. */
import { JobFailure } from '../../base/job-failure.ts';

/** A rule of the platform forbids it. */
export const refused = (line: number, sentence: string) =>
  new JobFailure('source_refused', `Dockerfile, line ${line}: ${sentence}`);

/** Docker would not build it either, or would read it otherwise than it looks. */
export const unreadable = (line: number, sentence: string) =>
  new JobFailure('build_failed', `Dockerfile, line ${line}: ${sentence}`);
