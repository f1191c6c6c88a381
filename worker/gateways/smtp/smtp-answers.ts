/** Reads the answers of an SMTP server: RFC 5321, 4.2. */

/** A complete answer. */
export interface SmtpAnswer {
  code: number;
  /** The texts of its lines. */
  lines: string[];
}

/** The reason why a mail was not accepted, as a sentence for its sender. `code`: code of the server's answer; null without an answer. */
export class MailFailure extends Error {
  override readonly name = 'MailFailure';
  readonly code: number | null;

  constructor(message: string, code: number | null = null) {
    super(message);
    this.code = code;
  }
}

/** RFC 5321 allows lines of 512 bytes; servers send a few dozen at most. */
const answerBytesMax = 16_384;

/** Splits the bytes from a server into answers. */
export class SmtpAnswers {
  #text = '';
  readonly #decoder = new TextDecoder();
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;

  constructor(readable: ReadableStream<Uint8Array>) {
    this.#reader = readable.getReader();
  }

  /** @throws MailFailure if the server ends the connection or uses another protocol */
  async next(): Promise<SmtpAnswer> {
    for (;;) {
      const answer = this.#taken();
      if (answer) return answer;
      if (this.#text.length > answerBytesMax)
        throw new MailFailure('The mail server sent an answer without end.');
      const { value, done } = await this.#reader.read();
      if (done) throw new MailFailure('The mail server ended the connection.');
      this.#text += this.#decoder.decode(value, { stream: true });
    }
  }

  /**
   * For a change to TLS: earlier bytes were not encrypted, so an attacker could have inserted them.
   * @throws MailFailure if unread bytes are left
   */
  release(): void {
    if (this.#text !== '')
      throw new MailFailure('The mail server sent more than its answer before TLS began.');
    this.#reader.releaseLock();
  }

  #taken(): SmtpAnswer | undefined {
    const whole = /^(?:\d{3}-[^\n]*\n)*\d{3}(?: [^\n]*)?\r?\n/.exec(this.#text)?.[0];
    if (whole === undefined) {
      if (/^(?!\d{0,3}\r?$|\d{3}[ -])/.test(this.#text))
        throw new MailFailure('This server does not speak SMTP.');
      return undefined;
    }
    this.#text = this.#text.slice(whole.length);
    const lines = whole.trimEnd().split(/\r?\n/);
    return { code: Number(lines.at(-1)?.slice(0, 3)), lines: lines.map((line) => line.slice(4)) };
  }
}
