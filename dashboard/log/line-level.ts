/** How bad a line of a log says that it is. Tools have no common form, so a word at a usual place decides. */
import { withoutColours } from './ansi.ts';
import type { Line } from './line.ts';

export type LineLevel = 'error' | 'warning' | 'other';

const errors =
  /^(?:err|error|fatal|panic|critical|crit|severe|failed|failure|exception|.+error|.+exception)$/;
const warnings = /^(?:warn|warning|wrn|deprecated|.+warning)$/;
/** A word between spaces, brackets and marks. */
const word = /(?<=^|[\s|:[(<])[A-Za-z_.]{3,40}(?=$|[\s|:\])>!([])/g;
/** What stands before the level: the step of BuildKit, a time of a tool, the name of a package manager. */
const begin = /^\s*(?:#\d+ )?(?:[\d.:,TZ+-]+ )?(?:npm |yarn |pnpm |[✘✖×❌⚠▲►-]+ ?)?\s*$/u;
/** «0 errors, 2 warnings» tells that nothing is wrong. */
const none = /\b(?:0|no) (?:errors?|failures?|failed|warnings?)\b/i;
/** Most lines have none of these, and are not looked at any closer. */
const hint = /err|fatal|panic|crit|severe|fail|exception|warn|wrn|deprecated/i;
/** What the host writes where a phase failed. */
const phaseFailed = /: ended after [\d.]+ s$/;

/** The level of a line of JSON, which may be incomplete; numbers are those of pino and bunyan. */
const jsonLevel = /"(?:level|severity|lvl|levelname|log\.level|@l)"\s*:\s*(?:"([a-z]+)"|(\d{2}))/i;

/** Characters of a line in which its level stands. */
const headChars = 200;

/** A word of prose is no level: one that is not in capitals stands at the begin, behind a colon, or has a mark of its own behind it. */
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
