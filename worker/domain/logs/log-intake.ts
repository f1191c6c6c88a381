/**
 * Determines which lines of a frame are new. Runners number lines from 1 without gaps and resend what was not acknowledged, so frames
 * can be duplicated, overlap, or leave a gap after a lost one. Lines are ordered by number, never by time.
 */
import type { LogLine } from '../../../protocol/frames.ts';

/** A line of a log; `id` counts from 1 without gaps. */
export interface StoredLine extends LogLine {
  id: number;
}

/** The end of the log so far: its last line's id and time, both 0 for an empty log. */
export interface LogHead {
  received: number;
  lastAt: number;
}

/** Maximum deviation of a host's clock; times outside it are clamped. */
export const clockSkewMs = 5 * 60_000;
/** Runners truncate lines far below this. It limits a row (2 MB) even if every character is escaped. */
const lineCharsMax = 64 * 1024;

/**
 * The lines of a frame that continue the log, in order; empty for a repeat.
 * Times are clamped to `receivedAt` +- 5 min and never decrease. Unpaired surrogates become U+FFFD, because some JSON readers refuse them.
 * @param first id of `lines[0]`
 * @returns null if lines before `first` are missing: the sender must continue after `head.received`
 */
export function takeLines(
  head: LogHead,
  first: number,
  lines: readonly LogLine[],
  receivedAt: number,
): StoredLine[] | null {
  if (first > head.received + 1) return null;
  let at = head.lastAt;
  return lines.slice(head.received + 1 - first).map((line, index) => {
    at = Math.max(at, clamp(line.at, receivedAt - clockSkewMs, receivedAt + clockSkewMs));
    return {
      id: head.received + 1 + index,
      stream: line.stream,
      at,
      line: line.line.slice(0, lineCharsMax).toWellFormed(),
    };
  });
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}
