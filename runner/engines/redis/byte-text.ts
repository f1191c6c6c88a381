/**
 * Converts bytes to text and back without loss. UTF-8 is shown as text. Anything else, and text that itself begins with `\x`, is shown as
 * `\x` and the hexadecimal digits of all its bytes. So text that begins with `\x` is always hexadecimal, and no two values look alike.
 */
import { isUtf8 } from 'node:buffer';
import { EngineError } from '../engine-error.ts';

const mark = '\\x';

/** @returns the text of these bytes, which `bytesOf` converts back to the same bytes */
export function textOf(bytes: Buffer): string {
  if (isUtf8(bytes)) {
    const text = bytes.toString();
    if (!text.startsWith(mark)) return text;
  }
  return mark + bytes.toString('hex');
}

/** @param what the value's name in the error message. @throws EngineError `invalid_request` */
export function bytesOf(text: string, what: string): Buffer {
  if (text.startsWith(mark)) {
    const digits = text.slice(mark.length);
    if (digits.length % 2 === 0 && /^[0-9a-f]*$/i.test(digits)) return Buffer.from(digits, 'hex');
    const hint = `Text that begins with \\x is read as hexadecimal: ${mark}${Buffer.from(mark).toString('hex')}... means \\x itself`;
    throw new EngineError(
      'invalid_request',
      `${what} does not consist of pairs of hexadecimal digits. ${hint}.`,
    );
  }
  if (!text.isWellFormed()) {
    throw new EngineError(
      'invalid_request',
      `${what} is not text: give its bytes as \\x and hexadecimal digits.`,
    );
  }
  return Buffer.from(text);
}
