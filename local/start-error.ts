/** A reason why the start can't continue, as a sentence for the person at the terminal. Any other error is a bug. */

export type StartErrorCode =
  | 'option'
  | 'data_directory'
  | 'already_running'
  | 'port_taken'
  | 'missing_tool'
  | 'install_failed'
  | 'docker_unavailable'
  | 'image_failed'
  | 'bundle_failed'
  | 'control_plane_failed'
  | 'runner_failed'
  | 'demo_failed'
  | 'cloudflare'
  | 'restore';

export class StartError extends Error {
  override readonly name = 'StartError';
  readonly code: StartErrorCode;
  /** A command that fixes the problem, shown on a separate line. */
  readonly command: string | undefined;

  constructor(code: StartErrorCode, sentence: string, more: { command?: string; cause?: unknown } = {}) {
    super(sentence, more.cause === undefined ? undefined : { cause: more.cause });
    this.code = code;
    this.command = more.command;
  }
}
