/**
 * The format of a line in a segment:
 *
 *   1790000000123456o2 text          id, stream (o: stdout, e: stderr, s: the platform, a: a request), number of its source, text
 *   1790000000123457o2-1 text        the same, with Docker's time equal to the id minus 1
 *   1790000000123458o2+17 {"level":"error"}text   the same, with the facts of the whole line, whose text is cut: JSON of 17 bytes
 *   1790000000123457h {"source":2,…} a source: a container, and the progress of its log
 *
 * Ids have 16 digits and increase within a service. The text contains no line feed (job-log/clean-line).
 */
import type { LoggedLine } from '../docker/logs/log-parser.ts';

export type KeptStream = LoggedLine['stream'] | 'system' | 'access';

export interface NewLine {
  /** Docker's time in microseconds since the epoch. */
  at: number;
  stream: KeptStream;
  text: string;
  /** The whole line's level and short fields, if its text is cut, as the JSON object that a search reads. */
  facts?: LineFacts | undefined;
}

/** The short fields of a line of JSON; only the level of any other line. */
export type LineFacts = Readonly<Record<string, unknown>>;

/** A container with a kept log, in a segment's form. */
export interface Source {
  source: number;
  containerId: string;
  deploymentId: string;
  /** The replica's number, from 1; absent if the service has only one, or the line is older than this field. */
  replica?: number;
  /** The latest of Docker's times of its output lines; 0 if there is none. */
  lastAt: number;
  /** The first of Docker's times before `lastAt`, after the clock of the host was set back. Absent if there is none. */
  backAt?: number | undefined;
  /** Time of the last event of the container that has a line; 0 if there is none. */
  markAt: number;
}

/** The time, in microseconds, within which lines of a container's two streams may be in another order than their times. */
export const disorderMicroseconds = 1_000_000;

/** The source has a line of this time. */
export function reach(source: Source, at: number): void {
  if (at < source.lastAt - disorderMicroseconds) source.backAt = Math.min(source.backAt ?? at, at);
  else if (at > source.lastAt) Object.assign(source, { lastAt: at, backAt: undefined });
}

/** A written line, without its text. */
export interface LineHead {
  id: number;
  at: number;
  stream: KeptStream | 'header';
  source: number;
  /** The start of the line's facts in the buffer; absent if the text is whole. */
  factsAt?: number;
  /** The start of the line's text in the buffer. */
  textAt: number;
}

export const lineFeed = 0x0a;
export const idDigits = 16;
const space = 0x20;
const letters = { stdout: 'o', stderr: 'e', system: 's', access: 'a' } as const;
const streams: Readonly<Record<number, LineHead['stream']>> = {
  111: 'stdout',
  101: 'stderr',
  115: 'system',
  97: 'access',
  104: 'header',
};

export function writtenLine(id: number, source: number, { at, stream, text, facts }: NewLine): string {
  const json = facts === undefined ? '' : JSON.stringify(facts);
  const length = json === '' ? '' : `+${Buffer.byteLength(json)}`;
  return `${id}${letters[stream]}${source}${id === at ? '' : `-${id - at}`}${length} ${json}${text}\n`;
}

export const writtenSource = (id: number, source: Source): string =>
  `${String(id).padStart(idDigits, '0')}h ${JSON.stringify(source)}\n`;

/** The id of the line that starts at this position. */
export const idAt = (bytes: Buffer, start: number): number =>
  Number(bytes.toString('latin1', start, start + idDigits));

/**
 * The head of the line between two positions, the second of which is its line feed.
 * @returns `undefined` if it is not a line: the torn end of a file after a power cut
 */
export function headOf(bytes: Buffer, start: number, end: number): LineHead | undefined {
  const id = idAt(bytes, start);
  const stream = streams[bytes[start + idDigits] ?? 0];
  const textAt = bytes.indexOf(space, start + idDigits) + 1;
  if (!Number.isSafeInteger(id) || !stream || textAt === 0 || textAt > end) return undefined;
  if (stream === 'header') return { id, at: id, stream, source: 0, textAt };
  const [numbers = '', facts] = bytes.toString('latin1', start + idDigits + 1, textAt - 1).split('+', 2);
  const [source, delta = 0] = numbers.split('-', 2);
  const head = { id, at: id - Number(delta), stream, source: Number(source), textAt };
  if (facts === undefined) return head;
  const afterFacts = textAt + Number(facts);
  return afterFacts > end ? undefined : { ...head, factsAt: textAt, textAt: afterFacts };
}

/** The facts of the whole line, if its text is cut. */
export function factsOf(bytes: Buffer, { factsAt, textAt }: LineHead): LineFacts | undefined {
  if (factsAt === undefined) return undefined;
  try {
    return JSON.parse(bytes.toString('utf8', factsAt, textAt)) as LineFacts;
  } catch {
    return undefined;
  }
}

/** The source in a header. @returns `undefined` if it is damaged */
export function sourceOf(bytes: Buffer, { textAt }: LineHead, end: number): Source | undefined {
  try {
    return JSON.parse(bytes.toString('utf8', textAt, end)) as Source;
  } catch {
    return undefined;
  }
}

/** The lines of a segment, from the first. @param from start of a line */
export function* linesOf(bytes: Buffer, from = 0): Generator<{ head: LineHead; end: number }> {
  for (let start = from; start < bytes.length; ) {
    const end = bytes.indexOf(lineFeed, start);
    if (end < 0) return;
    const head = headOf(bytes, start, end);
    if (head) yield { head, end };
    start = end + 1;
  }
}
