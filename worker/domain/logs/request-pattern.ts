/** Filters of the request log, as a regular expression (RE2) for the lines that hosts write: runner/kept-logs/access-logs.ts. Pure. */

export interface RequestFilters {
  /** Such as "GET". */
  method?: string | undefined;
  /** The beginning of the path. */
  path?: string | undefined;
  /** A class such as "5xx", or one status such as "404". */
  status?: string | undefined;
  /** Whole milliseconds: only requests that took at least this long. */
  slowerThanMs?: number | undefined;
}

const anyText = String.raw`(?:[^"\\]|\\.)*`;
const anyNumber = String.raw`[\d.]+`;

/** @returns undefined: every request matches */
export function requestPattern({ method, path, status, slowerThanMs }: RequestFilters): string | undefined {
  if ([method, path, status, slowerThanMs].every((one) => one === undefined)) return undefined;
  const parts = [
    `"method":"${method === undefined ? anyText : literal(method)}"`,
    `"path":"${path === undefined ? '' : literal(path)}${anyText}"`,
    `"status":${status === undefined ? anyNumber : status.replace('xx', String.raw`\d\d`)}`,
    `"durationMs":${slowerThanMs === undefined ? anyNumber : atLeast(slowerThanMs)}`,
  ];
  return String.raw`^\{"level":"\w+",${parts.join(',')},`;
}

/** The text as JSON writes it, with each sign of a pattern escaped. */
const literal = (text: string) =>
  JSON.stringify(text)
    .slice(1, -1)
    .replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);

/** A pattern for numbers that are not below this whole number: more digits, or a larger digit after the same beginning, or the number. */
function atLeast(least: number): string {
  const digits = String(least);
  const larger = [...digits].flatMap((digit, at) => {
    const rest = digits.length - at - 1;
    if (digit === '9') return [];
    return [`${digits.slice(0, at)}[${Number(digit) + 1}-9]${rest === 0 ? '' : String.raw`\d{${rest}}`}`];
  });
  const longer = String.raw`[1-9]\d{${digits.length},}`;
  return String.raw`(?:${[longer, ...larger, digits].join('|')})(?:\.\d+)?`;
}
