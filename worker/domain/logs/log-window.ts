/**
 * Flow control between a LogStream and each reader, for both sides. The object sends at most one window of text ahead, and the reader
 * grants as much as it has passed on. Nothing accumulates for a slow client: the rest is read from disk later.
 */

/** Maximum bytes in transit to one reader. */
export const readWindowBytes = 512 * 1024;
/** The reader grants in steps of this size, because every grant wakes up the object. */
export const grantStepBytes = 128 * 1024;

/** A reader's position in a log, kept in its socket's attachment so that it survives the object's hibernation. */
export interface ReaderPlace {
  /** Part of every entry. Stored here, because an object may not know its own name when a socket wakes it up. */
  deploymentId: string;
  /** Id of the last line sent. */
  sent: number;
  /** The last line of the snapshot; lines after it are `log` events. */
  snapshotUntil: number;
  /** `snapshot`: nothing was sent yet. `entries`: the snapshot's array is open. `live`: the snapshot is complete. */
  stage: 'snapshot' | 'entries' | 'live';
  /** Bytes that may still be sent; negative after a piece larger than the remaining credit. */
  credit: number;
  /** The last pace that the reader was informed of; absent for the normal pace. */
  paceMs?: number;
}

/** @returns the credit after a grant; null if the message is not a grant. */
export function withGrant(credit: number, message: string | ArrayBuffer): number | null {
  if (typeof message !== 'string' || !/^[1-9]\d{0,8}$/.test(message)) return null;
  return Math.min(readWindowBytes, credit + Number(message));
}

/** Some lines of a log as finished text. */
export interface LogPage {
  /** Deployment log entries as comma-separated JSON objects. */
  entries: string;
  count: number;
  /** Id of the last entry; for an empty page, the id that the page started after. */
  last: number;
  /** Whether more lines remain: call again with `last`. */
  more: boolean;
}
