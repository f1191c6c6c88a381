/**
 * Flow control between a LogStream and one of its readers, both sides of it: the object sends ahead at most a window of text,
 * the reader grants what it has passed on. Nothing piles up for a slow client; what it has not taken yet is read from disk later.
 */

/** Text on the way to one reader, in bytes. */
export const readWindowBytes = 512 * 1024;
/** The reader grants in steps of this, so that grants are few (they wake the object). */
export const grantStepBytes = 128 * 1024;

/** Where a reader of a log stands; kept in its socket's attachment, so that it survives the object's hibernation. */
export interface ReaderPlace {
  /** Stands in every entry. In here because an object that a socket wakes is not sure to know its own name. */
  deploymentId: string;
  /** Id of the last line sent. */
  sent: number;
  /** The snapshot ends with this line; lines above are `log` events. */
  snapshotUntil: number;
  /** `snapshot`: its first part is not out yet. `entries`: the array is open. `live`: the snapshot is complete. */
  stage: 'snapshot' | 'entries' | 'live';
  /** Text that may still be sent; below zero after a piece that was larger than what was left. */
  credit: number;
}

/** @returns the credit after a grant; null if the message is none. */
export function withGrant(credit: number, message: string | ArrayBuffer): number | null {
  if (typeof message !== 'string' || !/^[1-9]\d{0,8}$/.test(message)) return null;
  return Math.min(readWindowBytes, credit + Number(message));
}

/** Some lines of a log as finished text. */
export interface LogPage {
  /** Deployment log entries as JSON objects with commas between. */
  entries: string;
  /** How many they are. */
  count: number;
  /** Id of the last one; where the page began, for an empty page. */
  last: number;
  /** Lines remain: call again with `last`. */
  more: boolean;
}
