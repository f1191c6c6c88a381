/** Results on stdout, progress on stderr, colours only on terminals. */
import { stripVTControlCharacters, styleText } from 'node:util';
import { Failure } from './failure.ts';

type Style = 'bold' | 'dim' | 'green' | 'red' | 'yellow' | 'cyan';

/** The streams of the process that a command uses. */
export interface Streams {
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
  stdin: NodeJS.ReadStream;
  env: NodeJS.ProcessEnv;
}

export interface Output {
  json: boolean;
  /** Prints one line of the result, only for people: nothing with `--json`. */
  result(line: string): void;
  /** Prints the result of a command: JSON in one line with `--json`, else the text that `people` returns. */
  answer(value: object, people: () => string): void;
  /** Prints one element of a stream: as NDJSON with `--json`, else as the text. */
  element(value: object, text: string): void;
  /** Prints a line of progress. */
  progress(line: string): void;
  /** Writes bytes to stdout unchanged. */
  raw(text: string): void;
  /** Styles a text for stdout or stderr if that is a terminal and `NO_COLOR` is empty. */
  style(style: Style, text: string, on?: 'stdout' | 'stderr'): string;
}

export function createOutput({ stdout, stderr, env }: Streams, json: boolean): Output {
  const hasColours = (stream: NodeJS.WriteStream) =>
    Boolean(stream.isTTY) && !env.NO_COLOR && env.TERM !== 'dumb';
  const print = (text: string) => void stdout.write(`${text}\n`);
  const show = (text: string) => print(printableText(text, hasColours(stdout)));
  const style: Output['style'] = (style, text, on = 'stdout') =>
    hasColours(on === 'stdout' ? stdout : stderr) ? styleText(style, text, { validateStream: false }) : text;
  return {
    json,
    result: (line) => void (json || show(line)),
    answer(value, people) {
      if (json) return print(jsonLine(value));
      const text = people();
      if (text !== '') show(text);
    },
    element: (value, text) => (json ? print(jsonLine(value)) : show(text)),
    progress: (line) => void stderr.write(`${printableText(line, hasColours(stderr))}\n`),
    raw: (text) => void stdout.write(text),
    style,
  };
}

/**
 * A line of untrusted text, safe to print: without control characters that move the cursor or change the window's title. On a terminal, colours stay.
 */
export function printable(line: string, coloured: boolean): string {
  const parts = line.split(colourCode);
  // Odd parts are the colour codes that the pattern captured.
  return parts.map((part, at) => (at % 2 === 1 ? (coloured ? part : '') : plain(part))).join('');
}

/** The same for several lines, such as an error or a table: much of their text comes from the server or from an app. */
export const printableText = (text: string, coloured: boolean) =>
  text
    .split('\n')
    .map((line) => printable(line, coloured))
    .join('\n');

/** JSON in one line. `JSON.stringify` does not escape the control characters U+007F to U+009F, and terminals obey them. */
export const jsonLine = (value: object) =>
  JSON.stringify(value).replace(
    /[\u007f-\u009f]/g,
    (character) => `\\u00${character.charCodeAt(0).toString(16)}`,
  );

const colourCode = new RegExp(`(${String.fromCharCode(27)}\\[[\\d;]*m)`);
const plain = (text: string) => stripVTControlCharacters(text).replace(/[^\P{Cc}\t]/gu, '');

/** Reads stdin to its end. @throws Failure if stdin is a terminal: no data is piped in */
export async function readStdin({ stdin }: Streams, what: string): Promise<string> {
  if (stdin.isTTY) throw new Failure(`Pipe ${what} into this command.`, { exitCode: 2, code: 'usage' });
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat(chunks).toString('utf8');
}
