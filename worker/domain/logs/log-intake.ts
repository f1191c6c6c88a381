/**
 * Which lines of a frame are new. Runners number lines from 1 without gaps and send again what was not acknowledged,
 * so frames come twice, overlap, or (after a lost one) leave a gap. Order is the number's, never the clock's.
 */
import type { LogLine } from '../../../protocol/frames.ts';

/** A line of a log; `id` counts from 1 without gaps. */
export interface StoredLine extends LogLine {
  id: number;
}

/** What the log holds so far: its last line's id and time, both 0 for an empty one. */
export interface LogHead {
  received: number;
  lastAt: number;
}

/** A host's clock may be this far off before its times are not believed. */
export const clockSkewMs = 5 * 60_000;
/** Runners cut lines far below this; it bounds a row (2 MB) even if every character is escaped. */
const lineCharsMax = 64 * 1024;

/**
 * The lines of a frame that continue the log, in order; empty for a repeat.
 * Times are clamped to `receivedAt` +- 5 min and never decrease; unpaired surrogates become U+FFFD, for JSON readers that refuse them.
 * @param first id of `lines[0]`.
 * @returns null when lines before `first` are missing: the sender goes back to the line after `head.received`.
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
