/** Which part of a transfer may come next. Parts are sent in order, one after the other, each from the offset the last one ended at. */

export interface TransferProgress {
  /** Bytes of the whole transfer. */
  size: number;
  /** Bytes the client has taken. */
  passed: number;
}

export type PartVerdict =
  | 'pass' // it continues what was passed on
  | 'done' // all was passed on already: the answer to the last part was lost
  | 'wrong-offset' // the sender goes on from `passed`
  | 'too-long';

export function judgePart({ size, passed }: TransferProgress, offset: number, length: number): PartVerdict {
  if (passed === size) return 'done';
  if (offset !== passed) return 'wrong-offset';
  return offset + length > size ? 'too-long' : 'pass';
}
