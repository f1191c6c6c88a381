/** How an engine runs the tools in its container. Values reach them by the environment and by standard input, never by a shell's text. */
import type { Writable } from 'node:stream';

export interface ToolRun {
  /** Beside the container's own. */
  env?: Readonly<Record<string, string>>;
  /** Read to its end, and closed then. Each piece is written before the next is asked for. */
  stdin?: AsyncIterable<Uint8Array>;
  /** Instead of `stdin`: path of a file or a named pipe in the container. */
  stdinFile?: string;
  /** Is waited for when it is slow, and ended with the program's last byte. */
  stdout?: Writable;
  /** Ends the program. */
  signal: AbortSignal;
}

export interface ContainerTools {
  /**
   * Runs a program, given as its argument vector, and waits for its end.
   * @returns its exit code and the last of what it said on standard error
   * @throws the signal's reason when it was aborted
   */
  run(command: readonly string[], options: ToolRun): Promise<{ code: number; stderr: string }>;
}
