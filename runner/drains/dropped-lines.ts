/** The lines that a drain does not send: which lines may still wait, and the notes to the receiver about dropped ones. */
import { listSegments } from '../kept-logs/segment-files.ts';
import type { DrainedLine } from './drain-formats.ts';

/** The facts about kept logs that a drain needs. */
export interface KeptPlaces {
  of(serviceId: string): {
    lastId: number;
    directory: string;
    /** Id of the last line that is known to be removed; 0 if none is. */
    removedId: number;
  };
}

/**
 * The kept lines of a service: `firstId` is not above the first of them. Lines from `allowedId` on may wait: the host removes the oldest
 * segments above a limit, and then their lines can't be counted.
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

/** Notes of the platform before the first line after dropped ones. Each has its own id, below that of the first line. */
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
