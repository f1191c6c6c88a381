/** What a program said last, for the sentence that says why it did not come up. */
import { readFileSync } from 'node:fs';

const lengthMax = 300;

/** The last line of a log that is not empty, cut to a length a terminal bears; empty when there is none. */
export function lastLine(logFile: string): string {
  try {
    return readFileSync(logFile, 'utf8').trim().split('\n').at(-1)?.slice(0, lengthMax) ?? '';
  } catch {
    return '';
  }
}
