/** Kinds of values of engine settings. Each describes what it accepts, with an example, and converts a value to the stored form. */

export interface ValueKind {
  /** Continues "must be": `a whole number from 10 to 10000, such as 300`. */
  accepts: string;
  /** @returns the value to store; undefined if it is refused */
  read(text: string): string | undefined;
}

export function whole(min: number, max: number, example: number): ValueKind {
  return {
    accepts: `a whole number from ${min} to ${max}, such as ${example}`,
    read(text) {
      const value = /^-?\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
      return value >= min && value <= max ? String(value) : undefined;
    },
  };
}

export function decimal(min: number, max: number, example: number): ValueKind {
  return {
    accepts: `a number from ${min} to ${max}, such as ${example}`,
    read(text) {
      const value = /^\d{1,9}(\.\d{1,6})?$/.test(text) ? Number(text) : Number.NaN;
      return value >= min && value <= max ? String(value) : undefined;
    },
  };
}

const kbOf: Readonly<Record<string, number>> = { k: 1, m: 1024, g: 1024 ** 2 };
const unitNames: Readonly<Record<string, string>> = { k: 'kB', m: 'MB', g: 'GB' };

/** A size of memory, in steps of 1024. The unit is case-insensitive, because each engine writes it differently. */
export function size(min: string, max: string, example: string): ValueKind {
  const isWithin = (kb: number) => kb >= (kilobytesOf(min) ?? 0) && kb <= (kilobytesOf(max) ?? 0);
  return {
    accepts: `a size from ${min} to ${max} with its unit (kB, MB or GB, in steps of 1024), such as "${example}"`,
    read(text) {
      const kb = kilobytesOf(text);
      const [, number, unit = ''] = sizePattern.exec(text) ?? [];
      if (kb === undefined || !isWithin(kb)) return undefined;
      return `${Number(number)}${unitNames[unit.toLowerCase()]}`;
    },
  };
}

const sizePattern = /^(\d{1,9}) ?([kmg])i?b?$/i;

/** A size in units of 1024 bytes; undefined if the text is no size. */
export function kilobytesOf(text: string): number | undefined {
  const [, number, unit = ''] = sizePattern.exec(text) ?? [];
  return number === undefined ? undefined : Number(number) * (kbOf[unit.toLowerCase()] ?? 1);
}

const msOf: Readonly<Record<string, number>> = { ms: 1, s: 1000, min: 60_000, h: 3_600_000, d: 86_400_000 };

/** A duration of up to a day. @param off a value besides 0 that means "never" */
export function duration(example: string, off?: string): ValueKind {
  return {
    accepts: `0 for never${off ? ` (${off} here)` : ''}, or a time up to 1d with its unit (ms, s, min, h or d), such as "${example}"`,
    read(text) {
      if (text === '0' || text === off) return text;
      const [, number, unit = ''] = /^(\d{1,9}) ?(ms|s|min|h|d)$/.exec(text) ?? [];
      const value = Number(number) * (msOf[unit] ?? Number.NaN);
      return value <= 86_400_000 ? `${Number(number)}${unit}` : undefined;
    },
  };
}

/** One of these words, in any case. */
export function choice(...values: readonly string[]): ValueKind {
  return {
    accepts: `one of ${values.map((value) => `"${value}"`).join(', ')}`,
    read: (text) => values.find((value) => value.toLowerCase() === text.toLowerCase()),
  };
}

/** Any number of these words, separated by commas; an empty text means none. */
export function someOf(values: readonly string[], example: string): ValueKind {
  return {
    accepts: `a list with commas, such as "${example}", of: ${values.join(', ')}`,
    read(text) {
      const words = text === '' ? [] : text.split(',').map((word) => word.trim().toUpperCase());
      return words.every((word) => values.includes(word)) ? words.join(',') : undefined;
    },
  };
}

/** A text of this form. @param accepts the form in words, with an example */
export function matching(pattern: RegExp, accepts: string): ValueKind {
  return { accepts, read: (text) => (text.length <= 200 && pattern.test(text) ? text : undefined) };
}
