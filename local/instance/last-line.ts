/** The last output of a program, for the message that explains why it did not start. */
import { readFileSync } from 'node:fs';

const lengthMax = 300;

/** The last non-empty line of a log, cut to a length that fits a terminal; empty when there is none. */
export function lastLine(logFile: string): string {
  try {
    return readFileSync(logFile, 'utf8').trim().split('\n').at(-1)?.slice(0, lengthMax) ?? '';
  } catch {
    return '';
  }
}
