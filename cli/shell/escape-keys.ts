const tilde = 0x7e;
const dot = 0x2e;
const escapeByte = 0x1b;
const lineEnds = [0x0a, 0x0d];

/** The keys that leave a shell which does not answer: Enter, ~ and a dot, as in ssh. All other keys belong to the shell. */
export class EscapeKeys {
  #isLineStart = true;
  #isHeld = false;

  /** @returns what to send; undefined: leave */
  take(typed: Buffer): Buffer | undefined {
    // Also answers of the terminal, such as the position of the cursor, for which a shell asks after each prompt: nobody typed them.
    if (typed[0] === escapeByte) return typed;
    const sent: number[] = [];
    for (const byte of typed) {
      if (this.#isHeld && byte === dot) return undefined;
      if (this.#isHeld) sent.push(tilde);
      this.#isHeld = !this.#isHeld && this.#isLineStart && byte === tilde;
      if (!this.#isHeld) sent.push(byte);
      this.#isLineStart = lineEnds.includes(byte);
    }
    return Buffer.from(sent);
  }
}
