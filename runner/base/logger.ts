/** The runner's own log: one line per event on stderr, with time and level. Secrets and job output never go here. */

export interface Logger {
  info(message: string): void;
  warn(message: string): void;
  /** @param error its stack follows on separate lines */
  error(message: string, error?: unknown): void;
}

/** @param write receives whole lines, including the line feed */
export function createLogger(write: (text: string) => void = (text) => process.stderr.write(text)): Logger {
  const say = (level: string, message: string) =>
    write(`${new Date().toISOString()} ${level} ${withoutForgery(message)}\n`);
  return {
    info: (message) => say('info', message),
    warn: (message) => say('warn', message),
    error: (message, error) => say('error', error === undefined ? message : `${message}: ${detailOf(error)}`),
  };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches them
const controlCharacters = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** Messages may quote users: only an event begins at the start of a line, and no control character reaches the terminal. */
const withoutForgery = (text: string) =>
  text
    .replaceAll('\r\n', '\n')
    .replace(controlCharacters, ' ')
    .replace(/\n(?! )/g, '\n  ');

/** The error's message, without its stack. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function detailOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? '' : `\n  caused by ${detailOf(error.cause)}`;
  return `${error.stack ?? error.message}${cause}`;
}
