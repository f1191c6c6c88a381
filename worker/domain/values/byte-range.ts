/** The byte range in a request: RFC 9110, section 14. `first` and `last` are inclusive. */
export interface ByteRange {
  first: number;
  last: number;
  /** True: answer 206 with a part. False: answer with the whole file. */
  isPart: boolean;
}

export interface RangedFile {
  sizeBytes: number;
  checksum: string;
}

/** The entity tag of a file: its checksum, so that clients join only parts of an identical file. */
export const entityTag = ({ checksum }: Pick<RangedFile, 'checksum'>) => `"${checksum}"`;

/**
 * Parses a single byte range. For several ranges or an invalid header, the answer is the whole file, as the RFC allows. `If-Range`
 * with another tag also gives the whole file.
 * @returns null for a range beyond the end: answer 416
 */
export function byteRange(headers: Headers, file: RangedFile): ByteRange | null {
  const whole = { first: 0, last: file.sizeBytes - 1, isPart: false };
  const ifRange = headers.get('if-range');
  if (ifRange !== null && ifRange !== entityTag(file)) return whole;
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(headers.get('range')?.trim() ?? '');
  if (!match) return whole;
  const [, from = '', to = ''] = match;
  if (from === '' && to === '') return whole;
  // `-500` means the last 500 bytes.
  const first = from === '' ? Math.max(0, file.sizeBytes - Number(to)) : Number(from);
  const last = from === '' || to === '' ? whole.last : Math.min(Number(to), whole.last);
  if (from !== '' && to !== '' && Number(to) < first) return whole;
  return first > whole.last || first > last ? null : { first, last, isPart: true };
}
