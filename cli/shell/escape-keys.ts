const tilde = 0x7e;
const dot = 0x2e;
const escapeByte = 0x1b;
const lineEnds = [0x0a, 0x0d];

/** A control sequence and a control string (ECMA-48, 5.4 and 5.6), from its escape character on. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what they are
const sequence = /\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]P][^\x07\x1b]*(?:\x07|\x1b\\))/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const begun = /\x1b\[[0-?]*[ -/]*$/y;
const rest = /[0-?]*[ -/]*[@-~]/y;

/**
 * The keys that leave a hung shell: Enter, ~ and a dot, as in ssh. All other keys are sent to the shell.
 *
 * The terminal itself sends answers, such as the position of the cursor, for which a shell asks after each prompt. They arrive between the keys, in
 * one or two pieces. The user did not type them, so they do not affect the escape keys.
 */
export class EscapeKeys {
  #isLineStart = true;
  #isHeld = false;
  /** The previous piece ended within a control sequence. */
  #isCut = false;

  /** @returns the bytes to send; undefined: leave the shell */
  take(typed: Buffer): Buffer | undefined {
    const text = typed.toString('latin1');
    const sent: number[] = [];
    for (let at = 0; at < typed.length; ) {
      const length = this.#answerAt(text, at);
      if (length > 0) {
        sent.push(...typed.subarray(at, at + length));
        at += length;
        continue;
      }
      const byte = typed[at++] ?? 0;
      if (this.#isHeld && byte === dot) return undefined;
      if (this.#isHeld) sent.push(tilde);
      this.#isHeld = !this.#isHeld && this.#isLineStart && byte === tilde;
      if (!this.#isHeld) sent.push(byte);
      this.#isLineStart = lineEnds.includes(byte);
    }
    return Buffer.from(sent);
  }

  /** @returns the length of a control sequence at this position: the terminal sent it, or it is a key with several bytes */
  #answerAt(text: string, at: number): number {
    if (at === 0 && this.#isCut) {
      this.#isCut = false;
      return lengthOf(rest, text, at);
    }
    if (text.charCodeAt(at) !== escapeByte) return 0;
    const length = lengthOf(sequence, text, at);
    if (length > 0) return length;
    this.#isCut = lengthOf(begun, text, at) > 0;
    return this.#isCut ? text.length - at : 0;
  }
}

function lengthOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0].length ?? 0;
}
