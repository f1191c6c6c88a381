/** Compiles the filters of a search for lines. */
import type { LogLevel, LogSearch } from '../../../protocol/logs/kept-logs.ts';
import { jsonOf } from '../json-line.ts';
import type { LineFacts } from '../kept-line.ts';
import { levelOf } from '../log-level.ts';

/** Invalid filters; the message is a sentence for the person who searches. */
export class InvalidSearch extends Error {}

export interface LineFilter {
  /** Bytes that each matching line contains; `undefined` if any line may match. */
  needle: Buffer | undefined;
  /**
   * @param facts the facts of the whole line, if its text is cut
   * @returns `undefined` if the line does not match, otherwise its level
   */
  match(text: string, facts?: LineFacts): { level: LogLevel | null } | undefined;
}

type Asked = Pick<LogSearch, 'text' | 'regex' | 'levels' | 'fields'>;

/** @throws InvalidSearch */
export async function lineFilter({ text, regex, levels, fields = [] }: Asked): Promise<LineFilter> {
  const pattern = regex === undefined ? undefined : await compiled(regex);
  const wanted = levels && new Set(levels);
  return {
    needle: needleOf(text, fields),
    match(line, facts) {
      if (text !== undefined && !line.includes(text)) return undefined;
      if (pattern && !pattern.test(line)) return undefined;
      const json = facts ?? jsonOf(line);
      const level = levelOf(line, json);
      if (wanted && !(level && wanted.has(level))) return undefined;
      return fields.every(({ path, value }) => json && hasValue(json, path, value)) ? { level } : undefined;
    },
  };
}

/**
 * Instructions of a compiled pattern. Each character of a line may visit all of them: `(?:\pL{0,1000}){1}\pN{1000}` took 5 s for one line
 * of 16 KB, in the process that also keeps the host connected.
 */
const programMax = 500;

/** Linear in the length of the line for every pattern: RE2 has no backtracking. */
async function compiled(regex: string): Promise<{ test(text: string): boolean }> {
  const { RE2JS } = await import('re2js');
  let pattern: ReturnType<typeof RE2JS.compile>;
  try {
    pattern = RE2JS.compile(regex);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new InvalidSearch(
      `The regular expression is not valid (${reason}). It is in the syntax of RE2, which has no look-around and no back-references.`,
    );
  }
  if (pattern.programSize() > programMax)
    throw new InvalidSearch(
      'The regular expression is too large: repeat less, such as `\\d+` in place of `\\d{1,500}`.',
    );
  return pattern;
}

function needleOf(text: string | undefined, fields: NonNullable<Asked['fields']>): Buffer | undefined {
  if (text) return Buffer.from(text);
  // JSON may write the value in several ways, and the name with escapes only if it has unusual characters.
  const name = fields[0]?.path.split('.').at(-1) ?? '';
  return /^[\w-]+$/.test(name) ? Buffer.from(`"${name}"`) : undefined;
}

/** @param path a name with dots, or names of nested objects with dots between them */
function hasValue(json: Readonly<Record<string, unknown>>, path: string, value: string): boolean {
  if (Object.hasOwn(json, path)) return isValue(json[path], value);
  let found: unknown = json;
  for (const name of path.split('.')) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return false;
    found = (found as Record<string, unknown>)[name];
  }
  return isValue(found, value);
}

const isValue = (found: unknown, value: string) =>
  typeof found === 'object' && found !== null ? false : String(found) === value;
