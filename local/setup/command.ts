/** Runs another program with an argument array and a timeout, never through a shell. */
import { execFile } from 'node:child_process';

export interface CommandOptions {
  timeoutMs: number;
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  /** Ends the program when it aborts. */
  signal?: AbortSignal;
}

/** More output than this from one command is a bug. */
const outputBytesMax = 32 * 1024 * 1024;
/** The length of a failed command's stderr in an error. */
const errorTailLength = 600;

export class CommandFailed extends Error {
  override readonly name = 'CommandFailed';
  readonly stderr: string;
  constructor(command: string, reason: string, stderr: string) {
    super(`${command}: ${reason}${stderr === '' ? '' : `: ${stderr}`}`);
    this.stderr = stderr;
  }
}

/**
 * Runs a program to its end and returns its standard output. It has no input: a program that asks a question gets the end of file, and
 * ends.
 * @throws CommandFailed when it is missing, exits with a code other than 0 or takes longer than `timeoutMs`.
 */
export function runCommand(file: string, args: string[], options: CommandOptions): Promise<string> {
  const { timeoutMs, ...rest } = options;
  return new Promise((resolve, reject) => {
    const child = execFile(
      file,
      args,
      { ...rest, timeout: timeoutMs, killSignal: 'SIGKILL', maxBuffer: outputBytesMax, encoding: 'utf8' },
      (error, stdout, stderr) => {
        if (error === null) return resolve(stdout);
        const reason = error.killed ? `no result after ${timeoutMs / 1000} s` : exitReason(error);
        reject(new CommandFailed([file, ...args].join(' '), reason, stderr.trim().slice(-errorTailLength)));
      },
    );
    // A program that could not be started has no input.
    child.stdin?.on('error', () => {});
    child.stdin?.end();
  });
}

/** Tests whether a program can be run: `<file> <args>` exits with 0 within 5 s. */
export async function canRun(file: string, args: string[]): Promise<boolean> {
  try {
    await runCommand(file, args, { timeoutMs: 5_000 });
    return true;
  } catch {
    return false;
  }
}

function exitReason(error: { code?: string | number | null; message: string }): string {
  if (error.code === 'ENOENT') return 'not installed';
  return typeof error.code === 'number' ? `exit code ${error.code}` : error.message;
}
