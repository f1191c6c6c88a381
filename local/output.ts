/** What the person at the terminal reads. Progress and the box go to stdout, errors to stderr; colour only on a terminal. */
import { StartError } from './start-error.ts';

export interface Output {
  /** One line as it is. */
  print(line: string): void;
  /** What happens within a step. */
  say(line: string): void;
  /** Runs a step and says how long it took; steps under `quietBelowMs` are said too, so that the list is the same every time. */
  step<Result>(name: string, work: () => Promise<Result>): Promise<Result>;
  box(lines: string[]): void;
  fail(error: unknown): void;
}

/** What a detached start sends to the process that waits for it. */
export interface OutputMessage {
  stream: 'stdout' | 'stderr';
  text: string;
}

export interface OutputTarget {
  write(stream: 'stdout' | 'stderr', text: string): void;
  colour: boolean;
  now(): number;
}

/** The process's own streams; a detached start tells its waiting parent as well. */
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
      // Open at the sides: commands can be copied as whole lines.
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

/** A StartError is one sentence and perhaps a command; anything else is a bug and shows where it happened. */
export function errorLines(error: unknown): string[] {
  if (error instanceof StartError) {
    return [
      `error: ${error.message}`,
      ...(error.command === undefined ? [] : ['', `  ${error.command}`, '']),
    ];
  }
  return [`error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`];
}
