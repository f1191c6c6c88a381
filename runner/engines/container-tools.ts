/** Runs an engine's tools in its container. Values are passed in environment variables and on standard input, never in shell text. */
import type { Writable } from 'node:stream';

export interface ToolRun {
  /** Added to the container's own environment. */
  env?: Readonly<Record<string, string>>;
  /** Read to its end and then closed. Each piece is written before the next one is requested. */
  stdin?: AsyncIterable<Uint8Array>;
  /** Used instead of `stdin`: the path of a file or a named pipe in the container. */
  stdinFile?: string;
  /** Backpressure is respected. Ended after the program's last byte. */
  stdout?: Writable;
  /** Ends the program when it aborts. */
  signal: AbortSignal;
}

export interface ContainerTools {
  /**
   * Runs a program, given as an argument vector, and waits until it exits.
   * @returns its exit code and the end of its standard error
   * @throws the signal's reason when it was aborted
   */
  run(command: readonly string[], options: ToolRun): Promise<{ code: number; stderr: string }>;
}
