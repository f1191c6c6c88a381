/** The command that changes the expiry of a key in Redis. */

/** Slightly below Redis' own maximum, which is in milliseconds since 1970. */
const secondsMax = 9_000_000_000_000;

/**
 * Parses the user's input. 0 is refused, because Redis would delete the key.
 * @returns seconds; null if the field is empty, so that the key never expires; undefined if it is not a number from 1 on
 */
export function secondsIn(text: string): number | null | undefined {
  const entered = text.trim();
  if (entered === '') return null;
  const seconds = /^\d+$/.test(entered) ? Number(entered) : 0;
  return seconds >= 1 && seconds <= secondsMax ? seconds : undefined;
}

/** @param name of the key in the form of the API: its text, or `\x` and the hexadecimal digits of its bytes @param seconds null: never */
export const expiryCommand = (name: string, seconds: number | null): string =>
  seconds === null ? `PERSIST ${quoted(name)}` : `EXPIRE ${quoted(name)} ${seconds}`;

/** Writes all bytes as redis-cli escapes them in quotes, so that none has a special meaning. */
function quoted(name: string): string {
  const digits = name.startsWith('\\x')
    ? name.slice(2)
    : Array.from(new TextEncoder().encode(name), (byte) => byte.toString(16).padStart(2, '0')).join('');
  return `"${digits.replace(/../g, '\\x$&')}"`;
}
