/**
 * Splits the output of a command in a container into its two streams as it arrives. It passes bytes on without first collecting a whole
 * frame: a tool that writes 4 KB at a time produces one frame per write. dockerode's own splitter never waits for a slow reader.
 */
import type { Readable, Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { StringDecoder } from 'node:string_decoder';

/** Stream number, three zero bytes, length: Engine API, "attach", multiplexed stream. */
const frameHeaderBytes = 8;
const stderrStream = 2;
/** The size of the end of stderr that is kept. A failing tool prints the reason last; earlier output is progress. */
const stderrBytesMax = 16 * 1024;
/** The first line of stderr: the process id. An image's own `sh` may print other text instead. */
const firstLine = /^(\d{1,10})\n/;
const firstLineCharsMax = 11;
const nothing: Buffer = Buffer.alloc(0);

export class ExecOutput {
  readonly #stdout: Writable | undefined;
  readonly #begun: (() => void) | undefined;
  readonly #decoder = new StringDecoder('utf8');
  #stderr = '';
  /** The part of a frame's header that has arrived. */
  #header = nothing;
  #stream = 0;
  /** Remaining bytes of the frame. */
  #left = 0;
  #isPastFirstLine = false;
  /** The process id, once its first line has arrived. */
  pid: string | undefined;

  /**
   * @param stdout is ended after the last byte
   * @param begun called when the process id is known
   */
  constructor(stdout: Writable | undefined, begun?: () => void) {
    this.#stdout = stdout;
    this.#begun = begun;
  }

  get stderr(): string {
    return this.#stderr.trim();
  }

  /** @throws errors of `stdout` and of the connection */
  async readFrom(stream: Readable): Promise<void> {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      const printed = this.#stdoutOf(chunk);
      if (this.#stdout && printed.length > 0) await give(this.#stdout, printed);
    }
    if (this.#stdout) {
      this.#stdout.end();
      await finished(this.#stdout, { readable: false });
    }
  }

  /** @param chunk is overwritten: standard output is moved to its start, because copies of gigabytes would create garbage */
  #stdoutOf(chunk: Buffer): Buffer {
    let printed = 0;
    for (let at = 0; at < chunk.length; ) {
      if (this.#left === 0) {
        at += this.#beginFrame(chunk.subarray(at, at + frameHeaderBytes - this.#header.length));
        continue;
      }
      const end = Math.min(chunk.length, at + this.#left);
      if (this.#stream === stderrStream) this.#addStderr(chunk.subarray(at, end));
      else printed += chunk.copy(chunk, printed, at, end);
      this.#left -= end - at;
      at = end;
    }
    return chunk.subarray(0, printed);
  }

  /** @returns the number of bytes consumed */
  #beginFrame(bytes: Buffer): number {
    const header = this.#header.length === 0 ? bytes : Buffer.concat([this.#header, bytes]);
    const isWhole = header.length === frameHeaderBytes;
    this.#header = isWhole ? nothing : Buffer.from(header);
    if (isWhole) {
      this.#stream = header.readUInt8(0);
      this.#left = header.readUInt32BE(4);
    }
    return bytes.length;
  }

  #addStderr(bytes: Buffer): void {
    this.#stderr += this.#decoder.write(bytes);
    if (!this.#isPastFirstLine) this.#readFirstLine();
    this.#stderr = this.#stderr.slice(-stderrBytesMax);
  }

  #readFirstLine(): void {
    const [line, pid] = firstLine.exec(this.#stderr) ?? [];
    this.#isPastFirstLine = line !== undefined || this.#stderr.length >= firstLineCharsMax;
    if (line === undefined) return;
    this.pid = pid;
    this.#stderr = this.#stderr.slice(line.length);
    this.#begun?.();
  }
}

/** An error between two writes is not reported again, so it is checked first. @throws the error that broke the sink */
async function give(sink: Writable, bytes: Buffer): Promise<void> {
  refuseBroken(sink);
  if (sink.write(bytes)) return;
  if (!sink.destroyed) {
    await new Promise<void>((resolve) => {
      const done = () => {
        sink.off('drain', done).off('close', done);
        resolve();
      };
      sink.on('drain', done).on('close', done);
    });
  }
  refuseBroken(sink);
}

function refuseBroken(sink: Writable): void {
  if (sink.destroyed) throw sink.errored ?? new Error('The output of the program is no longer read.');
}
