/** The output for the terminal. Progress and the box go to stdout, errors to stderr; colour is only used on a terminal. */
import { StartError } from './start-error.ts';

export interface Output {
  print(line: string): void;
  /** Prints a detail of the current step. */
  say(line: string): void;
  /** Runs a step and prints how long it took, however short it was, so that the list is the same every time. */
  step<Result>(name: string, work: () => Promise<Result>): Promise<Result>;
  box(lines: string[]): void;
  fail(error: unknown): void;
}

/** A message from a detached start to the process that waits for it. */
export interface OutputMessage {
  stream: 'stdout' | 'stderr';
  text: string;
}

export interface OutputTarget {
  write(stream: 'stdout' | 'stderr', text: string): void;
  colour: boolean;
  now(): number;
}

/** The process's own streams. A detached start also sends its output to the waiting parent. */
export function processTarget(): OutputTarget {
  return {
    write(stream, text) {
      process[stream].write(`${text}\n`);
      if (process.connected) process.send?.({ stream, text } satisfies OutputMessage, () => {});
    },
    colour: process.stdout.isTTY === true && (process.env.NO_COLOR ?? '') === '',
    now: () => performance.now(),
  };
}

export function createOutput(target: OutputTarget): Output {
  const dim = (text: string) => (target.colour ? `\u001b[2m${text}\u001b[22m` : text);
  const bold = (text: string) => (target.colour ? `\u001b[1m${text}\u001b[22m` : text);
  const say = (line: string) => target.write('stdout', line);
  return {
    print: say,
    say: (line) => say(dim(`  ${line}`)),
    async step(name, work) {
      const from = target.now();
      const result = await work();
      say(`${name.padEnd(stepWidth)} ${dim(seconds(target.now() - from))}`);
      return result;
    },
    box(lines) {
      // The box has no sides, so that commands can be copied as whole lines.
      const edge = '─'.repeat(ruleLength);
      say(edge);
      for (const line of lines) say(line.startsWith('  ') ? bold(line) : line);
      say(edge);
    },
    fail(error) {
      for (const line of errorLines(error)) target.write('stderr', line);
    },
  };
}

const stepWidth = 34;
const ruleLength = 80;

const seconds = (ms: number) => `${(ms / 1000).toFixed(1).padStart(6)} s`;

/** A StartError is one sentence and perhaps a command. Any other error is a bug, and its stack is shown. */
export function errorLines(error: unknown): string[] {
  if (error instanceof StartError) {
    return [
      `error: ${error.message}`,
      ...(error.command === undefined ? [] : ['', `  ${error.command}`, '']),
    ];
  }
  return [`error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`];
}
