/** Which bytes of a file a request asks for: RFC 9110, section 14. */

/** `first` to `last`, both of them included; the whole file when the request asks for no part of it. */
export interface ByteRange {
  first: number;
  last: number;
  /** A part, answered with 206. */
  isPart: boolean;
}

export interface RangedFile {
  sizeBytes: number;
  checksum: string;
}

/** The entity tag of a file: its checksum, so that a part can only be joined to parts of the very same bytes. */
export const entityTag = ({ checksum }: Pick<RangedFile, 'checksum'>) => `"${checksum}"`;

/**
 * One range of bytes; of several, and of what is not understood, the whole file is the answer, as the RFC allows.
 * `If-Range` with another tag gives the whole file.
 * @returns null for a range that lies beyond the end: 416
 */
export function byteRange(headers: Headers, file: RangedFile): ByteRange | null {
  const whole = { first: 0, last: file.sizeBytes - 1, isPart: false };
  const ifRange = headers.get('if-range');
  if (ifRange !== null && ifRange !== entityTag(file)) return whole;
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(headers.get('range')?.trim() ?? '');
  if (!match) return whole;
  const [, from = '', to = ''] = match;
  if (from === '' && to === '') return whole;
  // `-500`: the last 500 bytes.
  const first = from === '' ? Math.max(0, file.sizeBytes - Number(to)) : Number(from);
  const last = from === '' || to === '' ? whole.last : Math.min(Number(to), whole.last);
  if (from !== '' && to !== '' && Number(to) < first) return whole;
  return first > whole.last || first > last ? null : { first, last, isPart: true };
}
