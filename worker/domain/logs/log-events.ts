/**
 * The text of a build log as clients receive it: log entries, and Server-Sent Events.
 * Line breaks in a log line are escaped inside JSON strings, so no line can end an event or start another field
 * (https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation).
 */
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

/** How a deployment ended. Logs that ended before these fields existed have `ok` alone. */
export interface LogEnding {
  ok: boolean;
  status?: 'running' | 'failed' | 'aborted';
  /** Of a failure; otherwise null. */
  code?: string | null;
  error?: string | null;
}

/** The last event of a stream: of a build log with the ending of its deployment. */
export function statusEvent({ ok, ...ending }: LogEnding): string {
  return `event: status\ndata: ${JSON.stringify({ ok, closed: true, ...ending })}\n\n`;
}

/**
 * Lines come less often, or as often as usual again. Clients that do not know the event ignore it
 * (https://html.spec.whatwg.org/multipage/server-sent-events.html#dispatchMessage).
 * @param cause why they come less often: the day's budget of requests, or more readers than the machine carries
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
