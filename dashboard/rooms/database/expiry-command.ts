/** The command that changes when a key of a Redis expires. */

/** The largest that Redis takes is a little above, in milliseconds since 1970. */
const secondsMax = 9_000_000_000_000;

/**
 * Reads what a person enters. 0 is no such number: Redis would delete the key.
 * @returns seconds; null if nothing was entered, so that the key never expires; undefined if it is not a number from 1 on
 */
export function secondsIn(text: string): number | null | undefined {
  const entered = text.trim();
  if (entered === '') return null;
  const seconds = /^\d+$/.test(entered) ? Number(entered) : 0;
  return seconds >= 1 && seconds <= secondsMax ? seconds : undefined;
}

/** @param name of the key as the API tells it: its text, or `\x` and the hexadecimal digits of its bytes @param seconds null: never */
export const expiryCommand = (name: string, seconds: number | null): string =>
  seconds === null ? `PERSIST ${quoted(name)}` : `EXPIRE ${quoted(name)} ${seconds}`;

/** All bytes as redis-cli reads them in quotes, so that none means anything else. */
function quoted(name: string): string {
  const digits = name.startsWith('\\x')
    ? name.slice(2)
    : Array.from(new TextEncoder().encode(name), (byte) => byte.toString(16).padStart(2, '0')).join('');
  return `"${digits.replace(/../g, '\\x$&')}"`;
}
