/** From a log's tail to the lines that a rule may look at: what a phase printed that went well explains no failure. */
import type { LogLine } from '../../../protocol/frames.ts';

type Line = Pick<LogLine, 'stream' | 'line'>;

/** jobs/parts/attempt.ts of the runner writes it at the end of each phase that went well. */
const phaseDone = /^(clone|build|start|health|switch|finish): done in /;
const warning = /^Warning: (.+)/;
/** ECMA-48 "select graphic rendition": the only escape sequences that logs keep. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the sequence begins with ESC
const colours = /\u001b\[[0-9;:]*m/g;

/** A rule that has not found its words in this much of a line finds them in no more of it. */
const lineCharsMax = 1_000;

/**
 * Lines after the end of the last phase that went well, without colours.
 * @param masked takes secrets out of whole lines: of a line that was cut a part could stay
 */
export function linesOfFailedPhase(
  tail: readonly Line[],
  masked: (line: string) => string = (line) => line,
): string[] {
  const done = tail.findLastIndex(({ stream, line }) => stream === 'system' && phaseDone.test(line));
  return tail.slice(done + 1).map(({ line }) => masked(line.replace(colours, '')).slice(0, lineCharsMax));
}

/** What the runner said at the start about references that could not be resolved. */
export function warningsIn(lines: readonly Line[]): string[] {
  return lines.flatMap(({ stream, line }) => (stream === 'system' && warning.exec(line)?.[1]) || []);
}
