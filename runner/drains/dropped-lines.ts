/** Lines that a drain does not send: which may still wait, and how the receiver is told of those that are gone. */
import { listSegments } from '../kept-logs/segment-files.ts';
import type { DrainedLine } from './drain-formats.ts';

/** The kept logs, as far as a drain has to know them. */
export interface KeptPlaces {
  of(serviceId: string): {
    lastId: number;
    directory: string;
    /** Id of the last line that is known to be removed; 0: none is. */
    removedId: number;
  };
}

/**
 * The kept lines of a service: `firstId` is not above its first one. From `allowedId` on they may wait: the host removes the oldest segments
 * above a limit, and then nobody can count their lines.
 */
export function keptSince(
  directory: string,
  waitingBytesMax: number,
): { firstId: number; allowedId: number } {
  const segments = listSegments(directory);
  let bytes = 0;
  const above = segments.findLast((segment) => {
    bytes += segment.bytes;
    return bytes > waitingBytesMax;
  });
  const next = above && segments[segments.indexOf(above) + 1];
  return { firstId: segments[0]?.firstId ?? 0, allowedId: next?.firstId ?? 0 };
}

/** Lines of the platform that come before the lines that follow what was dropped. Each has an id of its own, below that of the first line. */
export function dropNotes(first: DrainedLine, lines: number, gaps: number): DrainedLine[] {
  const note = (before: number, line: string): DrainedLine => ({
    ...{ ...first, id: first.id - before, stream: 'system', level: 'warn', deploymentId: null, line },
  });
  return [
    ...(lines > 0
      ? [
          note(
            2,
            `${lines} line${lines === 1 ? ' was' : 's were'} dropped before this, because this drain did not take them in time.`,
          ),
        ]
      : []),
    ...(gaps > 0
      ? [note(1, 'Lines are missing before this: the host needed the space and removed them unsent.')]
      : []),
  ];
}
