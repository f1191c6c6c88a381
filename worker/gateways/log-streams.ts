/** How use cases reach build logs: one LogStream object a deployment. */
import type { LogLine } from '../../protocol/frames.ts';

/** A stored line; `id` counts from 1 without gaps. */
export interface StoredLine extends LogLine {
  id: number;
}

export interface LogStreams {
  /**
   * Stored lines with an id above `after`, in order, at most about 256 KB of text a call.
   * @returns `more` when lines remain: call again with the last id.
   */
  read(deploymentId: string, after: number): Promise<{ lines: StoredLine[]; more: boolean }>;
  /** A WebSocket on which the object sends finished Server-Sent Events text: the snapshot after `after`, then every line as it comes. */
  subscribe(deploymentId: string, after: number): Promise<WebSocket>;
  /**
   * The deployment is final: writes what is buffered, adds `line` (stream `system`) if given, sends `status {ok, closed: true}` to all
   * subscribers and closes them. Later lines are acknowledged and dropped. Repeats change nothing.
   */
  finish(deploymentId: string, end: { ok: boolean; line?: string }): Promise<void>;
  /** Empties the object. */
  purge(deploymentId: string): Promise<void>;
}
