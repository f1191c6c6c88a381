/** Errors that stop the runner, each with one sentence for the operator. */

export type RunnerErrorCode =
  | 'usage'
  | 'already_enrolled'
  | 'not_enrolled'
  | 'config_invalid'
  | 'keys_unusable'
  | 'no_free_ports'
  | 'enrolment_refused'
  | 'control_plane_unreachable'
  | 'already_running'
  | 'journal_unusable'
  | 'identity_refused' // close code 4001
  | 'revoked' // close code 4003, or the control plane does not know this runner
  | 'replaced'; // close code 4009

/** Errors that a restart does not fix: the service manager should not retry (systemd: RestartPreventExitStatus). */
const lasting: ReadonlySet<RunnerErrorCode> = new Set(['revoked', 'replaced']);

/** sysexits.h EX_CONFIG. */
const exitCodeOfLasting = 78;

export class RunnerError extends Error {
  override readonly name = 'RunnerError';
  readonly code: RunnerErrorCode;
  constructor(code: RunnerErrorCode, sentence: string, options?: { cause?: unknown }) {
    super(sentence, options);
    this.code = code;
  }
  /** Exit code of `run`: 1, or 78 if a restart would not help. */
  get exitCode(): number {
    return lasting.has(this.code) ? exitCodeOfLasting : 1;
  }
}
