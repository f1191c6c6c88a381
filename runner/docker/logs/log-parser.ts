/** Joins the frames of Docker's log connection to lines. */
import { lastStateAt } from '../../job-log/clean-line.ts';
import { longLines } from './long-lines.ts';
import { RepeatedLines } from './repeated-lines.ts';

export interface LoggedLine {
  /** Microseconds since the epoch. */
  at: number;
  stream: 'stdout' | 'stderr';
  text: string;
  /** The line was longer; the rest was dropped. */
  cut: boolean;
}

/** Each frame of a log without a terminal: stream number, three zero bytes, length, then the bytes (Engine API, attach). */
const frameHeaderBytes = 8;
/** `2026-11-21T09:45:12.123456789Z `: Docker puts it before the bytes of every frame. */
const timestampChars = 31;
/**
 * Docker splits lines at this many bytes (moby, daemon/logger/copier.go). All parts but the last have exactly this size; the `local`
 * driver of 20.10 also omits the line feed of the last one.
 */
const partBytes = 16 * 1024;
/** The rest of a longer line is dropped: a level or a field may be anywhere in a line of JSON. */
const lineBytesMax = 1024 * 1024;

interface OpenLine {
  at: number;
  /** Nanoseconds after the microsecond. */
  nanoseconds: number;
  parts: Buffer[];
  /** Size of the line so far, and of the parts of it that are in memory. */
  bytes: number;
  keptBytes: number;
}

/** Parses frames that the connection may cut anywhere, and lines that Docker may split. */
export class LogParser {
  #rest: Buffer = Buffer.alloc(0);
  readonly #open: Record<LoggedLine['stream'], OpenLine | undefined> = {
    stdout: undefined,
    stderr: undefined,
  };
  readonly #repeated = { stdout: new RepeatedLines(), stderr: new RepeatedLines() };

  push(chunk: Buffer): LoggedLine[] {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const lines: LoggedLine[] = [];
    let from = 0;
    while (from + frameHeaderBytes <= bytes.length) {
      const end = from + frameHeaderBytes + bytes.readUInt32BE(from + 4);
      if (end > bytes.length) break;
      const line = this.#take(
        bytes[from] === 2 ? 'stderr' : 'stdout',
        bytes.subarray(from + frameHeaderBytes, end),
      );
      if (line) lines.push(line);
      from = end;
    }
    this.#rest = Buffer.from(bytes.subarray(from));
    return lines;
  }

  #take(stream: LoggedLine['stream'], frame: Buffer): LoggedLine | undefined {
    const hasLineFeed = frame.at(-1) === 0x0a;
    const part = frame.subarray(timestampChars, hasLineFeed ? -1 : undefined);
    const isEnd = hasLineFeed || part.length < partBytes;
    const open = this.#open[stream] ?? { ...timeOf(frame), parts: [], bytes: 0, keptBytes: 0 };
    const text = isEnd && open.bytes === 0 ? part : overwritten(open, part);
    const wanted = Math.min(text.length, lineBytesMax - open.keptBytes);
    // A later part would be read as the continuation of a part that was left out.
    const kept = open.keptBytes < open.bytes ? 0 : longLines.take(open.keptBytes, wanted);
    open.parts.push(Buffer.from(text.subarray(0, kept)));
    open.keptBytes += kept;
    open.bytes += text.length;
    this.#open[stream] = isEnd ? undefined : open;
    if (!isEnd) return undefined;
    const { at, nanoseconds, bytes, keptBytes } = open;
    longLines.release(keptBytes);
    const whole = Buffer.concat(open.parts).toString('utf8');
    if (this.#repeated[stream].isRepeated(at, nanoseconds, whole)) return undefined;
    return { at, stream, text: whole, cut: bytes > keptBytes };
  }

  /** Reading ends here: lines without an end are dropped. */
  drop(): void {
    for (const stream of ['stdout', 'stderr'] as const) {
      longLines.release(this.#open[stream]?.keptBytes ?? 0);
      this.#open[stream] = undefined;
    }
  }
}

/**
 * A progress bar prints carriage returns for hours and no line feed. Overwritten text is dropped, so that the bar's last state, the only one
 * shown, is always read.
 */
function overwritten(open: OpenLine, part: Buffer): Buffer {
  const at = lastStateAt(part.toString('latin1'));
  if (at === 0) return part;
  longLines.release(open.keptBytes);
  Object.assign(open, { parts: [], bytes: 0, keptBytes: 0 });
  return part.subarray(at);
}

/** RFC 3339 with nanoseconds. */
function timeOf(frame: Buffer): Pick<OpenLine, 'at' | 'nanoseconds'> {
  const milliseconds = Date.parse(`${frame.toString('latin1', 0, 23)}Z`);
  const at = milliseconds * 1000 + Number(frame.toString('latin1', 23, 26));
  return { at, nanoseconds: Number(frame.toString('latin1', 26, 29)) };
}
