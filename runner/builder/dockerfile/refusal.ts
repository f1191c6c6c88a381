/** Errors that refuse a Dockerfile: they report the line, the problem, and the alternative. */
import { JobFailure } from '../../base/job-failure.ts';

/** A rule of the platform forbids it. */
export const refused = (line: number, sentence: string) =>
  new JobFailure('source_refused', `Dockerfile, line ${line}: ${sentence}`);

/** Docker would not build it either, or would read it differently than a person does. */
export const unreadable = (line: number, sentence: string) =>
  new JobFailure('build_failed', `Dockerfile, line ${line}: ${sentence}`);
