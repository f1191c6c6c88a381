/** Compiles the filters of a search for lines. */
import type { LogSearch } from '../../../protocol/logs/kept-logs.ts';
import { jsonOf } from '../../../protocol/logs/lines/json-line.ts';
import { levelOf } from '../../../protocol/logs/lines/line-level.ts';
import type { LogLevel } from '../../../protocol/logs/log-levels.ts';
import { type QueriedLine, queryMatcher, valueAt } from '../../../protocol/logs/query/query-matcher.ts';

/** Invalid filters; the message is a sentence for the person who searches. */
export class InvalidSearch extends Error {}

export interface LineFilter {
  /** Bytes that each matching line contains; `undefined` if any line may match. */
  needle: Buffer | undefined;
  /** @returns `undefined` if the line does not match, otherwise its level */
  match(line: QueriedLine): { level: LogLevel | null } | undefined;
}

type Asked = Pick<LogSearch, 'text' | 'regex' | 'levels' | 'fields' | 'query'>;

/** @throws InvalidSearch */
export async function lineFilter({ text, regex, levels, fields = [], query }: Asked): Promise<LineFilter> {
  const pattern = regex === undefined ? undefined : await compiled(regex);
  const wanted = levels && new Set(levels);
  const matches = query && queryMatcher(query);
  return {
    needle: needleOf(text, fields) ?? needleOfQuery(query),
    match(of) {
      const { line } = of;
      if (text !== undefined && !line.includes(text)) return undefined;
      if (pattern && !pattern.test(line)) return undefined;
      if (matches && !matches(of)) return undefined;
      const json = of.facts ?? jsonOf(line);
      const level = levelOf(line, json);
      if (wanted && !(level && wanted.has(level))) return undefined;
      return fields.every(({ path, value }) => json && valueAt(json, path) === value) ? { level } : undefined;
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

/** Bytes that each line of every alternative contains: a text without letters, which has no upper and lower case. */
function needleOfQuery(query: LogSearch['query']): Buffer | undefined {
  const [only, ...others] = query ?? [];
  if (!only || others.length > 0) return undefined;
  const texts = only.flatMap((term) => (term.kind === 'text' && !term.not ? [term.text] : []));
  const fixed = texts.filter((text) => text.toLowerCase() === text && text.toUpperCase() === text);
  const longest = fixed.sort((one, other) => other.length - one.length)[0];
  return longest === undefined ? undefined : Buffer.from(longest);
}
