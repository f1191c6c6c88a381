/** Runs a program on the host: with an argument array and its own environment; on abort it is killed with all its helpers. */
import { spawn } from 'node:child_process';

export interface Command {
  args: readonly string[];
  cwd: string;
  env: Record<string, string>;
  /** Receives every line of stderr, including progress; long ones are cut. */
  onLine: (line: string) => void;
  /** Receives stdout instead of the outcome, for output of any length. */
  onOutput?: (text: string) => void;
  signal: AbortSignal;
}

export interface Outcome {
  exitCode: number | null;
  stdout: string;
  stderr: string;
}

/** Limit for the kept output: the reason of a failure is at its end. */
const keptOutputBytes = 16 * 1024;
/**
 * The limit of a line: ssh passes on a server's standard error, which may be a line without an end. The rest of a longer line is dropped.
 * The limit is far above that of a log line, because secrets are masked later and must be complete.
 */
const lineCharsMax = 4 * 1024 * 1024;

/**
 * Runs a program to its end. An abort kills its whole process group, including helpers such as git-remote-https.
 * @throws the signal's reason; the operating system's error when the program is missing
 */
export function runProgram(program: string, command: Command): Promise<Outcome> {
  const { args, cwd, env, onLine, onOutput, signal } = command;
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    let stdout = '';
    let stderr = '';
    let open = '';
    const kill = () => killGroup(child.pid);
    signal.addEventListener('abort', kill, { once: true });
    child.stdout
      .on('error', reject)
      .setEncoding('utf8')
      .on('data', (text: string) => {
        if (onOutput) return onOutput(text);
        stdout = (stdout + text).slice(-keptOutputBytes);
      });
    child.stderr
      .on('error', reject)
      .setEncoding('utf8')
      .on('data', (text: string) => {
        stderr = (stderr + text).slice(-keptOutputBytes);
        for (const [index, piece] of text.split(/[\r\n]+/).entries()) {
          if (index > 0) {
            if (open.trim()) onLine(open);
            open = '';
          }
          if (open.length < lineCharsMax) open += piece;
        }
      });
    child.once('error', reject);
    child.once('close', (exitCode) => {
      signal.removeEventListener('abort', kill);
      if (open.trim()) onLine(open);
      if (signal.aborted) reject(signal.reason);
      else resolve({ exitCode, stdout, stderr });
    });
  });
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The process has already ended.
  }
}
