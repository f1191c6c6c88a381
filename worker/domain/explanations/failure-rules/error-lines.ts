/** Which lines of a log say the error. */
import type { Failure } from './failure.ts';

/** Lines that programs or the platform print after an error, without information about it. */
const trailers =
  /^(Failed \(|\w+: ended after|npm notice|npm error A complete log|Node\.js v\d|\s+at |\s*[{}]\s*$)/;
/** `Error: DATABASE_URL missing`, `java.lang.IllegalStateException: ...`, `panic: ...`. */
export const errorLine =
  /^\s*(?:Uncaught |Caused by: )?(?:[\w.$]*(?:Error|Exception)\b[^:]*:|(?:fatal|panic|error)\b)/i;

export const saidBy = ({ lines }: Failure) =>
  lines.filter((line) => line.trim() !== '' && !trailers.test(line));
export const lastErrorIn = (said: readonly string[]) => said.findLast((line) => errorLine.test(line));

/** Lines of the log that are shown before and after the one with the error: ten together. */
const linesBefore = 5;
const linesAfter = 4;

/** A line beside the error. */
export interface LineAround {
  /** Its index in `Failure.lines`. */
  index: number;
  text: string;
  isError: boolean;
}

/**
 * The lines around the error; empty for an empty log.
 * @param found index of the line that the rule found; null: the last one that looks like an error, or the host's sentence
 */
export function linesAround({ lines }: Pick<Failure, 'lines'>, found: number | null): LineAround[] {
  const last = (holds: (line: string) => boolean) => {
    const index = lines.findLastIndex((line) => line.trim() !== '' && holds(line));
    return index === -1 ? null : index;
  };
  const at =
    found ??
    last((line) => !trailers.test(line) && errorLine.test(line)) ??
    last((line) => line.startsWith('Failed (')) ??
    last((line) => !trailers.test(line)) ??
    last(() => true);
  if (at === null) return [];
  const first = Math.max(0, Math.min(at - linesBefore, lines.length - linesBefore - linesAfter - 1));
  return lines
    .slice(first, first + linesBefore + 1 + linesAfter)
    .map((text, index) => ({ index: first + index, text, isError: first + index === at }));
}
