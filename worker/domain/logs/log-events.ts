/**
 * The text of build logs, logs of running containers and followed searches in the form for clients: entries, and Server-Sent
 * Events. Line breaks in a log line are escaped inside JSON strings, so no line can end an event or start another field
 * (https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation).
 */
import type { RuntimeLine } from '../../../protocol/frames.ts';
import { type FoundLine, serviceOfLog } from '../../../protocol/logs/kept-logs.ts';
import { type LogPositions, logCursor } from './log-cursor.ts';
import type { StoredLine } from './log-intake.ts';
import { normalPaceMs } from './log-pace.ts';

/** Deployment log entries as JSON objects, separated by commas. */
export function logEntries(deploymentId: string, lines: readonly StoredLine[]): string {
  return lines.map((line) => logEntry(deploymentId, line)).join(',');
}

/** One `log` event per line, concatenated. */
export function logEvents(deploymentId: string, lines: readonly StoredLine[]): string {
  return lines
    .map((line) => `event: log\nid: ${line.id}\ndata: ${logEntry(deploymentId, line)}\n\n`)
    .join('');
}

/** A `snapshot` event can be long, so it is written in parts: this start, then comma-separated entries, then `snapshotEnd`. */
export const snapshotStart = 'event: snapshot\ndata: [';

/** @param lastId id of the snapshot's last entry; null if it is empty, which keeps the reader's last event id. */
export function snapshotEnd(lastId: number | null): string {
  return lastId === null ? ']\n\n' : `]\nid: ${lastId}\n\n`;
}

/** The outcome of a deployment. Logs that ended before the other fields existed have only `ok`. */
export interface LogEnding {
  ok: boolean;
  status?: 'running' | 'failed' | 'aborted';
  /** Failure code; `null` without a failure. */
  code?: string | null;
  error?: string | null;
}

/** The last event of a stream; for a build log it contains the deployment's outcome. */
export function statusEvent({ ok, ...ending }: LogEnding): string {
  return `event: status\ndata: ${JSON.stringify({ ok, closed: true, ...ending })}\n\n`;
}

/** What a reader of a followed search has not got. Sent before the lines after a gap, and when it changes. */
export interface FollowState {
  /** Lines that match and are left out here, because more came than a reader is sent. */
  skippedLines: number;
  /** Whether all of them were counted. */
  isExact: boolean;
  /** How old the newest line is that was searched, while older ones are still searched; 0: the stream is at its end. */
  behindMs: number;
  /** Hosts that did not answer. */
  hostsAway: readonly { runnerId: string; hostName: string; reason: string }[];
}

export const stateEvent = (state: FollowState): string => `event: state\ndata: ${JSON.stringify(state)}\n\n`;

/**
 * Reports that lines are sent less often, or at the normal pace again. Clients that do not know the event
 * ignore it (https://html.spec.whatwg.org/multipage/server-sent-events.html#dispatchMessage).
 * @param cause why the pace is slower: the day's budget of requests, or too many readers for the machine
 */
export function paceEvent(everyMs: number, cause: keyof typeof paceReasons = 'budget'): string {
  const reason = everyMs > normalPaceMs ? paceReasons[cause] : null;
  return `event: pace\ndata: ${JSON.stringify({ everyMs, reason })}\n\n`;
}

const paceReasons = {
  budget: "Lines come less often, because most of the day's budget of requests is used.",
  readers: 'Lines come less often, in larger pieces, because this log has many readers and prints a lot.',
};

/** @param t epoch milliseconds. */
export function pingEvent(t: number): string {
  return `event: ping\ndata: ${JSON.stringify({ t })}\n\n`;
}

/** True if another event may be written here. JSON contains no bare line feed, so a blank line always ends an event. */
export function endsEvent(text: Uint8Array): boolean {
  return text.at(-1) === lineFeed && text.at(-2) === lineFeed;
}

const lineFeed = 0x0a;

function logEntry(deploymentId: string, { id, line, stream, at }: StoredLine): string {
  return JSON.stringify({ id, deploymentId, line, stream, createdAt: new Date(at).toISOString() });
}

/** A found line as the API shows it. */
export const foundEntry = ({ id, serviceId, deploymentId, stream, level, replica, line }: FoundLine) => ({
  ...{ id, serviceId: serviceOfLog(serviceId), deploymentId, stream, level },
  ...(replica !== undefined && { replica }),
  line: line.toWellFormed(),
  createdAt: new Date(id / 1000).toISOString(),
});

/** Lines and the place after them in one event: a reader receives both, or neither and gets them again. */
export const linesEvent = (lines: readonly FoundLine[], next: LogPositions): string =>
  `event: lines\nid: ${logCursor(next)}\ndata: ${JSON.stringify(lines.map(foundEntry))}\n\n`;

/** The first event of the stream of a running container's log. */
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

/** The line for readers of a log when its service moves, because each host has a log of its own. */
export const movedLine =
  'The service has moved to another host. Open the stream again to follow it there; what it has printed there until now is found by a search.';
