/** The level that a log line itself shows. Tools have no common format, so a word at a usual position decides. */
import { withoutColours } from './ansi.ts';
import type { Line } from './line.ts';

export type LineLevel = 'error' | 'warning' | 'other';

const errors =
  /^(?:err|error|fatal|panic|critical|crit|severe|failed|failure|exception|.+error|.+exception)$/;
const warnings = /^(?:warn|warning|wrn|deprecated|.+warning)$/;
/** A word between spaces, brackets and punctuation. */
const word = /(?<=^|[\s|:[(<])[A-Za-z_.]{3,40}(?=$|[\s|:\])>!([])/g;
/** Text before the level: the step of BuildKit, a time of a tool, the name of a package manager. */
const begin = /^\s*(?:#\d+ )?(?:[\d.:,TZ+-]+ )?(?:npm |yarn |pnpm |[✘✖×❌⚠▲►-]+ ?)?\s*$/u;
/** «0 errors, 2 warnings» does not report an error. */
const none = /\b(?:0|no) (?:errors?|failures?|failed|warnings?)\b/i;
/** Most lines contain none of these words and are not examined further. */
const hint = /err|fatal|panic|crit|severe|fail|exception|warn|wrn|deprecated/i;
/** The host's line for a failed phase. */
const phaseFailed = /: ended after [\d.]+ s$/;

/** The level of a line of JSON, which may be incomplete; numbers are those of pino and bunyan. */
const jsonLevel = /"(?:level|severity|lvl|levelname|log\.level|@l)"\s*:\s*(?:"([a-z]+)"|(\d{2}))/i;

/** The number of characters at the start of a line that are searched for its level. */
const headChars = 200;

/**
 * A word inside prose is not a level. A word that is not in capitals must be at the start, after a colon, or before a punctuation mark of its own.
 */
export function levelOf({ line, stream }: Pick<Line, 'line' | 'stream'>): LineLevel {
  const head = withoutColours(line.slice(0, 2 * headChars)).slice(0, headChars);
  if (stream === 'system' && phaseFailed.test(head)) return 'error';
  if (/^\s*\{/.test(head)) return levelOfJson(line);
  if (!hint.test(head) || none.test(head)) return 'other';
  for (const { 0: found, index } of head.matchAll(word)) {
    const name = found.toLowerCase();
    const level = errors.test(name) ? 'error' : warnings.test(name) ? 'warning' : undefined;
    if (level === undefined) continue;
    const before = head.slice(0, index);
    const isMarked = found === found.toUpperCase() || /[:\])>![]/.test(head[index + found.length] ?? '');
    if (isMarked || begin.test(before) || /: $/.test(before)) return level;
  }
  return 'other';
}

function levelOfJson(line: string): LineLevel {
  const [, name = '', number = 0] = jsonLevel.exec(line) ?? [];
  if (errors.test(name.toLowerCase()) || Number(number) >= 50) return 'error';
  return warnings.test(name.toLowerCase()) || Number(number) >= 40 ? 'warning' : 'other';
}
