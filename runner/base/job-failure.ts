import type { FailureCode } from '../../protocol/job-report.ts';

/** A failure whose sentence is for the user; everything else thrown by a job becomes `internal`. */
export class JobFailure extends Error {
  override readonly name = 'JobFailure';
  readonly code: FailureCode;
  constructor(code: FailureCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}
