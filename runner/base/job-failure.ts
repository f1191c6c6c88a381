import type { FailureCode } from '../../protocol/job-report.ts';

/** A failure whose message is shown to the user; every other error of a job becomes `internal`. */
export class JobFailure extends Error {
  override readonly name = 'JobFailure';
  readonly code: FailureCode;
  constructor(code: FailureCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}
