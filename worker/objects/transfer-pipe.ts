/**
 * Connects a client that waits for bytes with a runner that sends them. The runner sends parts, because a request body is limited (100 MB
 * on the free plan). Bytes are passed on directly: nothing is stored, and at most one read is in memory.
 * Bytes are counted per read, so an interrupted part can be continued at the exact byte.
 */

/** The transfer ends if no byte has moved for this long. */
const transferIdleMs = 60_000;
/** Bytes per read; larger reads need fewer iterations. */
const readBytes = 256 * 1024;

/** The end of a part. `offset`: number of bytes that the client has received, where the next part must start. */
export type PartOutcome =
  | { result: 'passed' | 'wrong-offset' | 'too-long' | 'broken'; offset: number }
  /** The client disconnected, or nothing moved for too long: the sender must stop. */
  | { result: 'over' };

/** `taken`: another client is already receiving. `no-sender`: no part arrived in time. */
export type ReceiveOutcome = ReadableStream | 'taken' | 'no-sender';

interface Part {
  reader: ReadableStreamBYOBReader;
  ended: Promise<boolean>;
}
interface Receiver {
  size: number;
  passed: number;
  writer: WritableStreamDefaultWriter<Uint8Array>;
}

export class TransferPipe {
  readonly #idleMs: number;
  readonly #arrival = Promise.withResolvers<void>();
  readonly #start = Promise.withResolvers<void>();
  #receiver: Receiver | undefined;
  #part: Part | undefined;
  #over = false;
  #idle: ReturnType<typeof setTimeout> | undefined;

  constructor(idleMs: number = transferIdleMs) {
    this.#idleMs = idleMs;
  }

  /** The client's side: waits for the first part. The body has exactly `size` bytes, or ends with an error. */
  async receive(size: number): Promise<ReceiveOutcome> {
    if (this.#receiver) return 'taken';
    if (this.#over) return 'no-sender';
    const { readable, writable } = new FixedLengthStream(size);
    const writer: WritableStreamDefaultWriter<Uint8Array> = writable.getWriter();
    const receiver = { size, passed: 0, writer };
    this.#receiver = receiver;
    writer.closed.catch(() => this.#end());
    this.#arrival.resolve();
    this.#moved();
    if (size === 0) await this.#complete(receiver);
    else await this.#start.promise;
    return this.#over ? 'no-sender' : readable;
  }

  /** The runner's side: passes one part on, after cancelling an earlier part that is still running, whose connection must be dead. */
  async pass(offset: number, length: number, body: ReadableStream): Promise<PartOutcome> {
    this.#moved();
    await this.#arrival.promise;
    while (this.#part) await this.#drop(this.#part);
    const receiver = this.#receiver;
    if (this.#over || !receiver) return { result: 'over' };
    const verdict = checkPart(receiver, offset, length);
    if (verdict === 'done') return { result: 'passed', offset: receiver.passed };
    if (verdict !== 'pass') return { result: verdict, offset: receiver.passed };

    this.#start.resolve();
    const reader = body.getReader({ mode: 'byob' });
    const part = { reader, ended: this.#copy(reader, receiver) };
    this.#part = part;
    const whole = await part.ended;
    if (this.#part === part) this.#part = undefined;
    if (this.#over) return { result: 'over' };
    this.#moved();
    if (receiver.passed === receiver.size) await this.#complete(receiver);
    return { result: whole ? 'passed' : 'broken', offset: receiver.passed };
  }

  /** @returns false if the part or the client broke off */
  async #copy(reader: ReadableStreamBYOBReader, receiver: Receiver): Promise<boolean> {
    let buffer = new ArrayBuffer(readBytes);
    try {
      for (;;) {
        const { value, done } = await reader.read(new Uint8Array(buffer));
        if (done || !value) return true;
        await receiver.writer.write(value);
        receiver.passed += value.byteLength;
        buffer = value.buffer.byteLength > 0 ? value.buffer : new ArrayBuffer(readBytes);
        this.#moved();
      }
    } catch {
      return false;
    }
  }

  async #complete(receiver: Receiver): Promise<void> {
    clearTimeout(this.#idle ?? null);
    await receiver.writer.close().catch(() => this.#end());
  }

  async #drop(part: Part): Promise<void> {
    await part.reader.cancel().catch(() => undefined);
    await part.ended;
    if (this.#part === part) this.#part = undefined;
  }

  #moved(): void {
    clearTimeout(this.#idle ?? null);
    if (!this.#over) this.#idle = setTimeout(() => this.#end(), this.#idleMs);
  }

  /** Ends the transfer for both sides. */
  #end(): void {
    if (this.#over) return;
    this.#over = true;
    clearTimeout(this.#idle ?? null);
    this.#arrival.resolve();
    this.#start.resolve();
    this.#receiver?.writer.abort(new Error('the transfer is over')).catch(() => undefined);
    this.#part?.reader.cancel().catch(() => undefined);
  }
}

interface TransferProgress {
  /** Bytes of the whole transfer. */
  size: number;
  /** Bytes that the client has received. */
  passed: number;
}

type PartVerdict =
  | 'pass' // it continues the transfer
  | 'done' // everything was already passed on: the reply to the last part was lost
  | 'wrong-offset' // the sender continues from `passed`
  | 'too-long';

/** Decides whether a part of a transfer is accepted. Parts are sent one at a time and in order, each from the end of the previous one. */
function checkPart({ size, passed }: TransferProgress, offset: number, length: number): PartVerdict {
  if (passed === size) return 'done';
  if (offset !== passed) return 'wrong-offset';
  return offset + length > size ? 'too-long' : 'pass';
}
