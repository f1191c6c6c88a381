/** Decides whether a part of a transfer is accepted. Parts are sent one at a time and in order, each from the offset where the last ended. */

export interface TransferProgress {
  /** Bytes of the whole transfer. */
  size: number;
  /** Bytes that the client has received. */
  passed: number;
}

export type PartVerdict =
  | 'pass' // it continues the transfer
  | 'done' // everything was already passed on: the reply to the last part was lost
  | 'wrong-offset' // the sender continues from `passed`
  | 'too-long';

export function checkPart({ size, passed }: TransferProgress, offset: number, length: number): PartVerdict {
  if (passed === size) return 'done';
  if (offset !== passed) return 'wrong-offset';
  return offset + length > size ? 'too-long' : 'pass';
}
