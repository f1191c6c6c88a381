/** Programs of the bare machine: they end with this process, whatever ends it, and Ctrl-C in the terminal does not reach them. */
import { type SpawnOptions, spawn } from 'node:child_process';

export interface TiedProcess {
  pid: number | undefined;
  /**
   * The exit code; 1 after a signal, or where the program is missing. Pipes among its standard streams are closed by then:
   * what has inherited them has ended too.
   */
  ended: Promise<number>;
  isRunning(): boolean;
  /** Returns when it has ended. */
  end(): Promise<void>;
  /** The end of what it has written to pipes. */
  said(): string;
}

const tailLength = 600;

export function tiedProcess(file: string, args: string[], options: SpawnOptions): TiedProcess {
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', file, ...args], { ...options, detached: true });
  let isRunning = true;
  const ended = new Promise<number>((resolve) => {
    child.once('error', () => resolve(1));
    child.once('close', (code) => resolve(code ?? 1));
  }).finally(() => {
    isRunning = false;
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (data) => {
      said = `${said}${data}`.slice(-tailLength);
    });
  }
  return {
    pid: child.pid,
    ended,
    isRunning: () => isRunning,
    said: () => said.trim(),
    async end() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/**
 * Runs a program to its end. After an abort it waits for the program and all that it has started: none writes a file later.
 * @throws Error with the end of its output when it fails or takes longer than `timeoutMs`
 */
export async function runTied(
  file: string,
  args: string[],
  { signal, timeoutMs }: { signal: AbortSignal; timeoutMs: number },
): Promise<void> {
  const running = tiedProcess(file, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const either = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const stop = () => void running.end();
  either.addEventListener('abort', stop);
  if (either.aborted) stop();
  const code = await running.ended;
  either.removeEventListener('abort', stop);
  if (code === 0) return;
  const reason = either.aborted ? `ended after at most ${timeoutMs / 1000} s` : `exit code ${code}`;
  throw new Error(`${[file, ...args].join(' ')}: ${reason}: ${running.said()}`);
}
