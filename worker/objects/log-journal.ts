/**
 * One log: the received lines, how many of them are on disk, and whether the log has ended. It has no sockets or timers; the object
 * that contains it decides when to store. Received lines that are not on disk yet are in a buffer of about one chunk.
 */
import type { LogLine } from '../../protocol/frames.ts';
import type { LogEnding } from '../domain/logs/log-events.ts';
import { type LogHead, type StoredLine, takeLines } from '../domain/logs/log-intake.ts';
import { LogChunkTable, type PackedChunk, packed } from './log-chunk-table.ts';

/** Characters per row; a frame of up to twice this size is one row. */
const chunkChars = 64 * 1024;
/** Size of a line's stream, time and punctuation, in addition to its text. */
const lineOverheadChars = 48;

export class LogJournal {
  readonly #table: LogChunkTable;
  #buffer: StoredLine[] = [];
  #bufferChars = 0;
  #head: LogHead;
  #outcome: LogEnding | undefined;

  constructor(sql: SqlStorage) {
    this.#table = new LogChunkTable(sql);
    const last = this.#table.lastLine();
    this.#head = { received: last?.id ?? 0, lastAt: last?.at ?? 0 };
    this.#outcome = this.#table.outcome();
  }

  /** Id of the last received line. */
  get received(): number {
    return this.#head.received;
  }
  /** Id of the last line on disk. */
  get stored(): number {
    return this.#head.received - this.#buffer.length;
  }
  /** Set when the deployment is final, and never changed after that. */
  get outcome(): LogEnding | undefined {
    return this.#outcome;
  }
  /**
   * Adds the new lines of a frame to the buffer.
   * @returns those lines; null if lines before `first` are missing
   */
  receive(first: number, lines: readonly LogLine[], receivedAt: number): StoredLine[] | null {
    const fresh = takeLines(this.#head, first, lines, receivedAt);
    const last = fresh?.at(-1);
    if (!fresh || !last) return fresh;
    this.#head = { received: last.id, lastAt: last.at };
    for (const line of fresh) {
      this.#buffer.push(line);
      this.#bufferChars += sizeOf(line);
    }
    return fresh;
  }

  /** Writes the buffer: one row, or several if a single frame was larger than a chunk. After an error the buffer still has the lines. */
  store(): void {
    for (const chunk of inChunks(this.#buffer)) {
      this.#table.insert(chunk);
      this.#buffer = this.#buffer.slice(chunk.length);
    }
    this.#bufferChars = 0;
  }

  /** Marks the end. The buffer must have been stored. */
  end(ending: LogEnding): void {
    if (this.#outcome) return;
    this.#table.setOutcome(ending);
    this.#outcome = ending;
  }

  /** Compresses a log that has ended. Its lines and their ids do not change. */
  compress(storage: DurableObjectStorage): void {
    this.#table.compress(storage, inChunks);
  }

  /** All lines, one stored row at a time. */
  chunks(): Generator<StoredLine[]> {
    return this.#chunksAfter(0);
  }

  /**
   * Fills the empty log with these lines, all or nothing: they are compressed as they arrive, and written together.
   * @returns false if other lines arrived, or there are none; nothing was written then
   */
  async load(storage: DurableObjectStorage, lines: AsyncIterable<StoredLine>): Promise<boolean> {
    const chunks: PackedChunk[] = [];
    let waiting: StoredLine[] = [];
    let size = 0;
    for await (const line of lines) {
      waiting.push(line);
      size += sizeOf(line);
      if (size < 2 * chunkChars) continue;
      chunks.push(packed(waiting));
      [waiting, size] = [[], 0];
    }
    if (waiting.length > 0) chunks.push(packed(waiting));
    if (chunks.length === 0 || this.#head.received > 0 || this.#outcome) return false;
    this.#table.load(storage, chunks);
    const last = this.#table.lastLine();
    this.#head = { received: last?.id ?? 0, lastAt: last?.at ?? 0 };
    return true;
  }

  /** Lines above `after`: whole chunks until `chars` is reached. Empty only if there are no such lines. */
  readAfter(after: number, chars: number): StoredLine[] {
    const page: StoredLine[] = [];
    let size = 0;
    for (const chunk of this.#chunksAfter(after)) {
      for (const line of chunk) {
        page.push(line);
        size += sizeOf(line);
      }
      if (size >= chars) break;
    }
    return page;
  }

  /** The last lines, in order: whole chunks until `chars` is reached. */
  readTail(chars: number): StoredLine[] {
    let tail = this.#buffer;
    let size = this.#bufferChars;
    if (size >= chars) return tail;
    for (const chunk of this.#table.newestChunks()) {
      tail = [...chunk, ...tail];
      for (const line of chunk) size += sizeOf(line);
      if (size >= chars) break;
    }
    return tail;
  }

  /** Resets the journal after the storage was emptied. @param closed whether it accepts no more lines until the object restarts */
  forget(closed: boolean): void {
    this.#table.forget();
    this.#buffer = [];
    this.#bufferChars = 0;
    this.#head = { received: 0, lastAt: 0 };
    this.#outcome = closed ? { ok: false } : undefined;
  }

  *#chunksAfter(after: number): Generator<StoredLine[]> {
    yield* this.#table.chunksAfter(after);
    const buffered = this.#buffer.filter((line) => line.id > after);
    if (buffered.length > 0) yield buffered;
  }
}

function sizeOf(line: StoredLine): number {
  return line.line.length + lineOverheadChars;
}

function* inChunks(lines: Iterable<StoredLine>): Generator<StoredLine[]> {
  let chunk: StoredLine[] = [];
  let size = 0;
  for (const line of lines) {
    chunk.push(line);
    size += sizeOf(line);
    // Twice the chunk size: the frame that triggers a write may exceed it, and the result should still be one row.
    if (size < 2 * chunkChars) continue;
    yield chunk;
    chunk = [];
    size = 0;
  }
  if (chunk.length > 0) yield chunk;
}
