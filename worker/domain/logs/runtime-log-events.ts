/** The text of a running container's log as clients receive it. The escaping rules are those of log-events. */
import type { RuntimeLine } from '../../../protocol/frames.ts';
import { snapshotEnd, snapshotStart } from './log-events.ts';

/** The first event of a stream. */
export function runtimeSnapshot(lines: readonly RuntimeLine[]): string {
  return `${snapshotStart}${lines.map(runtimeEntry).join(',')}${snapshotEnd(lines.at(-1)?.id ?? null)}`;
}

/** One `log` event per line, concatenated. */
export function runtimeEvents(lines: readonly RuntimeLine[]): string {
  return lines.map((line) => `event: log\nid: ${line.id}\ndata: ${runtimeEntry(line)}\n\n`).join('');
}

function runtimeEntry({ id, line, stream, replica }: RuntimeLine): string {
  return JSON.stringify({
    id,
    line: line.toWellFormed(),
    stream,
    createdAt: new Date(id / 1000).toISOString(),
    replica,
  });
}
