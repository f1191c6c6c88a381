/** Reduces a log's tail to the lines of the failed phase: output of phases that succeeded does not explain a failure. */
import type { LogLine } from '../../../../protocol/frames.ts';

type Line = Pick<LogLine, 'stream' | 'line'>;

/** The runner writes this line at the end of each phase that succeeded (jobs/parts/attempt.ts). */
const phaseDone = /^(clone|build|start|health|switch|finish): done in /;
const warning = /^Warning: (.+)/;
/** ECMA-48 "select graphic rendition": the only escape sequences that logs keep. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the sequence begins with ESC
const colours = /\u001b\[[0-9;:]*m/g;

/** Rules only search this many characters of a line. */
const lineCharsMax = 1_000;

/**
 * The lines after the end of the last successful phase, without colours.
 * @param masked removes secrets. It gets whole lines, because cutting first could leave a part of a secret
 */
export function linesOfFailedPhase(
  tail: readonly Line[],
  masked: (line: string) => string = (line) => line,
): string[] {
  const done = tail.findLastIndex(({ stream, line }) => stream === 'system' && phaseDone.test(line));
  return tail.slice(done + 1).map(({ line }) => masked(line.replace(colours, '')).slice(0, lineCharsMax));
}

/** The runner's warnings about references that could not be resolved. */
export function warningsIn(lines: readonly Line[]): string[] {
  return lines.flatMap(({ stream, line }) => (stream === 'system' && warning.exec(line)?.[1]) || []);
}
